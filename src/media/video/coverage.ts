/** Finds out which parts of a track are missing, by comparing what its packets promise with what was decoded. All times are in seconds. */

export type Span = { readonly from: number; readonly to: number }

export type Coverage = ReturnType<typeof createCoverage>

/** A gap of a single packet counts only if it is longer than this, or if the decoder has reported damage. */
const NOT_MISSED_SECONDS = 0.5

export function createCoverage() {
  const promises: Span[] = []
  const receipts: Span[] = []
  let hasFailed = false
  return {
    /** Notes a packet that is to be shown. */
    promise: (from: number, duration: number): void => void promises.push({ from, to: from + duration }),
    receive: (from: number, duration: number): void => void receipts.push({ from, to: from + duration }),
    fail: (): void => void (hasFailed = true),
    /** Number of promised packets and received frames so far, for an early decision. */
    get promised() {
      return promises.length
    },
    get received() {
      return receipts.length
    },
    /** Returns the parts that were promised and not received, in order. */
    missing(): readonly Span[] {
      const slots = slotsOf(promises)
      const isCovered = coveredSlots(slots, receipts.toSorted(byStart))
      const runs = runsOf(slots, (index) => isCovered[index] !== 1)
      // A single missed packet doesn't count: in some interlaced videos, each field has its own packet, but two fields make one frame.
      return runs
        .filter(({ slots: count, from, to }) => count > 1 || hasFailed || to - from > NOT_MISSED_SECONDS)
        .map(({ from, to }) => ({ from, to }))
    },
  }
}

const byStart = (one: Span, other: Span): number => one.from - other.from

/** Returns when each packet is shown: until the next packet begins. */
function slotsOf(promises: readonly Span[]): readonly Span[] {
  const sorted = promises.toSorted(byStart)
  return sorted.map(({ from, to }, index) => ({ from, to: sorted[index + 1]?.from ?? to }))
}

/** Tolerance for rounded times. */
const ROUNDING_SECONDS = 0.0011

/** Returns a byte for each slot: 1 if something was received in it, otherwise 0. */
function coveredSlots(slots: readonly Span[], receipts: readonly Span[]): Uint8Array {
  const covered = new Uint8Array(slots.length)
  let slot = 0
  for (const { from, to } of receipts) {
    while (slot + 1 < slots.length && (slots[slot + 1]?.from ?? Infinity) <= from + ROUNDING_SECONDS)
      slot += 1
    covered[slot] = 1
    for (let next = slot + 1; next < slots.length; next++) {
      if ((slots[next]?.from ?? Infinity) >= to - ROUNDING_SECONDS) break
      covered[next] = 1
    }
  }
  return covered
}

function runsOf(slots: readonly Span[], isIn: (index: number) => boolean) {
  const runs: (Span & { readonly slots: number })[] = []
  let begin: number | undefined
  for (let index = 0; index <= slots.length; index++) {
    const belongs = index < slots.length && isIn(index)
    if (belongs) begin ??= index
    else if (begin !== undefined) {
      runs.push({ from: slots[begin]?.from ?? 0, to: slots[index - 1]?.to ?? 0, slots: index - begin })
      begin = undefined
    }
  }
  return runs
}

/** Collects the times at which a track has content, to find its gaps. */
export type Timeline = ReturnType<typeof createTimeline>

export function createTimeline() {
  const spans: { from: number; to: number }[] = []
  return {
    add(from: number, to: number): void {
      const last = spans.at(-1)
      // Almost every packet continues the last one.
      if (last !== undefined && from >= last.from && from <= last.to + 1) last.to = Math.max(last.to, to)
      else spans.push({ from, to })
    },
    gaps(least: number): readonly Span[] {
      let reached: number | undefined
      const gaps: Span[] = []
      for (const { from, to } of spans.toSorted(byStart)) {
        if (reached !== undefined && from - reached >= least) gaps.push({ from: reached, to: from })
        reached = Math.max(reached ?? to, to)
      }
      return gaps
    },
    /** Returns the end of the last span; 0 if there is none. */
    end: (): number => spans.reduce((end, { to }) => Math.max(end, to), 0),
  }
}

export const inBoth = (some: readonly Span[], others: readonly Span[]): readonly Span[] =>
  some.flatMap((one) =>
    others.flatMap((other) => {
      const both = { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }
      return both.to > both.from ? [both] : []
    }),
  )

export const secondsIn = (spans: readonly Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + (to - from), 0)

/** Merges spans that overlap or touch. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = []
  for (const span of spans.toSorted(byStart)) {
    const last = result.at(-1)
    if (last !== undefined && span.from <= last.to + ROUNDING_SECONDS)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else result.push(span)
  }
  return result
}
