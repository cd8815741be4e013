import { effect, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { RecordDetails } from '../../shared/model/work.ts'

export type DetailsReading =
  | { readonly kind: 'reading'; readonly id: RecordId }
  | { readonly kind: 'read'; readonly id: RecordId; readonly details: RecordDetails }
  /** Removed, or never there. */
  | { readonly kind: 'gone'; readonly id: RecordId }

/**
 * Keeps the details of the work in the job pane as fresh as the history: they are read again with each of its versions, and
 * what was read before stays on show meanwhile.
 *
 * @param revision changes whenever the details may have changed
 */
export function followDetails(
  bridge: Pick<Bridge, 'work'>,
  id: ReadonlySignal<RecordId | null>,
  revision: ReadonlySignal<unknown>,
  failed: (reason: unknown) => void,
): ReadonlySignal<DetailsReading | null> {
  const reading = signal<DetailsReading | null>(null)
  let asked = 0

  const read = async (wanted: RecordId): Promise<void> => {
    asked += 1
    const mine = asked
    try {
      const details = await bridge.work.details(wanted)
      if (mine !== asked) return
      reading.value = details === null ? { kind: 'gone', id: wanted } : { kind: 'read', id: wanted, details }
    } catch (reason) {
      if (mine === asked) failed(reason)
    }
  }

  effect(() => {
    const wanted = id.value
    void revision.value
    if (wanted === null) {
      reading.value = null
      return
    }
    if (reading.peek()?.id !== wanted) reading.value = { kind: 'reading', id: wanted }
    void read(wanted)
  })
  return reading
}
