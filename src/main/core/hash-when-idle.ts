import { messageOf } from '../../node/errors.ts'
import { hashRow } from '../ledger/index.ts'
import type { Modules } from './modules.ts'

/** How long the app must be idle before contents are hashed, in ms. */
const IDLE_MS = 3_000

/**
 * Hashes files that weren't hashed when their jobs ended. Hashes one at a time, and only while no job is running or waiting.
 * @returns a function that stops hashing; the next launch continues
 */
export function hashWhenIdle(
  modules: Pick<Modules, 'events' | 'history' | 'timing' | 'log'> & { readonly isIdle: () => boolean },
): () => void {
  const { events, history, isIdle, timing, log } = modules
  let running: AbortController | undefined
  let cancelWait: (() => void) | undefined

  async function hashRows(signal: AbortSignal): Promise<void> {
    const { ledger } = history
    for (let row = ledger.nextPending(0); row !== undefined; row = ledger.nextPending(row.id)) {
      if (signal.aborted) return
      await hashRow(row, { ledger, clock: timing.clock, signal })
    }
  }

  function begin(): void {
    cancelWait = undefined
    if (!isIdle()) return
    const stopping = new AbortController()
    running = stopping
    hashRows(stopping.signal)
      .catch((error: unknown) => log('contents not hashed', { error: messageOf(error) }))
      .finally(() => {
        if (running === stopping) running = undefined
      })
  }

  function changed(): void {
    if (!isIdle()) return stop()
    if (running === undefined) cancelWait ??= timing.after(IDLE_MS, begin)
  }

  function stop(): void {
    cancelWait?.()
    cancelWait = undefined
    running?.abort()
  }

  const stops = [
    events.on('historyChanged', changed),
    events.on('jobsRead', changed),
    events.on('outboxChanged', changed),
  ]
  changed()
  return () => {
    for (const one of stops) one()
    stop()
  }
}
