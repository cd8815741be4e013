/**
 * Starts the app at login, hidden in the tray. Electron supports this on macOS and Windows; Linux needs a file in `autostart`.
 */
import type { App } from 'electron'
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execQuoted, keyFileValue } from '../quoting.ts'
import type { ProgramFile } from './program-file.ts'

/** @returns whether the user must first allow the start at login in the system settings of macOS */
export async function setStartAtLogin(
  wanted: boolean,
  options: {
    readonly app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>
    readonly platform: NodeJS.Platform
    readonly program: ProgramFile
    readonly environment: Readonly<Record<string, string | undefined>>
    /** Absolute. */
    readonly homeFolder: string
  },
): Promise<boolean> {
  const { app, platform, program } = options
  if (platform !== 'linux') {
    const path = platform === 'win32' ? { path: program.path } : {}
    app.setLoginItemSettings({ openAtLogin: wanted, ...path, args: ['--hidden'] })
    return platform === 'darwin' && wanted && app.getLoginItemSettings().status === 'requires-approval'
  }
  const file = autostartFile(options.environment, options.homeFolder)
  if (!wanted) {
    await rm(file, { force: true })
    return false
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, autostartEntry(program.path))
  return false
}

/**
 * Returns an ID of this computer and user that doesn't contain their names. A login item belongs to both.
 * @param hostName not used on macOS, where it changes with the network
 * @param homeFolder absolute
 */
export function computerId(hostName: string, homeFolder: string, platform: NodeJS.Platform): string {
  const home = platform === 'darwin' ? statSync(homeFolder, { throwIfNoEntry: false }) : undefined
  const computer = home === undefined ? hostName : `${home.ino} ${home.birthtimeMs}`
  return createHash('sha256').update(`${computer} ${homeFolder}`).digest('hex').slice(0, 16)
}

/** Whether macOS started the app at login. macOS doesn't pass arguments to login items, so this asks Electron instead. */
export const wasOpenedAtLogin = (
  app: Pick<App, 'getLoginItemSettings'>,
  platform: NodeJS.Platform,
): boolean => platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin

/** Returns the path of the file that starts the app at login on Linux. */
export const autostartFile = (
  environment: Readonly<Record<string, string | undefined>>,
  homeFolder: string,
): string =>
  join(
    environment['XDG_CONFIG_HOME'] || join(homeFolder, '.config'),
    'autostart/app.mediatray.Mediatray.desktop',
  )

/** Returns the line of the entry that names the program. */
export const programLine = (executable: string): string =>
  `Exec=${keyFileValue(`${execQuoted(executable)} --hidden`)}`

const autostartEntry = (executable: string): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Mediatray',
    programLine(executable),
    'Icon=mediatray',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
