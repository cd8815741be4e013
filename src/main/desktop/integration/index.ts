export { createKeepAwake, type KeepAwake, type SleepBlocker } from './keep-awake.ts'
export { parseLink, type LinkIntent } from '../launch/link.ts'
export { quickTasks, type QuickTask } from '../menus/quick-tasks.ts'
export { createWhenDone, type WhenDone, type WhenDoneActions, type WorkReading } from './when-done.ts'
