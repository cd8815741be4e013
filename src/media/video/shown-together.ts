/** Splits subtitles that overlap into consecutive ones, for formats that show one at a time. */

/** Times are in any unit. */
export type Timed<T> = { readonly start: bigint; readonly end: bigint; readonly line: T }

export type ShownTogether<T> = { readonly start: bigint; readonly end: bigint; readonly lines: readonly T[] }

export type Splitter<T> = {
  /** Takes the next subtitle, in the order of their starts. @returns what can't change any more */
  put(next: Timed<T>): readonly ShownTogether<T>[]
  /** @returns the rest */
  end(): readonly ShownTogether<T>[]
}

export function createSplitter<T>(): Splitter<T> {
  let shown: readonly Timed<T>[] = []
  let from = 0n

  /** Returns the parts until a time, at which the shown lines may change. */
  function until(time: bigint | undefined): readonly ShownTogether<T>[] {
    const parts: ShownTogether<T>[] = []
    while (shown.length > 0 && (time === undefined || from < time)) {
      const next = shown.reduce((first, { end }) => (end < first ? end : first), shown[0]?.end ?? from)
      const end = time !== undefined && time < next ? time : next
      if (end > from) parts.push({ start: from, end, lines: shown.map(({ line }) => line) })
      from = end
      shown = shown.filter((one) => one.end > from)
    }
    return parts
  }

  return {
    put(next) {
      const parts = until(next.start)
      if (shown.length === 0 || next.start > from) from = next.start
      shown = [...shown, next]
      return parts
    },
    end: () => until(undefined),
  }
}
