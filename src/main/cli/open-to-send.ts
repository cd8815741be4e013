import { join } from 'node:path'
import type { Core } from '../core/index.ts'
import { isSendingElsewhere } from '../outbox/index.ts'
import type { Context } from './context.ts'
import { dataFolder } from './data-folder.ts'

export type Opened = {
  readonly core: Core
  /** False: another process, such as the app, does the sending, and this one only adds to the outbox. */
  readonly sends: boolean
}

/**
 * The rooms for a verb that submits. Where the app is running with a built-in service, a second one is not started: that
 * service is the app's own, and the app will send.
 */
export function openToSend({ service, openCore, surroundings }: Context): Opened {
  const memory = openCore({ connected: false, sends: false })
  const elsewhere = isSendingElsewhere(join(dataFolder(surroundings), 'outbox.db'))
  if (elsewhere && service.kind === 'builtIn') return { core: memory, sends: false }
  return { core: openCore({ connected: true, sends: true }), sends: true }
}
