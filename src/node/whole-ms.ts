const NS_PER_MS = 1_000_000n

/**
 * Returns a time in whole ms, rounded down. Node rounds `mtimeMs` of `BigIntStats` toward 1970, so a time before 1970 would differ from
 * the same time in `Stats`.
 * @param nanoseconds since 1970
 */
export const wholeMs = (nanoseconds: bigint): number =>
  Number(nanoseconds / NS_PER_MS) - (nanoseconds % NS_PER_MS < 0n ? 1 : 0)
