/**
 * Limits the folders that the page may name. Local folders are always allowed. A Windows network share must have been chosen in a
 * dialog, because merely accessing `\\host\share` sends the user's credentials to that host.
 */
import { isNetworkPath } from '../../../node/contained-path.ts'
import { outputsIn } from '../../../shared/model/folder-rules.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { ChosenFolders, Page } from './page.ts'

/** Shares in the settings and in the draft were chosen earlier, because the page can't add shares there. */
export function createChosenFolders({
  dialogs,
  settings,
  drafts,
  platform,
  t,
}: Pick<Page, 'dialogs' | 'settings' | 'drafts' | 'platform' | 't'>): ChosenFolders {
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
