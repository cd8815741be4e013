export { createKeepAwake, type KeepAwake, type SleepBlocker } from './keep-awake.ts'
export { parseLink, type LinkIntent } from './link.ts'
export { quickTasks, type QuickTask } from './quick-tasks.ts'
export { createWhenDone, type WhenDone, type WhenDoneActions, type WorkReading } from './when-done.ts'
