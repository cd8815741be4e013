/**
 * Values in an order of their own. To add or take out one costs a few comparisons, however many there are; a reader gets an
 * array that never changes, and the same one until something has changed.
 */
export type SortedList<T> = {
  add(value: T): void
  /** Nothing happens where it is not in the list. */
  delete(value: T): void
  first(): T | undefined
  values(): readonly T[]
  /** Those after the one value and up to the other, which belongs to them; undefined: to the end. Neither need be in the list. */
  between(after: T, upTo: T | undefined): readonly T[]
}

/** @param compare 0 only for values that are the same one */
export function createSortedList<T>(compare: (one: T, other: T) => number): SortedList<T> {
  let values: T[] = []
  /** Somebody has been given the array, so the next change is made to a copy. */
  let shown = false

  /** How many values come before this one. */
  function countBefore(value: T): number {
    let low = 0
    let high = values.length
    while (low < high) {
      const middle = (low + high) >> 1
      const there = values[middle]
      if (there !== undefined && compare(there, value) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  function isAt(index: number, value: T): boolean {
    const there = values[index]
    return there !== undefined && compare(there, value) === 0
  }

  /** How many values come before this one, or are it. */
  function countUpTo(value: T): number {
    const index = countBefore(value)
    return isAt(index, value) ? index + 1 : index
  }

  function splice(index: number, deleted: number, ...added: T[]): void {
    if (shown) values = [...values]
    shown = false
    values.splice(index, deleted, ...added)
  }

  return {
    add: (value) => splice(countBefore(value), 0, value),
    delete(value) {
      const index = countBefore(value)
      if (isAt(index, value)) splice(index, 1)
    },
    first: () => values[0],
    values() {
      shown = true
      return values
    },
    between: (after, upTo) =>
      values.slice(countUpTo(after), upTo === undefined ? values.length : countUpTo(upTo)),
  }
}
