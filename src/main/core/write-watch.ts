/** That outbox and history can't be written, or would not be found again, is said for as long as it is so (rule 6). */
import type { Timing } from '../../node/timing.ts'
import { isDiskFull, type WriteListener } from '../database/index.ts'
import type { History } from '../history/index.ts'
import type { Outbox } from '../outbox/index.ts'

export type WriteWatch = WriteListener & {
  isFull(): boolean
  /** False where what is written would not be found again. */
  isInPlace(): boolean
  /** Finds out whether there is room again, also where nothing else is waiting to be written; and whether the files are there. */
  watch(kept: Kept): void
  close(): void
}

type Kept = {
  readonly outbox: Pick<Outbox, 'tryWriting' | 'isInPlace'>
  readonly history: Pick<History, 'isInPlace'>
}

const RETRY_MS = 10_000
const PLACE_MS = 5_000

/** @param onChange the disk has become full, or has room again */
export function createWriteWatch(after: Timing['after'], onChange: () => void): WriteWatch {
  let isFull = false
  let isInPlace = true
  let kept: Kept | undefined
  let cancel: (() => void) | undefined
  let cancelPlace: (() => void) | undefined

  function become(full: boolean): void {
    if (isFull === full) return
    isFull = full
    onChange()
    cancel?.()
    cancel = isFull ? after(RETRY_MS, tryAgain) : undefined
  }

  function tryAgain(): void {
    try {
      kept?.outbox.tryWriting()
    } catch {
      // `notWritten` was told; it is said already.
    }
    if (isFull) cancel = after(RETRY_MS, tryAgain)
  }

  function checkPlace({ outbox, history }: Kept): void {
    const was = isInPlace
    isInPlace = outbox.isInPlace() && history.isInPlace()
    if (isInPlace !== was) onChange()
    cancelPlace = after(PLACE_MS, () => checkPlace({ outbox, history }))
  }

  return {
    written: () => become(false),
    notWritten: (error) => become(isFull || isDiskFull(error)),
    isFull: () => isFull,
    isInPlace: () => isInPlace,
    watch(those) {
      kept = those
      checkPlace(those)
    },
    close() {
      cancel?.()
      cancelPlace?.()
      kept = undefined
    },
  }
}
