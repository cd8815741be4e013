/**
 * Limits the folders that the page may name. Local folders are always allowed. A Windows network share must have been chosen in a
 * dialog, because merely accessing `\\host\share` sends the user's credentials to that host.
 */
import { isNetworkPath } from '../../../node/contained-path.ts'
import type { DraftOutput } from '../../../shared/model/draft.ts'
import { outputsIn } from '../../../shared/model/folder-rules.ts'
import type { Core } from '../../core/index.ts'
import type { Dialogs } from '../dialogs.ts'
import type { Shell } from '../shell.ts'
import { UserFacingError } from '../user-facing-error.ts'

/** Shares in the settings and in the draft were chosen earlier, because the page can't add shares there. */
export function createChosenFolders(
  parts: Pick<Shell, 'dialogs' | 'platform' | 't'> & Pick<Core, 'settings' | 'drafts'>,
) {
  const { dialogs, settings, drafts, platform, t } = parts
  const chosen = new Set<string>()

  function isInSettings(path: string): boolean {
    const { defaultOutput, recentOutputs, watchFolders, folderRules } = settings.view()
    const outputs = [
      drafts.store.view().output,
      defaultOutput,
      ...watchFolders.map(({ output }) => output),
      ...Object.values(folderRules).flatMap(outputsIn),
    ]
    return (
      recentOutputs.includes(path) ||
      watchFolders.some((watched) => watched.path === path) ||
      outputs.some((output) => output?.kind === 'folder' && output.path === path)
    )
  }

  /** @throws UserFacingError for a network share that the user hasn't chosen */
  function requireFolder(path: string): void {
    if (!isNetworkPath(path, platform) || chosen.has(path) || isInSettings(path)) return
    throw new UserFacingError('folderNotChosen', t().error.folderNotChosen)
  }

  return {
    requireFolder,
    /** Checks a folder output with `requireFolder`; ignores other outputs. */
    requireOutput(output: DraftOutput | null | undefined): void {
      if (output?.kind === 'folder') requireFolder(output.path)
    },
    /** The given dialogs, wrapped to remember the chosen folders. */
    dialogs: {
      ...dialogs,
      async askToOpen(asked: Parameters<Dialogs['askToOpen']>[0]) {
        const paths = await dialogs.askToOpen(asked)
        for (const path of paths) chosen.add(path)
        return paths
      },
    },
  }
}
