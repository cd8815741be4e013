import type { Message } from '../../message.ts'
import type { en } from '../en/index.ts'
import { common } from './common.ts'
import { desktop } from './desktop.ts'
import { watch } from './watch.ts'

export const de: Readonly<Record<keyof typeof en, Message>> = { ...common, ...desktop, ...watch }
