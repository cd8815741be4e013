/**
 * Notifications that Windows keeps in its notification center after the app has quit. Their identifiers encode their actions, because
 * nothing else about them survives a restart. A click on one of their buttons passes the identifier on; a click elsewhere passes nothing.
 */
import { randomBytes } from 'node:crypto'
import type { ActivationArguments } from 'electron'
import { asRecordId } from '../../../shared/model/ids.ts'
import type { UserAction } from '../user-action.ts'
import type { NotificationView } from './notification-view.ts'

/** The letters of the actions that a button can still trigger in a later run. Other actions need data of the run that showed the button. */
const LETTERS = { showRecord: 's', reveal: 'f', retry: 'r', runAgain: 'a', restoreOriginals: 'o' } as const
type Lasting = keyof typeof LETTERS
const NONE = '-'

/** Maximum length of an identifier. Electron throws on Windows if it is longer. */
const LONGEST = 64

const isLasting = (name: string): name is Lasting => Object.hasOwn(LETTERS, name)

/**
 * Returns a new identifier: a letter for each button, their job, and a random part. If the buttons don't share a job or the identifier
 * would be too long, returns only the random part.
 */
export function notificationId({ buttons }: Pick<NotificationView, 'buttons'>): string {
  const random = randomBytes(8).toString('hex')
  const lasting = buttons.map(({ action }) => (isLasting(action.do) && 'id' in action ? action : undefined))
  const jobs = new Set(lasting.flatMap((action) => (action === undefined ? [] : [String(action.id)])))
  const [job = ''] = jobs
  const letters = lasting.map((action) => (action === undefined ? NONE : LETTERS[action.do as Lasting]))
  const id = `${letters.join('')}.${job}.${random}`
  return jobs.size === 1 && /^[\w-]+$/.test(job) && id.length <= LONGEST ? id : random
}

/** Returns the identifier of the notification whose button was clicked; undefined for a click elsewhere. */
export const activatedId = ({ arguments: text }: ActivationArguments): string | undefined =>
  /(?:^|&)tag=([^&]+)/.exec(text)?.[1]

/** Returns the action for a click on an earlier notification: that of the button if it still works; otherwise, opening the window. */
export function activatedAction(details: ActivationArguments): UserAction {
  const [, letters = '', job = ''] = /^([a-z-]+)\.([\w-]+)\./.exec(activatedId(details) ?? '') ?? []
  const letter = letters[details.actionIndex ?? 0]
  const name = Object.keys(LETTERS).find((one) => isLasting(one) && LETTERS[one] === letter)
  return name !== undefined && isLasting(name) ? { do: name, id: asRecordId(job) } : { do: 'open' }
}
