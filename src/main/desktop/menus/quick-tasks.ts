/** What the jump list (Windows), the dock menu (macOS) and the launcher's actions (Linux) offer. */
import type { Translation } from '../../../shared/i18n/i18n.ts'

export type QuickTask = {
  readonly id: 'newJob' | 'pasteImage'
  readonly title: string
  readonly description: string
  /** Handed to the program, which hands it on to the one that runs already. */
  readonly argument: string
}

export function quickTasks(t: Translation): readonly QuickTask[] {
  const task = (id: QuickTask['id'], argument: string): QuickTask => ({
    id,
    title: t.task[id],
    description: t.task[`${id}Hint`],
    argument,
  })
  return [task('newJob', '--new-job'), task('pasteImage', '--paste-image')]
}
