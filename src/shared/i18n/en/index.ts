import { common } from './common.ts'
import { desktop } from './desktop.ts'
import { quickTasks } from './quick-tasks.ts'

/** Every text of the app, by area. The language of the others: a key that is missing there does not compile. */
export const en = { ...common, ...desktop, ...quickTasks } as const
