/**
 * When a file counts as finished: nothing about it has changed for a while. Pure; times are monotonic, in ms.
 *
 * A file that has been growing for long may also pause for long (a slow network, a video being rendered), so it has to be
 * unchanged for a part of the time it took.
 */
export type Observation = {
  readonly firstAt: number
  readonly changedAt: number
  readonly size: number
  readonly mtime: number
}

/** Of the time that it took to grow. */
const SHARE_OF_GROWTH = 0.25
/** At the most so many times the ordinary wait. */
const MOST_TIMES = 5

export type Sample = { readonly size: number; readonly mtime: number }

export const firstSample = ({ size, mtime }: Sample, now: number): Observation => ({
  firstAt: now,
  changedAt: now,
  size,
  mtime,
})

export const nextSample = (before: Observation, { size, mtime }: Sample, now: number): Observation =>
  size === before.size && mtime === before.mtime ? before : { ...before, size, mtime, changedAt: now }

/** When it may be taken, if nothing changes until then. */
export function settlesAt({ firstAt, changedAt }: Observation, settleMs: number): number {
  const grew = (changedAt - firstAt) * SHARE_OF_GROWTH
  return changedAt + Math.min(Math.max(settleMs, grew), settleMs * MOST_TIMES)
}
