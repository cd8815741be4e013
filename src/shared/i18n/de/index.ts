import type { Message } from '../translate.ts'
import type { en } from '../en/index.ts'
import { common } from './common.ts'
import { desktop } from './desktop.ts'
import { quickTasks } from './quick-tasks.ts'

export const de: Readonly<Record<keyof typeof en, Message>> = { ...common, ...desktop, ...quickTasks }
