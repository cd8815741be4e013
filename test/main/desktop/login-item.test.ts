import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { setStartAtLogin } from '../../../src/main/desktop/integration/login-item.ts'

type Asked = Parameters<Parameters<typeof setStartAtLogin>[1]['app']['setLoginItemSettings']>[0]

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-login-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function setUp(platform: NodeJS.Platform, executable = '/opt/Mediatray/mediatray') {
  const folder = emptyFolder()
  const asked: Asked[] = []
  const options = {
    app: { setLoginItemSettings: (settings: Asked) => void asked.push(settings) },
    platform,
    program: { path: executable, isPortable: false },
    configFolder: join(folder, 'config'),
  }
  const file = join(folder, 'config/autostart/app.mediatray.Mediatray.desktop')
  return { asked, file, set: (wanted: boolean) => setStartAtLogin(wanted, options) }
}

it('writes a valid autostart entry on Linux, and removes it, each as often as one likes', async () => {
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
  const folder = emptyFolder()
  const started = join(folder, 'started')
  const program = join(folder, name, 'mediatray')
  mkdirSync(join(folder, name))
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s' "$*" > '${started}.tmp'\nmv '${started}.tmp' '${started}'\n`,
    {
      mode: 0o755,
    },
  )
  const { file, set } = setUp('linux', program)
  await set(true)
  expect(readFileSync(file, 'utf8')).toContain(written)
  execFileSync('desktop-file-validate', [file])
  // A desktop's own reading of it, where there is one.
  if (spawnSync('gio', ['version']).status !== 0) return
  execFileSync('gio', ['launch', file])
  await expect.poll(() => existsSync(started) && readFileSync(started, 'utf8')).toBe('--hidden')
})

it('writes a percent sign so that it stands for no file', async () => {
  const { file, set } = setUp('linux', '/opt/100%/mediatray')
  await set(true)
  execFileSync('desktop-file-validate', [file])
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/100%%/mediatray" --hidden\n')
})

it.each([
  // The portable edition runs from a folder that is gone when it ends: what starts it is another file.
  ['win32', { path: 'D:/Mediatray-portable.exe' }],
  ['darwin', {}],
] as const)('asks Electron on %s', async (platform, more) => {
  const { asked, file, set } = setUp(platform, 'D:/Mediatray-portable.exe')
  await set(true)
  await set(false)
  expect(asked).toEqual([
    { openAtLogin: true, ...more, args: ['--hidden'] },
    { openAtLogin: false, ...more, args: ['--hidden'] },
  ])
  expect(existsSync(file)).toBe(false)
})
