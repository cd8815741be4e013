import type { ListChange } from '../../shared/model/list-change.ts'

export type Piece<T> = {
  /** The reader's list after the change. */
  readonly list: readonly T[]
  /** Undefined if nothing changes. */
  readonly change: ListChange<T> | undefined
}

/**
 * Computes the change from the reader's list to the current list, or part of that change. An object that has moved relative to the others
 * is removed and inserted again.
 *
 * @param limit maximum number of insertions; the remaining changes are left for the next call
 */
export function nextPiece<T extends { readonly id: string }>(
  before: readonly T[],
  now: readonly T[],
  limit: number,
): Piece<T> {
  const [start, end] = sameAtTheEnds(before, now)
  const old = before.slice(start, before.length - end)
  const indexOf = new Map(old.map((value, index) => [value.id, index]))
  const middle: T[] = []
  const staying = new Set<T>()
  const put: [number, T][] = []
  /** Old index of the last element kept so far. */
  let last = -1
  for (const value of now.slice(start, now.length - end)) {
    const index = indexOf.get(value.id) ?? -1
    const had = index > last ? old[index] : undefined
    if (had !== undefined && (had === value || put.length >= limit)) {
      last = index
      middle.push(had)
      staying.add(had)
    } else if (put.length < limit) {
      put.push([start + middle.length, value])
      middle.push(value)
    }
  }
  const gone = old.filter((value) => !staying.has(value)).map(({ id }) => id)
  if (gone.length === 0 && put.length === 0) return { list: before, change: undefined }
  const list = [...before.slice(0, start), ...middle, ...before.slice(before.length - end)]
  return { list, change: { gone, put } }
}

/** Counts the identical objects at the start of both lists, then those at the end of what remains. */
function sameAtTheEnds<T>(before: readonly T[], now: readonly T[]): readonly [start: number, end: number] {
  const shorter = Math.min(before.length, now.length)
  let start = 0
  while (start < shorter && before[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end += 1
  return [start, end]
}
