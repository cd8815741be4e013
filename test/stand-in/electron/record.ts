/** Records everything that the app shows, and sends it to the driver if there is one. */
import { type Recorded, nothingRecorded } from '../recorded.ts'

export type Record = {
  readonly now: Readonly<Recorded>
  change(part: Partial<Recorded>): void
  onChange(listener: (recorded: Recorded) => void): void
  /** Notifies listeners immediately, so that no later message overtakes the changes so far. */
  flush(): void
}

export function createRecord(): Record {
  const now = nothingRecorded()
  const listeners: ((recorded: Recorded) => void)[] = []
  let scheduled = false
  const flush = () => {
    if (!scheduled) return
    scheduled = false
    for (const listener of listeners) listener(now)
  }
  return {
    now,
    change(part) {
      Object.assign(now, part)
      if (scheduled) return
      scheduled = true
      queueMicrotask(flush)
    },
    onChange: (listener) => void listeners.push(listener),
    flush,
  }
}
