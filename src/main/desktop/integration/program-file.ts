/**
 * Finds the file that starts this app again. Two kinds of packages run from a temporary folder: an AppImage is mounted, and the
 * portable edition for Windows unpacks itself.
 */
import { realpathSync } from 'node:fs'
import { sep } from 'node:path'

export type ProgramFile = {
  readonly path: string
  /** Whether this is the portable edition. It leaves nothing on the system unless asked to, and an update must not overwrite it. */
  readonly isPortable: boolean
  /**
   * Whether the package's other files, such as the command-line launcher, are at a path that changes: in an AppImage and the portable
   * edition, on a disk image, and at the random path from which macOS runs an app until the user moves it out of Downloads.
   */
  readonly isTemporary: boolean
}

/**
 * Removes variables that belong to another program's AppImage. An AppImage exports its own path and mount point, and its child
 * processes inherit them. With these variables, start at login and updates would use the wrong program.
 */
export function dropForeignAppImage(environment: NodeJS.ProcessEnv, execPath: string): void {
  const mounted = environment['APPDIR'] ?? ''
  if (mounted !== '' && execPath.startsWith(`${resolved(mounted)}${sep}`)) return
  for (const name of ['APPIMAGE', 'APPDIR', 'ARGV0']) delete environment[name]
}

/** Resolves symlinks, because the path in `execPath` contains none. */
function resolved(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

export function programFile(
  environment: Readonly<Record<string, string | undefined>>,
  execPath: string,
): ProgramFile {
  const portable = environment['PORTABLE_EXECUTABLE_FILE']
  if (portable !== undefined && portable !== '')
    return { path: portable, isPortable: true, isTemporary: true }
  const appImage = environment['APPIMAGE']
  if (appImage !== undefined) return { path: appImage, isPortable: false, isTemporary: true }
  return { path: execPath, isPortable: false, isTemporary: TEMPORARY.test(execPath) }
}

const TEMPORARY = /^\/Volumes\/|\/AppTranslocation\//

/**
 * Whether this is an installed app: neither portable nor run from source. Only an installed app may register under the app's ID.
 */
export const isInstalled = (
  { isPackaged }: { readonly isPackaged: boolean },
  { isPortable }: Pick<ProgramFile, 'isPortable'>,
): boolean => isPackaged && !isPortable
