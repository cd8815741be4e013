/** Tests what `npm run test:electron` passes to the real runtime, which isn't available here. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  DESKTOP_PORT,
  electronLaunch,
  ISOLATE_USER,
  reasonNotOnElectron,
} from '../e2e/support/electron-launch.ts'
import { runReport } from '../e2e/support/electron-report.ts'
import { argumentsOfApp } from '../../src/main/desktop/launch/launch-arguments.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const on = (platform: NodeJS.Platform, options: Parameters<typeof electronLaunch>[0] = {}) =>
  electronLaunch(options, {
    root: '/project',
    home: '/tmp/home',
    platform,
    environment: { PATH: '/bin', HOME: '/home/ada', XDG_CONFIG_HOME: '/home/ada/.config', GONE: undefined },
  })

describe('starting the real runtime', () => {
  test("passes the app's folder, and the app ignores every argument before it", () => {
    const { args } = on('linux', { args: ['--hidden', 'a.jpg'], locale: 'de-DE' })
    expect(args).toEqual([
      '--lang=de-DE',
      '-r',
      ISOLATE_USER,
      '-r',
      DESKTOP_PORT,
      '/project',
      '--hidden',
      'a.jpg',
    ])
    // The arguments with which Playwright starts the app.
    const argv = ['/electron', '--inspect=0', '--remote-debugging-port=0', ...args]
    expect(argumentsOfApp(argv, false)).toEqual(['--hidden', 'a.jpg'])
    expect(argumentsOfApp(['/electron', '-r', '/loader.js', '/project', 'b.jpg'], false)).toEqual(['b.jpg'])
    expect(argumentsOfApp(['/opt/mediatray', 'c.jpg'], true)).toEqual(['c.jpg'])
  })

  test.each(['linux', 'darwin', 'win32'] as const)("doesn't touch the user's home on %s", (platform) => {
    const { env } = on(platform)
    expect(env).toMatchObject({
      PATH: '/bin',
      HOME: '/tmp/home',
      MEDIATRAY_DATA_DIR: join('/tmp/home', '.config', 'Mediatray'),
    })
    const own = { linux: 'XDG_CONFIG_HOME', darwin: 'CFFIXED_USER_HOME', win32: 'USERPROFILE' }[platform]
    expect(env[own]).toMatch(/^[/\\]tmp[/\\]home/)
    expect(env).not.toHaveProperty('GONE')
  })

  test('lets a spec override the environment', () => {
    expect(on('linux', { env: { XDG_CONFIG_HOME: undefined } }).env).not.toHaveProperty('XDG_CONFIG_HOME')
  })

  test('is refused with a reason if only the stand-in supports the spec', () => {
    expect(reasonNotOnElectron({}, 'linux')).toBeUndefined()
    expect(reasonNotOnElectron({ platform: 'linux', locale: 'de' }, 'linux')).toBeUndefined()
    expect(reasonNotOnElectron({ platform: 'darwin' }, 'linux')).toBe('it is for darwin')
    expect(reasonNotOnElectron({ noTray: true, env: { MEDIATRAY_STAND_IN_PACKAGED: '1' } }, 'linux')).toBe(
      'only the stand-in has a desktop without a tray and a made-up package',
    )
  })
})

/**
 * Loads the file that the runtime loads before the app, as on this system.
 * @returns the home, and the file's calls to Electron and the keychain
 */
function loadOwnPlace(platform: NodeJS.Platform) {
  const home = temporaryFolder()
  const script = `
    const asked = []
    const real = (name) => () => void asked.push(name)
    const app = { setPath: (name, path) => void asked.push([name, path]) }
    for (const name of ['setAsDefaultProtocolClient', 'setLoginItemSettings', 'setUserTasks']) app[name] = real(name)
    const Notification = { isSupported: () => true }
    const keytar = {}
    for (const name of ['getPassword', 'setPassword', 'deletePassword'])
      keytar[name] = () => Promise.resolve(asked.push(name))
    const { Module } = require('node:module')
    const load = Module._load
    Module._load = (name, ...rest) =>
      name === 'electron' ? { app, Notification } : name === 'keytar' ? keytar : load(name, ...rest)
    Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} })
    require(${JSON.stringify(ISOLATE_USER)})
    app.setAsDefaultProtocolClient('mediatray')
    app.setLoginItemSettings({ openAtLogin: true })
    const keys = async () => {
      await keytar.setPassword('Mediatray', 'http://x', 'key')
      const kept = await keytar.getPassword('Mediatray', 'http://x')
      const removed = await keytar.deletePassword('Mediatray', 'http://x')
      return [kept, removed, await keytar.getPassword('Mediatray', 'http://x')]
    }
    keys().then((keys) => console.log(JSON.stringify({ asked, keys, notifies: Notification.isSupported() })))`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { ...process.env, HOME: home },
  })
  expect(status, stderr).toBe(0)
  const result: unknown = JSON.parse(stdout)
  return { home, result }
}

describe('before the app', () => {
  test.each(['linux', 'darwin', 'win32'] as const)(
    'every folder on %s is in the spec’s own home',
    (platform) => {
      const { home, result } = loadOwnPlace(platform)
      const ownFolders = ['.', 'Desktop', 'Documents', 'Downloads', 'Music', 'Pictures', 'Videos']
      expect(readdirSync(home)).toEqual(expect.arrayContaining(ownFolders.slice(1)))
      const names = ['home', 'desktop', 'documents', 'downloads', 'music', 'pictures', 'videos']
      const paths = names.map((name, index) => [name, join(home, ownFolders[index] ?? '')])
      expect(result).toHaveProperty('asked', platform === 'linux' ? [...paths, ...KEYTAR_CALLS] : paths)
    },
  )

  test("the macOS and Windows keychains aren't accessed, and no Start menu entry is created on Windows", () => {
    expect(loadOwnPlace('darwin').result).toMatchObject({ keys: ['key', true, null], notifies: true })
    expect(loadOwnPlace('win32').result).toMatchObject({ keys: ['key', true, null], notifies: false })
  })
})

/** The calls to the keychain on this system, where specs use a separate keychain. */
const KEYTAR_CALLS = ['setPassword', 'getPassword', 'deletePassword', 'getPassword']

describe('the report', () => {
  test('shows how many specs ran, and lists the others by what they need', () => {
    const lines = runReport([
      { name: 'a', state: 'passed' },
      { name: 'b', state: 'failed' },
      { name: 'c', state: 'skipped', note: 'app.clock' },
      { name: 'd', state: 'skipped', note: 'it is for darwin' },
      { name: 'e', state: 'skipped', note: 'app.clock' },
      { name: 'f', state: 'skipped' },
    ])
    expect(lines).toEqual([
      'On Electron 2 of 6 specs ran, 1 failed. The others end at what only the stand-in can do:',
      '   2  app.clock',
      '        c',
      '        e',
      '   1  it is for darwin',
      '        d',
      '   1  the spec file excludes it',
      '        f',
    ])
    expect(runReport([{ name: 'a', state: 'passed' }])).toEqual(['On Electron 1 of 1 specs ran, 0 failed.'])
  })
})
