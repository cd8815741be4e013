/**
 * Detects when a service accepts a rejected key again or a different key has been stored. A 401 stops all other calls, and the user may not
 * be there to enter a key, for example while only a command watches folders.
 */
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'

type RetryKeyOptions = {
  readonly view: () => ConnectionView
  readonly after: Timing['after']
  /** Whether a different key has been stored. Doesn't contact the service. */
  readonly hasOtherKey: () => Promise<boolean>
  /** Uses the stored key. */
  readonly load: () => void
  /** Checks the key in use with a single call that needs a key. */
  readonly check: () => void
}

/** How often to read the stored key while the service rejects the one in use, in ms. */
const READ_MS = 60_000
/** Number of reads between two checks at the service. */
const READS_PER_CHECK = 5

export function createRetryKey({ view, after, hasOtherKey, load, check }: RetryKeyOptions) {
  let cancel: (() => void) | undefined
  let reads = 0

  const isRejected = () => view().state.status === 'keyRefused' && view().key !== 'none'

  function wait(): void {
    cancel = after(READ_MS, () => void retry())
  }

  async function retry(): Promise<void> {
    const mine = cancel
    const hasOther = await hasOtherKey()
    // Retrying was stopped, or the key is no longer rejected.
    if (cancel !== mine || !isRejected()) return
    reads += 1
    wait()
    if (hasOther) load()
    else if (reads % READS_PER_CHECK === 0) check()
  }

  function stop(): void {
    cancel?.()
    cancel = undefined
    reads = 0
  }

  return {
    changed: (): void => {
      if (!isRejected()) stop()
      else if (cancel === undefined) wait()
    },
    stop,
  }
}
