/**
 * Lets the user choose programs to run. The page can't name one: the main process opens the dialog, checks the choice, and later accepts
 * only programs that were chosen or that are in the settings.
 */
import { programFault } from '../../../node/program-fault.ts'
import type { Hooks } from '../../../shared/model/after-job.ts'
import type { Core } from '../../core/index.ts'
import type { Shell } from '../shell.ts'
import { UserFacingError } from '../user-facing-error.ts'

export function createChosenPrograms({
  dialogs,
  settings,
  t,
}: Pick<Shell, 'dialogs' | 't'> & Pick<Core, 'settings'>) {
  const chosen = new Set<string>()

  function isInSettings(program: string): boolean {
    const { afterJob, watchFolders } = settings.view()
    return [afterJob, ...watchFolders.map((folder) => folder.afterJob)].some(
      (hooks) => hooks?.program === program,
    )
  }

  return {
    /**
     * Opens a file dialog. Returns the program's path; null if the user dismissed the dialog.
     * @throws UserFacingError for a program that isn't safe to run
     */
    async choose(title: string): Promise<string | null> {
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
    /** @throws UserFacingError for a program that the user hasn't chosen */
    requireHooks(hooks: Partial<Hooks> | undefined): void {
      const program = hooks?.program ?? null
      if (program === null || chosen.has(program) || isInSettings(program)) return
      throw new UserFacingError('programNotChosen', t().error.programNotChosen)
    },
  }
}
