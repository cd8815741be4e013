/**
 * How rclone is found, which drive of it was chosen, and how it is started: as a program of its own, with an argument vector
 * and as little of our environment as it needs.
 */
import * as z from 'zod'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a program from a package lies on a Mac; what is started from the Dock has neither on its PATH. */
const MAC_FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin']

/** The places where rclone may be, the likeliest first. */
export function rclonePlaces(env: Environment, platform: string): readonly string[] {
  const isWindows = platform === 'win32'
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(isWindows ? ';' : ':')
  const all = platform === 'darwin' ? [...folders, ...MAC_FOLDERS] : folders
  // An entry of PATH that is empty or relative means the current folder, which is nobody's to run programs from.
  const absolute = all.filter((folder) => (isWindows ? /^[a-z]:[\\/]/i : /^\//).test(folder))
  return absolute.map((folder) => (isWindows ? `${folder}\\rclone.exe` : `${folder}/rclone`))
}

/**
 * What rclone needs to find its configuration, its password and the network. All other RCLONE_ variables are options in
 * disguise and stay outside.
 */
const PASSED_ON: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TMPDIR',
  'TEMP',
  'TMP',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'RCLONE_CONFIG',
  'RCLONE_CONFIG_PASS',
  'RCLONE_PASSWORD_COMMAND',
])

export const rcloneEnvironment = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && PASSED_ON.has(name.toUpperCase()) ? [[name, value] as const] : [],
    ),
  )

/** Never asks, gives up in time, and tells its troubles one JSON object a line. */
export const RCLONE_FLAGS = [
  '--ask-password=false',
  '--retries=1',
  '--low-level-retries=3',
  '--contimeout=10s',
  '--timeout=60s',
  '--use-json-log',
] as const

/** Which cloud drive the built-in service uses, as it is kept in its data folder and read by everybody concerned. */
export const DRIVE_CHOICE_FILE = 'drive.json'

/** Both may be missing: rclone is then looked for, and no drive is used. */
export const DriveChoice = z.object({
  /** Absolute path of the rclone program. */
  rclonePath: z.string().min(1).optional(),
  /** The name of a remote, as rclone lists it, without the colon. */
  remote: z.string().min(1).optional(),
})
export type DriveChoice = z.infer<typeof DriveChoice>

/** @returns an empty choice where the text is damaged: the person then chooses anew */
export function parseDriveChoice(text: string): DriveChoice {
  try {
    return DriveChoice.catch({}).parse(JSON.parse(text))
  } catch {
    return {}
  }
}
