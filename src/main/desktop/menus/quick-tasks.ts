/** Tasks offered by the jump list (Windows), the dock menu (macOS) and the launcher's actions (Linux). */
import type { App, Menu } from 'electron'
import type { Translation } from '../../../shared/i18n/i18n.ts'

export type QuickTask = {
  readonly id: 'newJob' | 'pasteImage'
  readonly title: string
  readonly description: string
  /** Launch argument, which a second launch passes to the running instance. */
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

/** Registers the tasks on Windows and macOS. Linux launchers read theirs from the desktop file. */
export function offerQuickTasks(options: {
  readonly t: Translation
  readonly platform: NodeJS.Platform
  readonly app: Pick<App, 'setUserTasks' | 'dock'>
  readonly Menu: Pick<typeof Menu, 'buildFromTemplate'>
  /** Program that the jump list starts. */
  readonly program: string
  /** Runs a task from the dock menu. The dock menu doesn't start a process, so the argument is passed directly. */
  readonly run: (argument: string) => void
}): void {
  const { t, platform, app, Menu, program, run } = options
  const tasks = quickTasks(t)
  if (platform === 'win32') {
    app.setUserTasks(
      tasks.map(({ title, description, argument }) => ({
        program,
        arguments: argument,
        title,
        description,
        iconPath: program,
        iconIndex: 0,
      })),
    )
  }
  if (platform === 'darwin') {
    app.dock?.setMenu(
      Menu.buildFromTemplate(tasks.map((task) => ({ label: task.title, click: () => run(task.argument) }))),
    )
  }
}
