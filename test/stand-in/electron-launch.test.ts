/** What `npm run test:electron` asks of the real runtime, which can't be had here. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { electronLaunch, reasonNotOnElectron } from '../e2e/support/electron-launch.ts'
import { howManyRan } from '../e2e/support/electron-report.ts'
import { argumentsOfApp } from '../../src/main/desktop/launch/launch-arguments.ts'

const on = (platform: NodeJS.Platform, options: Parameters<typeof electronLaunch>[0] = {}) =>
  electronLaunch(options, {
    root: '/project',
    home: '/tmp/home',
    platform,
    environment: { PATH: '/bin', HOME: '/home/ada', XDG_CONFIG_HOME: '/home/ada/.config', GONE: undefined },
  })

describe('starting the real runtime', () => {
  test('names the folder of the app, and the app takes nothing before it for its own', () => {
    const { args } = on('linux', { args: ['--hidden', 'a.jpg'], locale: 'de-DE' })
    expect(args).toEqual(['--lang=de-DE', '/project', '--hidden', 'a.jpg'])
    // As Playwright starts it.
    const argv = ['/electron', '--inspect=0', '--remote-debugging-port=0', ...args]
    expect(argumentsOfApp(argv, false)).toEqual(['--hidden', 'a.jpg'])
    expect(argumentsOfApp(['/electron', '-r', '/loader.js', '/project', 'b.jpg'], false)).toEqual(['b.jpg'])
    expect(argumentsOfApp(['/opt/mediatray', 'c.jpg'], true)).toEqual(['c.jpg'])
  })

  test.each(['linux', 'darwin', 'win32'] as const)('leaves the home of a person alone on %s', (platform) => {
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

  test('lets a spec change the environment last', () => {
    expect(on('linux', { env: { XDG_CONFIG_HOME: undefined } }).env).not.toHaveProperty('XDG_CONFIG_HOME')
  })

  test('is refused with the reason where only the stand-in can do it', () => {
    expect(reasonNotOnElectron({}, 'linux')).toBeUndefined()
    expect(reasonNotOnElectron({ platform: 'linux', locale: 'de' }, 'linux')).toBeUndefined()
    expect(reasonNotOnElectron({ platform: 'darwin' }, 'linux')).toBe('it is for darwin')
    expect(reasonNotOnElectron({ noTray: true, env: { MEDIATRAY_STAND_IN_PACKAGED: '1' } }, 'linux')).toBe(
      'only the stand-in has a desktop without a tray and a made-up package',
    )
  })
})

describe('the report', () => {
  test('says how many specs ran and what the others would have needed', () => {
    const lines = howManyRan([
      { state: 'passed' },
      { state: 'failed' },
      { state: 'skipped', note: 'app.tray' },
      { state: 'skipped', note: 'app.until' },
      { state: 'skipped', note: 'app.tray' },
    ])
    expect(lines).toEqual([
      'On Electron 2 of 5 specs ran, 1 failed. The others end at what only the stand-in can do:',
      '   2  app.tray',
      '   1  app.until',
    ])
  })
})
