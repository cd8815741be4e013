/** The jump list of Windows and the dock menu of macOS. Linux launchers read theirs from the desktop file. */
import { app, Menu } from 'electron'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { quickTasks } from './quick-tasks.ts'

export type QuickTaskOptions = {
  readonly t: Translation
  readonly platform: NodeJS.Platform
  /** What the jump list starts. */
  readonly program: string
  /** The dock menu has no process to start: its clicks come straight here, with the arguments of the task. */
  readonly run: (argument: string) => void
}

export function offerQuickTasks({ t, platform, program, run }: QuickTaskOptions): void {
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
