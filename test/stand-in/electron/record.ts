/** Records everything that the app shows, and sends it to the driver if there is one. */
import { type Recorded, nothingRecorded } from '../recorded.ts'

export type Record = ReturnType<typeof createRecord>

export function createRecord() {
  const now = nothingRecorded()
  const listeners: ((recorded: Recorded) => void)[] = []
  let scheduled = false
  const flush = () => {
    if (!scheduled) return
    scheduled = false
    for (const listener of listeners) listener(now)
  }
  return {
    now: now as Readonly<Recorded>,
    change(part: Partial<Recorded>): void {
      Object.assign(now, part)
      if (scheduled) return
      scheduled = true
      queueMicrotask(flush)
    },
    onChange: (listener: (recorded: Recorded) => void) => void listeners.push(listener),
    /** Notifies listeners immediately, so that no later message overtakes the changes so far. */
    flush,
  }
}
