import type { Timing } from './timing.ts'

/**
 * Visits the first item immediately and each further item in a separate event-loop tick, so that other code isn't blocked.
 * @param onError called if a visit throws; the remaining items are skipped
 * @returns a function that skips the remaining items
 */
export function inTicks<T>(
  things: Iterable<T>,
  after: Timing['after'],
  visit: (thing: T) => void,
  onError: (error: unknown) => void,
): () => void {
  const iterator = things[Symbol.iterator]()
  let cancel: (() => void) | undefined

  function next(): void {
    try {
      const { done, value } = iterator.next()
      if (done === true) return
      visit(value)
      cancel = after(0, next)
    } catch (error) {
      onError(error)
    }
  }
  next()
  return () => cancel?.()
}

/** Returns a function that runs one task at a time, each after all earlier ones, even if they failed. */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

export type SerialQueue = ReturnType<typeof createSerialQueue>

/** Runs tasks one at a time, so that each task sees the complete effects of earlier tasks. */
export function createSerialQueue(onError: (error: unknown) => void) {
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false
  return {
    /** Runs a task after all tasks queued earlier. Does nothing and resolves to undefined once the queue is closed. */
    next: <T>(work: () => Promise<T>): Promise<T | undefined> => {
      const done = last.then(() => (isClosed ? undefined : work()))
      last = done.catch(onError)
      return done
    },
    isOpen: (): boolean => !isClosed,
    /** Closes the queue and skips the waiting tasks. Resolves when the current task has ended. */
    close: async (): Promise<void> => {
      isClosed = true
      await last
    },
  }
}
