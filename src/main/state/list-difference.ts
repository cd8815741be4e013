import type { ListChange } from '../../shared/model/list-change.ts'

export type Piece<T> = {
  /** The list as its reader has it after the change. */
  readonly list: readonly T[]
  /** Undefined where nothing changes. */
  readonly change: ListChange<T> | undefined
}

/**
 * The way from a list that a reader has to the list as it is now, or a piece of the way. What is the same object in both stands
 * in the same order in both.
 *
 * @param limit so many are put in at most; what has changed and is not put in yet stays as the reader has it
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
  /** Whatever stays has stood behind this one. */
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

/** How many are the same objects at the start, and how many of the others at the end. */
function sameAtTheEnds<T>(before: readonly T[], now: readonly T[]): readonly [start: number, end: number] {
  const shorter = Math.min(before.length, now.length)
  let start = 0
  while (start < shorter && before[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end += 1
  return [start, end]
}
