import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { becomeOnlyInstance } from '../../../src/main/desktop/launch/single-instance.ts'
import { createInstanceLock } from '../../stand-in/electron/single-instance.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Starts the app with this data folder. */
function start(folder: string, isSecond = false): boolean {
  const lock = createInstanceLock(
    () => folder,
    () => {},
    () => 'linux',
  )
  onTestFinished(() => lock.release())
  const request = () => lock.request({ argv: [], workingDirectory: '/', additionalData: {} })
  // The first instance can't answer a request from the process it runs in.
  const app = { getPath: () => folder, requestSingleInstanceLock: isSecond ? () => false : request }
  return becomeOnlyInstance(app, {}, 'linux')
}

afterEach(() => void vi.unstubAllEnvs())

it('distinguishes another instance, which may have ended since, from a lock that can’t be created', () => {
  const folder = temporaryFolder()
  expect(start(folder, true)).toBe(false)
  expect(readdirSync(folder)).toEqual([])
  expect(start(folder)).toBe(true)
  expect(start(folder, true)).toBe(false)
  expect(() => start(join(folder, 'missing'), true)).toThrow('Couldn’t create a lock: ENOENT')
})

it('reports a lock that can’t be created because something else has its name', () => {
  const folder = temporaryFolder()
  // Neither Chromium nor the stand-in can replace a folder.
  mkdirSync(join(folder, 'SingletonLock'))
  expect(() => start(folder)).toThrow(join(folder, 'SingletonLock'))
})

it('reports a folder that can’t take a socket', () => {
  const folder = temporaryFolder()
  vi.stubEnv('TMPDIR', join(folder, 'missing'))
  expect(() => start(folder, true)).toThrow('Couldn’t create a lock: ENOENT')
})

const startOnWindows = (folder: string): boolean =>
  becomeOnlyInstance({ getPath: () => folder, requestSingleInstanceLock: () => false }, {}, 'win32')

it('looks for the lock of Windows there', () => {
  const folder = temporaryFolder()
  expect(() => startOnWindows(join(folder, 'missing'))).toThrow('Couldn’t create a lock: ENOENT')
  expect(startOnWindows(folder)).toBe(false)
  writeFileSync(join(folder, 'lockfile'), '')
  expect(startOnWindows(folder)).toBe(false)
  expect(readdirSync(folder)).toEqual(['lockfile'])
})
