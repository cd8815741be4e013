/** The page's questions about the cloud drive: what the service says of it, and which remote the built-in one uses. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Connection } from '../../connection/index.ts'
import { programFault } from '../../../node/program-fault.ts'
import type { Settings } from '../../settings/settings.ts'
import { createDriveSetup, DriveSetupError } from '../../drive/drive.ts'
import { driveProblemSentence } from '../../../shared/i18n/sentences.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'
import { UserFacingError } from '../user-facing-error.ts'

export type DriveModules = { readonly settings: Settings; readonly connection: Connection }

/** What needs no window; the dialog for the program is `chooseRclone`. */
export function driveHandlers(
  { settings, connection }: DriveModules,
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
      .catch((error: unknown) => log(`the path of rclone could not be handed on: ${String(error)}`))
  })

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
  }
}

export type RcloneChoiceDeps = {
  readonly settings: Pick<Settings, 'update'>
  readonly dialogs: Pick<Dialogs, 'askToOpen'>
  readonly setup: Handlers['drive']['setup']
  readonly t: () => Translation
}

/** Which program is run is no setting of the page: a person picks it in a dialog that main opens, and it is checked here. */
export const chooseRclone =
  ({ settings, dialogs, setup, t }: RcloneChoiceDeps): Handlers['drive']['chooseRclone'] =>
  async () => {
    const [path] = await dialogs.askToOpen({
      title: t().dialog.chooseRclone,
      buttonLabel: t().dialog.choose,
      properties: ['openFile', 'dontAddToRecent'],
    })
    if (path === undefined) return null
    const fault = await programFault(path)
    if (fault !== undefined) {
      throw new UserFacingError('program', t().programFault[fault], t().programFault.unchanged)
    }
    settings.update({ rclonePath: path })
    return setup()
  }
