/** Detects when the outbox, the history or the presets of jobs can't be written, and when a database is deleted or replaced (rule 6). */
import type { Timing } from '../../node/timing.ts'
import { type WriteListener, type WriteTrouble, writeTroubleOf } from '../database/index.ts'
import { fileFailureOf } from '../../node/file-failure.ts'
import type { History } from '../history/index.ts'
import type { Outbox } from '../outbox/index.ts'
import type { UsedPresets } from './used-presets.ts'

export type WriteWatch = ReturnType<typeof createWriteWatch>

type Store = 'outbox' | 'history' | 'usedPresets'
type Kept = Readonly<Record<'outbox' | 'history', Pick<Outbox & History, 'tryWriting' | 'isInPlace'>>> & {
  readonly usedPresets: Pick<UsedPresets, 'tryWriting'>
  readonly state: Pick<Outbox, 'isInPlace'>
}

const RETRY_MS = 10_000
const PLACE_MS = 10_000

/** @param onChange called when the result of `trouble` or `isInPlace` may have changed */
export function createWriteWatch(after: Timing['after'], onChange: () => void) {
  const troubles = new Map<Store, WriteTrouble>()
  let isInPlace = true
  let kept: Kept | undefined
  let cancel: (() => void) | undefined
  let cancelPlace: (() => void) | undefined

  function become(store: Store, trouble: WriteTrouble | undefined): void {
    if (troubles.get(store) === trouble) return
    const hadTrouble = troubles.size > 0
    if (trouble === undefined) troubles.delete(store)
    else troubles.set(store, trouble)
    onChange()
    if (hadTrouble === troubles.size > 0) return
    cancel?.()
    cancel = hadTrouble ? undefined : after(RETRY_MS, tryAgain)
  }

  function tryAgain(): void {
    for (const store of troubles.keys()) {
      try {
        kept?.[store].tryWriting()
      } catch {
        // `notWritten` has already reported the error.
      }
    }
    if (troubles.size > 0) cancel = after(RETRY_MS, tryAgain)
  }

  function checkPlace(those: Kept): void {
    const was = isInPlace
    isInPlace = [those.outbox, those.history, those.state].every((one) => one.isInPlace())
    if (isInPlace !== was) onChange()
    cancelPlace = after(PLACE_MS, () => checkPlace(those))
  }

  return {
    listener: (store: Store): WriteListener => ({
      written: () => become(store, undefined),
      notWritten: (error) =>
        become(store, writeTroubleOf(error) ?? fileTroubleOf(error) ?? troubles.get(store)),
    }),
    /** Returns why one of the files can't be written; null if all can. */
    trouble: (): WriteTrouble | null =>
      troubles.get('outbox') ?? troubles.get('history') ?? troubles.get('usedPresets') ?? null,
    /** Returns false if one of the databases has been deleted or replaced. New data would then be lost. */
    isInPlace: (): boolean => isInPlace,
    /** Starts checking that the databases are where they were. While a store can't be written, retries even without other writes. */
    watch(those: Kept): void {
      kept = those
      checkPlace(those)
    },
    close(): void {
      cancel?.()
      cancelPlace?.()
      kept = undefined
    },
  }
}

/** Returns why a file can't be written; undefined if the error doesn't come from the file system. */
function fileTroubleOf(error: unknown): WriteTrouble | undefined {
  const why = fileFailureOf(error)
  if (why === undefined || why === 'full') return why
  return why === 'readOnly' || why === 'denied' ? 'readOnly' : 'failed'
}
