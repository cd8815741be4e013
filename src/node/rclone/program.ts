/**
 * Finds rclone, reads the chosen drive, and defines how rclone is started. rclone runs as a separate program with an argument
 * vector and a minimal environment.
 */
import * as z from 'zod'
import { placesOnPath } from '../program-places.ts'
import { ifPossible } from '../if-possible.ts'

/** Returns the paths where rclone may be, the most likely first. */
export const rclonePlaces = (env: NodeJS.ProcessEnv, platform: string): readonly string[] =>
  placesOnPath('rclone', env, platform)

/**
 * The variables that rclone needs to find its configuration, its password and the network.
 * All other RCLONE_ variables act as options, so they aren't passed on.
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

export const rcloneEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && PASSED_ON.has(name.toUpperCase()) ? [[name, value] as const] : [],
    ),
  )

/** Makes rclone run without prompts, give up after a limited time, and log one JSON object per line. */
export const RCLONE_FLAGS = [
  '--ask-password=false',
  '--retries=1',
  '--low-level-retries=3',
  '--contimeout=10s',
  '--timeout=60s',
  '--use-json-log',
] as const

/** Name of the file with the choice of rclone and of the cloud drive. It is in the built-in service's data folder. */
export const DRIVE_CHOICE_FILE = 'drive.json'

/**
 * The chosen rclone and remote, both optional.
 * Without a path, Mediatray searches for rclone. Without a remote, it doesn't use a drive.
 */
export const DriveChoice = z.object({
  /** Absolute path of the rclone program. */
  rclonePath: z.string().min(1).optional(),
  /** The name of a remote as rclone lists it, without the colon. */
  remote: z.string().min(1).optional(),
})
export type DriveChoice = z.infer<typeof DriveChoice>

/**
 * Parses the stored choice.
 * @returns an empty choice if the text is damaged; the user then has to choose again
 */
export const parseDriveChoice = (text: string): DriveChoice =>
  ifPossible(() => DriveChoice.parse(JSON.parse(text))) ?? {}
