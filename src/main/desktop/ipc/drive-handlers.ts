/** Handles the page's calls about the cloud drive: its status, and the rclone remote that the built-in service uses. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Core } from '../../core/index.ts'
import { createDriveSetup, DriveSetupError } from '../../drive/drive.ts'
import { driveProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'

/** Creates the handlers that work without a window. Only `chooseRclone` needs one. */
export function driveHandlers(
  { settings, connection }: Pick<Core, 'settings' | 'connection'>,
  serviceDataFolder: string,
  t: () => Translation,
  log: (message: string) => void,
): Omit<Handlers['drive'], 'chooseRclone'> {
  const setup = createDriveSetup({
    dataDir: serviceDataFolder,
    rclonePath: () => settings.view().rclonePath,
    isBuiltIn: () => connection.view().kind === 'builtIn',
    env: process.env,
    platform: process.platform,
  })
  let rclonePath = settings.view().rclonePath
  settings.onChange((changed) => {
    if (changed.rclonePath === rclonePath) return
    rclonePath = changed.rclonePath
    setup
      .keepRclonePath()
      .then(() => connection.refreshDrive())
      .catch((error: unknown) => log(`could not pass on the rclone path: ${String(error)}`))
  })

  let listing = new AbortController()

  return {
    async status() {
      await connection.refreshDrive()
      return connection.view().drive
    },
    setup: () => setup.setup(),
    async useRemote(name) {
      try {
        await setup.useRemote(name)
      } catch (error) {
        if (error instanceof DriveSetupError)
          throw new UserFacingError('noSuchRemote', driveProblemSentence(error.problem, t()))
        throw error
      }
      await connection.refreshDrive()
    },
    checkFolder: (id) => setup.checkFolder(id),
    folders({ parent }) {
      listing.abort()
      listing = new AbortController()
      return setup.listFolders(parent, listing.signal)
    },
    stopListing: () => listing.abort(),
  }
}

export const chooseRclone =
  (page: Pick<Page, 'settings' | 'programs' | 'drive' | 't'>): Handlers['drive']['chooseRclone'] =>
  async () => {
    const path = await page.programs.choose(page.t().dialog.chooseRclone)
    if (path === null) return null
    page.settings.update({ rclonePath: path })
    return page.drive.setup()
  }
