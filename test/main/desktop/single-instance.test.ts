import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { becomeOnlyInstance } from '../../../src/main/desktop/launch/single-instance.ts'
import { createInstanceLock } from '../../stand-in/electron/single-instance.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Starts the app with this data folder. */
function start(folder: string, isSecond = false): boolean {
  const lock = createInstanceLock(
    () => folder,
    () => {},
  )
  onTestFinished(() => lock.release())
  const request = () => lock.request({ argv: [], workingDirectory: '/', additionalData: {} })
  // The first instance can't answer a request from the process it runs in.
  const app = { getPath: () => folder, requestSingleInstanceLock: isSecond ? () => false : request }
  return becomeOnlyInstance(app, {}, 'linux')
}

it('distinguishes another instance from a lock that can’t be created', () => {
  const folder = temporaryFolder()
  expect(() => start(folder, true)).toThrow(join(folder, 'SingletonLock'))
  expect(start(folder)).toBe(true)
  expect(start(folder, true)).toBe(false)
})

it('reports a lock that can’t be created', () => {
  const folder = temporaryFolder()
  // Neither Chromium nor the stand-in can replace a folder.
  mkdirSync(join(folder, 'SingletonLock'))
  expect(() => start(folder)).toThrow('Couldn’t create the lock')
})

it('reports a lock that Windows can’t create, too', () => {
  const folder = temporaryFolder()
  const app = { getPath: () => folder, requestSingleInstanceLock: () => false }
  expect(() => becomeOnlyInstance(app, {}, 'win32')).toThrow(join(folder, 'lockfile'))
  writeFileSync(join(folder, 'lockfile'), '')
  expect(becomeOnlyInstance(app, {}, 'win32')).toBe(false)
})
