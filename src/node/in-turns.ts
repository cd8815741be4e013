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
