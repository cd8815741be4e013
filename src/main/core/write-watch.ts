/** A disk on which outbox and history can't be written is said for as long as it is so (rule 6). */
import type { Timing } from '../../node/timing.ts'
import { isDiskFull, type WriteListener } from '../database/database.ts'
import type { Outbox } from '../outbox/index.ts'

export type WriteWatch = WriteListener & {
  isFull(): boolean
  /** Finds out whether there is room again, also where nothing else is waiting to be written. */
  tryWith(outbox: Pick<Outbox, 'tryWriting'>): void
  close(): void
}

const RETRY_MS = 10_000

/** @param onChange the disk has become full, or has room again */
export function createWriteWatch(after: Timing['after'], onChange: () => void): WriteWatch {
  let isFull = false
  let outbox: Pick<Outbox, 'tryWriting'> | undefined
  let cancel: (() => void) | undefined

  function become(full: boolean): void {
    if (isFull === full) return
    isFull = full
    onChange()
    cancel?.()
    cancel = isFull ? after(RETRY_MS, tryAgain) : undefined
  }

  function tryAgain(): void {
    try {
      outbox?.tryWriting()
    } catch {
      // `notWritten` was told; it is said already.
    }
    if (isFull) cancel = after(RETRY_MS, tryAgain)
  }

  return {
    written: () => become(false),
    notWritten: (error) => become(isFull || isDiskFull(error)),
    isFull: () => isFull,
    tryWith(written) {
      outbox = written
    },
    close() {
      cancel?.()
      outbox = undefined
    },
  }
}
