/** Changes to a long list, in which few entries change at a time. */
export type ListChange<T> = {
  /** IDs of the entries to remove first. */
  readonly gone: readonly string[]
  /** Entries to insert afterwards at their final indexes, in ascending order. */
  readonly put: readonly (readonly [index: number, value: T])[]
}

export function withChange<T extends { readonly id: string }>(
  list: readonly T[],
  { gone, put }: ListChange<T>,
): readonly T[] {
  const leaving = new Set(gone)
  const staying = leaving.size === 0 ? list : list.filter(({ id }) => !leaving.has(id))
  const changed: T[] = []
  let taken = 0
  for (const [index, value] of put) {
    const between = staying.slice(taken, taken + index - changed.length)
    for (const one of between) changed.push(one)
    taken += between.length
    changed.push(value)
  }
  return [...changed, ...staying.slice(taken)]
}
