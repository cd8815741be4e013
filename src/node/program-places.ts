/** Folders where Mac package managers install programs. They aren't on the PATH of apps opened from the Dock. */
const MAC_FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin']

/** Returns the absolute paths where a program may be, the most likely first. */
export function placesOnPath(program: string, env: NodeJS.ProcessEnv, platform: string): readonly string[] {
  const isWindows = platform === 'win32'
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(isWindows ? ';' : ':')
  const all = platform === 'darwin' ? [...folders, ...MAC_FOLDERS] : folders
  // An empty or relative PATH entry means the current folder, which must not be trusted.
  const absolute = all.filter((folder) => (isWindows ? /^[a-z]:[\\/]/i : /^\//).test(folder))
  return absolute.map((folder) => (isWindows ? `${folder}\\${program}.exe` : `${folder}/${program}`))
}
