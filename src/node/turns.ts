import type { Timing } from './timing.ts'

/**
 * Does something with each of many things: the first at once, each other one in a turn of the loop of its own, so that all of
 * it stops nothing else.
 *
 * @param onError where it throws, the rest is left alone
 * @returns a function that leaves the rest alone
 */
export function inTurns<T>(
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

export type Turns = {
  /** What is begun now comes after what was begun before. Once it is closed nothing begins. */
  readonly next: (work: () => Promise<void>) => Promise<void>
  readonly isOpen: () => boolean
  /** Resolves when what is under way has ended. */
  readonly close: () => Promise<void>
}

/** One thing after the other: each finds what the one before has left, and not what it is about to change. */
export function createTurns(onError: (error: unknown) => void): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false
  return {
    next(work) {
      const done = last.then(() => (isClosed ? undefined : work()))
      last = done.catch(onError)
      return done
    },
    isOpen: () => !isClosed,
    async close() {
      isClosed = true
      await last
    },
  }
}
