/**
 * Notifications that Windows keeps in its notification center after the app has quit. Their identifiers say what they do, because nothing
 * else of them is left in the next run. A click on one of their buttons passes the identifier on; a click elsewhere passes nothing.
 */
import { randomUUID } from 'node:crypto'
import type { ActivationArguments } from 'electron'
import * as z from 'zod'
import { asRecordId } from '../../../shared/model/ids.ts'
import type { UserAction } from '../user-action.ts'
import type { NotificationView } from './notification-view.ts'

/** What a button may do in a later run. Other actions need what only their own run knows. */
const Lasting = z.object({
  do: z.enum(['showRecord', 'reveal', 'retry', 'runAgain', 'restoreOriginals']),
  id: z.string().transform(asRecordId),
})
const Buttons = z.array(Lasting.nullable())

/** Returns a new identifier. */
export function notificationId({ buttons }: Pick<NotificationView, 'buttons'>): string {
  const lasting = buttons.map(({ action }) => Lasting.safeParse(action).data ?? null)
  return `${Buffer.from(JSON.stringify(lasting)).toString('base64url')}.${randomUUID()}`
}

/** Returns the identifier of the notification whose button was clicked; undefined for a click elsewhere. */
export const activatedId = ({ arguments: text }: ActivationArguments): string | undefined =>
  /(?:^|&)tag=([^&]+)/.exec(text)?.[1]

/** Returns what a click on an earlier notification does: open the window, unless its button still works. */
export function activatedAction(details: ActivationArguments): UserAction {
  const [encoded = ''] = (activatedId(details) ?? '').split('.')
  try {
    const buttons = Buttons.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
    return buttons[details.actionIndex ?? 0] ?? { do: 'open' }
  } catch {
    return { do: 'open' }
  }
}
