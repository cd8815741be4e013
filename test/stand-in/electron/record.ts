/** The one record of what was shown, and the line to the driver, if there is one. */
import { type Recorded, nothingRecorded } from '../recorded.ts'

export type Record = {
  readonly now: Readonly<Recorded>
  change(part: Partial<Recorded>): void
  onChange(listener: (recorded: Recorded) => void): void
  /** Tells the listeners at once, so that what follows cannot overtake it. */
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
