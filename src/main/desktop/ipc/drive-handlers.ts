/** The page's questions about the cloud drive: what the service says of it, and which remote the built-in one uses. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Core } from '../../core/index.ts'
import { createDriveSetup, DriveSetupError } from '../../drive/drive.ts'
import { driveProblemSentence } from '../../../shared/i18n/sentences.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { SayableError } from './user-facing-error.ts'

export function driveCalls(
  core: Core,
  serviceDataFolder: string,
  t: () => Translation,
  log: (message: string) => void,
): Handlers['drive'] {
  const setup = createDriveSetup({
    dataDir: serviceDataFolder,
    rclonePath: () => core.settings.view().rclonePath,
    isBuiltIn: () => core.connection.view().kind === 'builtIn',
    env: process.env,
    platform: process.platform,
  })
  let rclonePath = core.settings.view().rclonePath
  core.settings.onChange((settings) => {
    if (settings.rclonePath === rclonePath) return
    rclonePath = settings.rclonePath
    setup
      .keepRclonePath()
      .then(() => core.connection.refreshDrive())
      .catch((error: unknown) => log(`the path of rclone could not be handed on: ${String(error)}`))
  })

  return {
    async status() {
      await core.connection.refreshDrive()
      return core.connection.view().drive
    },
    setup: () => setup.setup(),
    async useRemote(name) {
      try {
        await setup.useRemote(name)
      } catch (error) {
        if (error instanceof DriveSetupError)
          throw new SayableError('noSuchRemote', driveProblemSentence(error.problem, t()))
        throw error
      }
      await core.connection.refreshDrive()
    },
    checkFolder: (id) => setup.checkFolder(id),
  }
}
