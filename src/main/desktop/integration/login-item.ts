/**
 * Starts the app at login, hidden in the tray. Electron supports this on macOS and Windows; Linux needs a file in `autostart`.
 */
import type { App } from 'electron'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execQuoted, keyFileValue } from '../quoting.ts'
import type { ProgramFile } from './program-file.ts'

export async function setStartAtLogin(
  wanted: boolean,
  options: {
    readonly app: Pick<App, 'setLoginItemSettings'>
    readonly platform: NodeJS.Platform
    readonly program: ProgramFile
    /** The user's configuration folder, `~/.config` by default. */
    readonly configFolder: string
  },
): Promise<void> {
  const { app, platform, program } = options
  if (platform !== 'linux') {
    const path = platform === 'win32' ? { path: program.path } : {}
    app.setLoginItemSettings({ openAtLogin: wanted, ...path, args: ['--hidden'] })
    return
  }
  const file = join(options.configFolder, 'autostart', 'app.mediatray.Mediatray.desktop')
  if (!wanted) {
    await rm(file, { force: true })
    return
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, autostartEntry(program.path))
}

/** Whether macOS started the app at login. It passes no arguments to login items, so this asks Electron instead. */
export const wasOpenedAtLogin = (
  app: Pick<App, 'getLoginItemSettings'>,
  platform: NodeJS.Platform,
): boolean => platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin

const autostartEntry = (executable: string): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Mediatray',
    `Exec=${keyFileValue(`${execQuoted(executable)} --hidden`)}`,
    'Icon=mediatray',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
