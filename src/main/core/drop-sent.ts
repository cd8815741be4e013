/**
 * Removes outbox submissions whose records show that they were already sent. The outbox may be older than the history if its file was
 * restored from a backup or a power failure lost its latest changes.
 */
import { messageOf } from '../../node/errors.ts'
import { inTicks } from '../../node/serial-queue.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Modules } from './modules.ts'

/**
 * Creates a function that checks whether a submission has become a job, according to its record. A withdrawn submission doesn't count,
 * because it may have been restored.
 */
export const wasSent =
  ({ history }: Pick<Modules, 'history'>) =>
  (id: RecordId): boolean => {
    const record = history.summary(id)
    if (record === undefined) return false
    return record.jobId !== null || (record.outcome !== null && record.outcome.kind !== 'cancelled')
  }

/**
 * Removes submissions that have become jobs. The sender also checks each submission before sending it.
 * @returns a function that stops removing
 */
export function dropSent(modules: Pick<Modules, 'history' | 'outbox' | 'timing' | 'log'>): () => void {
  const { outbox, timing, log } = modules
  const isSent = wasSent(modules)
  return inTicks(
    outbox.pages(),
    timing.after,
    (page) => {
      // Accepted submissions are about to move to the history.
      const sent = page.filter(({ id, state }) => state.kind !== 'accepted' && isSent(id))
      if (sent.length > 0) outbox.drop(sent.map(({ id }) => id))
    },
    (error) => log('sent submissions not removed', { error: messageOf(error) }),
  )
}
