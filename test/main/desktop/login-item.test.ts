import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoginItemSettings } from 'electron'
import { expect, it } from 'vitest'
import { computerId, setStartAtLogin } from '../../../src/main/desktop/integration/login-item.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

type Asked = Parameters<Parameters<typeof setStartAtLogin>[1]['app']['setLoginItemSettings']>[0]

function setUp(platform: NodeJS.Platform, executable = '/opt/Mediatray/mediatray', status = 'enabled') {
  const folder = temporaryFolder()
  const asked: Asked[] = []
  const options = {
    app: {
      setLoginItemSettings: (settings: Asked) => void asked.push(settings),
      getLoginItemSettings: () => ({ status }) as LoginItemSettings,
    },
    platform,
    program: { path: executable, isPortable: false, isTemporary: false },
    environment: { XDG_CONFIG_HOME: join(folder, 'config') },
    homeFolder: folder,
  }
  const file = join(folder, 'config/autostart/app.mediatray.Mediatray.desktop')
  return { asked, file, set: (wanted: boolean) => setStartAtLogin(wanted, options) }
}

it('writes and removes a valid autostart entry on Linux, even if repeated', async () => {
  const { asked, file, set } = setUp('linux')
  await set(false)
  expect(existsSync(file)).toBe(false)
  await set(true)
  await set(true)
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/Mediatray/mediatray" --hidden\n')
  execFileSync('desktop-file-validate', [file])
  await set(false)
  await set(false)
  expect(existsSync(file)).toBe(false)
  expect(asked).toEqual([])
})

it.each([
  ['with space', 'with space'],
  ['cash$HOME', '\\\\$'],
  ['tick`s', '\\\\`'],
  ['quote"s', '\\\\"'],
  ['back\\slash', '\\\\\\\\'],
])('writes an entry that starts the program in a folder called %s', async (name, written) => {
  const folder = temporaryFolder()
  const started = join(folder, 'started')
  const program = join(folder, name, 'mediatray')
  mkdirSync(join(folder, name))
  const script = `#!/bin/sh\nprintf '%s' "$*" > '${started}.tmp'\nmv '${started}.tmp' '${started}'\n`
  writeFileSync(program, script, { mode: 0o755 })
  const { file, set } = setUp('linux', program)
  await set(true)
  expect(readFileSync(file, 'utf8')).toContain(written)
  execFileSync('desktop-file-validate', [file])
  // Checks with the desktop's own parser, if available.
  if (spawnSync('gio', ['version']).status !== 0) return
  execFileSync('gio', ['launch', file])
  await expect.poll(() => existsSync(started) && readFileSync(started, 'utf8')).toBe('--hidden')
})

it('identifies a Mac by its home folder instead of its host name, which changes with the network', () => {
  const [home, other] = [temporaryFolder(), temporaryFolder()]
  const id = (hostName: string, platform: NodeJS.Platform, of = home) => computerId(hostName, of, platform)
  expect(id('ada.local', 'darwin')).toBe(id('dhcp-7', 'darwin'))
  expect(id('ada', 'darwin')).not.toBe(id('ada', 'darwin', other))
  expect(id('ada', 'win32')).not.toBe(id('bob', 'win32'))
})

it.each([
  ['requires-approval', true],
  ['enabled', false],
])('on macOS with the status %s, the user has to allow it: %s', async (status, needsApproval) => {
  const { set } = setUp('darwin', '/Applications/Mediatray.app', status)
  expect([await set(true), await set(false)]).toEqual([needsApproval, false])
})

it('escapes a percent sign so that it isn’t a file placeholder', async () => {
  const { file, set } = setUp('linux', '/opt/100%/mediatray')
  await set(true)
  execFileSync('desktop-file-validate', [file])
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/100%%/mediatray" --hidden\n')
})

it.each([
  // The portable edition runs from a temporary folder; a different file starts it.
  ['win32', { path: 'D:/Mediatray-portable.exe' }],
  ['darwin', {}],
] as const)('uses Electron on %s', async (platform, more) => {
  const { asked, file, set } = setUp(platform, 'D:/Mediatray-portable.exe')
  await set(true)
  await set(false)
  expect(asked).toEqual([
    { openAtLogin: true, ...more, args: ['--hidden'] },
    { openAtLogin: false, ...more, args: ['--hidden'] },
  ])
  expect(existsSync(file)).toBe(false)
})
