/** Start at login, hidden in the tray. Electron knows how on macOS and Windows; on Linux it is a file in `autostart`. */
import type { App } from 'electron'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProgramFile } from './program-file.ts'

export type LoginItemOptions = {
  readonly app: Pick<App, 'setLoginItemSettings'>
  readonly platform: NodeJS.Platform
  readonly program: ProgramFile
  /** `~/.config`, or wherever the person has put it. */
  readonly configFolder: string
}

export async function setStartAtLogin(wanted: boolean, options: LoginItemOptions): Promise<void> {
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

/** macOS hands a login item no arguments; it says so in its own way. */
export const wasOpenedAtLogin = (
  app: Pick<App, 'getLoginItemSettings'>,
  platform: NodeJS.Platform,
): boolean => platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin

const autostartEntry = (executable: string): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Mediatray',
    `Exec=${quoted(executable)} --hidden`,
    'Icon=mediatray',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')

/**
 * As the desktop entry specification wants it: quotes around, four characters escaped, a percent sign doubled; and then the
 * backslashes once more, as in every value of such a file.
 */
const quoted = (path: string): string => {
  const escaped = path.replaceAll(/["`$\\]/g, (character) => `\\${character}`).replaceAll('%', '%%')
  return `"${escaped.replaceAll('\\', '\\\\')}"`
}
