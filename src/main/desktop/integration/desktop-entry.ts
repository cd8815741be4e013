/** Finds the desktop file of an installed Mediatray. Desktops use this file to identify the app. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DESKTOP_ENTRY } from '../../../shared/desktop-entry.ts'

/** Whether the desktop can find the desktop file. Portals refuse shortcuts of an app without one. */
export function hasDesktopEntry(
  homeFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const own = environment['XDG_DATA_HOME'] || join(homeFolder, '.local/share')
  const shared = environment['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share'
  return [own, ...shared.split(':')].some((folder) => existsSync(join(folder, 'applications', DESKTOP_ENTRY)))
}
