/** Splits subtitles that overlap into consecutive ones, for formats that show one at a time. */

/** `start` and `end` may be in any unit. */
export type Timed<T> = { readonly start: bigint; readonly end: bigint; readonly line: T }

export type ShownTogether<T> = { readonly start: bigint; readonly end: bigint; readonly lines: readonly T[] }

export function createSplitter<T>() {
  let shown: readonly Timed<T>[] = []
  let from = 0n

  /** Returns the next part, which ends with one of its lines, but at `time` at the latest; undefined if there is none before `time`. */
  function partUntil(time: bigint | undefined): ShownTogether<T> | undefined {
    const ends = shown.map(({ end }) => end).filter((end) => end > from)
    const end = [...ends, ...(time === undefined ? [] : [time])].reduce<bigint | undefined>(
      (first, one) => (first === undefined || one < first ? one : first),
      undefined,
    )
    shown = shown.filter((one) => one.end > from)
    if (shown.length === 0 || end === undefined || end <= from) return undefined
    const part = { start: from, end, lines: shown.map(({ line }) => line) }
    from = end
    return part
  }

  function until(time: bigint | undefined): readonly ShownTogether<T>[] {
    const parts: ShownTogether<T>[] = []
    for (let part = partUntil(time); part !== undefined; part = partUntil(time)) parts.push(part)
    return parts
  }

  return {
    /**
     * Adds the next subtitle. Call this in the order of the subtitles' start times.
     * @returns the parts that can no longer change
     */
    put(next: Timed<T>): readonly ShownTogether<T>[] {
      const parts = until(next.start)
      if (shown.length === 0 || next.start > from) from = next.start
      shown = [...shown, next]
      return parts
    },
    end: (): readonly ShownTogether<T>[] => until(undefined),
  }
}
