/**
 * Which file others have to start when they are to start this app. Two packages run from a folder that is gone afterwards:
 * the AppImage is mounted, and the portable edition for Windows unpacks itself.
 */
export type ProgramFile = {
  readonly path: string
  /** Carried about by its person: it leaves nothing behind unasked, and nothing installs over it. */
  readonly isPortable: boolean
}

export function programFile(
  environment: Readonly<Record<string, string | undefined>>,
  execPath: string,
): ProgramFile {
  const portable = environment['PORTABLE_EXECUTABLE_FILE']
  if (portable !== undefined && portable !== '') return { path: portable, isPortable: true }
  return { path: environment['APPIMAGE'] ?? execPath, isPortable: false }
}
