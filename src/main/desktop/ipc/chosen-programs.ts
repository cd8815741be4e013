/**
 * Lets the user choose programs to run. The page can't name one: the main process opens the dialog, checks the choice, and later accepts
 * only programs that were chosen or that are in the settings.
 */
import { programFault } from '../../../node/program-fault.ts'
import type { Hooks } from '../../../shared/model/after-job.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { ChosenPrograms, Page } from './page.ts'

export function createChosenPrograms({
  dialogs,
  settings,
  t,
}: Pick<Page, 'dialogs' | 'settings' | 't'>): ChosenPrograms {
  const chosen = new Set<string>()

  function isInSettings(program: string): boolean {
    const { afterJob, watchFolders } = settings.view()
    return [afterJob, ...watchFolders.map((folder) => folder.afterJob)].some(
      (hooks) => hooks?.program === program,
    )
  }

  return {
    async choose(title) {
      const [path] = await dialogs.askToOpen({
        title,
        buttonLabel: t().dialog.choose,
        properties: ['openFile', 'dontAddToRecent'],
      })
      if (path === undefined) return null
      const fault = await programFault(path)
      if (fault !== undefined) {
        throw new UserFacingError('program', t().programFault[fault], t().programFault.unchanged)
      }
      chosen.add(path)
      return path
    },
    requireHooks(hooks: Partial<Hooks> | undefined) {
      const program = hooks?.program ?? null
      if (program === null || chosen.has(program) || isInSettings(program)) return
      throw new UserFacingError('programNotChosen', t().error.programNotChosen)
    },
  }
}
