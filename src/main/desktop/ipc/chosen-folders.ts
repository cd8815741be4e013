/**
 * Which folders the page may name. Any of this computer; but one on a network share of Windows only after a person has chosen it
 * in a dialog, because to look at `\\host\share` greets that host with the user's credentials.
 */
import { isNetworkPath } from '../../../node/contained-path.ts'
import type { OutputTarget } from '../../../shared/model/draft.ts'
import type { Settings as SettingsView } from '../../../shared/model/settings.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'
import { UserFacingError } from '../user-facing-error.ts'

export interface ChosenFolders {
  /** @throws UserFacingError for a share that nobody has chosen */
  requireFolder(path: string): void
  /** The same for the folder of an output, where it is one. */
  requireOutput(output: OutputTarget | null | undefined): void
  /** The same dialogs, whose answers are remembered. */
  readonly dialogs: Dialogs
}

export type ChosenFoldersOptions = {
  readonly dialogs: Dialogs
  /** What stands in the settings was chosen before: the page could put no other share there. */
  readonly settings: { view(): Pick<SettingsView, 'defaultOutput' | 'recentOutputs' | 'watchFolders'> }
  /** Where the draft puts its results; a record that is run again brings its folder. */
  readonly draftOutput: () => OutputTarget
  readonly platform: NodeJS.Platform
  readonly t: () => Translation
}

export function createChosenFolders(options: ChosenFoldersOptions): ChosenFolders {
  const { dialogs, settings, draftOutput, platform, t } = options
  const chosen = new Set<string>()

  function isInSettings(path: string): boolean {
    const { defaultOutput, recentOutputs, watchFolders } = settings.view()
    const outputs = [draftOutput(), defaultOutput, ...watchFolders.map(({ output }) => output)]
    return (
      recentOutputs.includes(path) ||
      watchFolders.some((watched) => watched.path === path) ||
      outputs.some((output) => output?.kind === 'folder' && output.path === path)
    )
  }

  function requireFolder(path: string): void {
    if (!isNetworkPath(path, platform) || chosen.has(path) || isInSettings(path)) return
    throw new UserFacingError('folderNotChosen', t().error.folderNotChosen)
  }

  return {
    requireFolder,
    requireOutput(output) {
      if (output?.kind === 'folder') requireFolder(output.path)
    },
    dialogs: {
      ...dialogs,
      async askToOpen(asked) {
        const paths = await dialogs.askToOpen(asked)
        for (const path of paths) chosen.add(path)
        return paths
      },
    },
  }
}
