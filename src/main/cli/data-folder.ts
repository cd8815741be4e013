import { posix, win32 } from 'node:path'
import type { Surroundings } from './environment.ts'

/** Where the app keeps its own data: MEDIATRAY_DATA_DIR, or the place that the platform has for it. */
export function dataFolder({
  env,
  home,
  platform,
  cwd,
}: Pick<Surroundings, 'env' | 'home' | 'platform' | 'cwd'>): string {
  const chosen = env['MEDIATRAY_DATA_DIR']
  const paths = platform === 'win32' ? win32 : posix
  if (chosen) return paths.resolve(cwd, chosen)
  switch (platform) {
    case 'darwin':
      return paths.join(home, 'Library', 'Application Support', 'Mediatray')
    case 'win32':
      return paths.join(env['APPDATA'] ?? paths.join(home, 'AppData', 'Roaming'), 'Mediatray')
    default:
      return paths.join(env['XDG_CONFIG_HOME'] || paths.join(home, '.config'), 'Mediatray')
  }
}
