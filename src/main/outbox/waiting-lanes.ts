import { createSortedList, type SortedList } from './sorted-list.ts'
import { byPosition, type Addressee, type ListedSubmission } from './submission-rows.ts'

/**
 * Waiting submissions that nobody edits, by the service that they are meant for: what may be sent next is found without
 * looking at those that may not.
 */
export type WaitingLanes = {
  /** Those that don't wait are passed over. */
  add(submission: ListedSubmission): void
  delete(submission: ListedSubmission): void
  /** The first in the line that may be sent at `now`. Once its time has come, it has come, whatever the clock says later. */
  due(now: number, to: Addressee | undefined): ListedSubmission | undefined
  /** When the next one may be sent that waits only for its time, in ms since 1970. */
  nextTime(to: Addressee | undefined): number | undefined
}

type Lane = {
  /** In the order of sending. */
  readonly ready: SortedList<ListedSubmission>
  /** The one whose time comes next first. */
  readonly timed: SortedList<ListedSubmission>
}

/** Those that are meant for whichever service is connected. */
const ANYBODY = Symbol('anybody')

export function createWaitingLanes(): WaitingLanes {
  const lanes = new Map<string | typeof ANYBODY, Lane>()

  function laneOf({ target }: ListedSubmission): Lane {
    const name = target ?? ANYBODY
    const known = lanes.get(name)
    if (known !== undefined) return known
    const lane = { ready: createSortedList<ListedSubmission>(byPosition), timed: createSortedList(byTime) }
    lanes.set(name, lane)
    return lane
  }

  function lanesFor(to: Addressee | undefined): readonly Lane[] {
    if (to === undefined) return [...lanes.values()]
    return [lanes.get(to.service), to.unaddressed ? lanes.get(ANYBODY) : undefined].filter(
      (lane) => lane !== undefined,
    )
  }

  return {
    add(submission) {
      if (!isFree(submission)) return
      const { ready, timed } = laneOf(submission)
      if (notBeforeOf(submission) === null) ready.add(submission)
      else timed.add(submission)
    },
    delete(submission) {
      if (!isFree(submission)) return
      const { ready, timed } = laneOf(submission)
      ready.delete(submission)
      timed.delete(submission)
    },
    due(now, to) {
      const heads = lanesFor(to).flatMap((lane) => {
        moveDue(lane, now)
        return lane.ready.first() ?? []
      })
      return firstOf(heads, byPosition)
    },
    nextTime(to) {
      const heads = lanesFor(to).flatMap(({ timed }) => timed.first() ?? [])
      const next = firstOf(heads, byTime)
      return next === undefined ? undefined : (notBeforeOf(next) ?? undefined)
    },
  }
}

function moveDue({ ready, timed }: Lane, now: number): void {
  for (let next = timed.first(); next !== undefined && timeOf(next) <= now; next = timed.first()) {
    timed.delete(next)
    ready.add(next)
  }
}

const isFree = ({ state }: ListedSubmission): boolean => state.kind === 'waiting' && state.heldBy === null

const notBeforeOf = ({ state }: ListedSubmission): number | null =>
  state.kind === 'waiting' ? state.notBefore : null

const timeOf = (submission: ListedSubmission): number => notBeforeOf(submission) ?? 0

const byTime = (one: ListedSubmission, other: ListedSubmission): number =>
  timeOf(one) - timeOf(other) || byPosition(one, other)

const firstOf = (heads: readonly ListedSubmission[], compare: typeof byTime): ListedSubmission | undefined =>
  heads.toSorted(compare)[0]
