import type { OutboxEntry, SubmissionState, WaitingReason } from '../../shared/model/work.ts'
import { titleOf } from './planned-submission.ts'
import type { Outbox } from './outbox.ts'
import type { Sending } from './send-submission.ts'
import { identityOf, isFor, type SendingService } from './sending-service.ts'
import type { StoredSubmission } from './submission-table.ts'

export type OutboxView = {
  entries(): readonly OutboxEntry[]
  /** Whether anything is under way, or would be if nothing blocked it. False: only the user can move what is left. */
  busy(): boolean
}

export type OutboxViewDeps = {
  readonly outbox: Pick<Outbox, 'list'>
  readonly service: () => SendingService | undefined
  readonly sending: () => Sending
  /** What keeps all of them from being sent; null when nothing does. */
  readonly hindrance: () => WaitingReason | null
  /** ms since 1970. */
  readonly clock: () => number
}

/** The outbox as the tray, the window and the commands show it. */
export function createOutboxView({ outbox, service, sending, hindrance, clock }: OutboxViewDeps): OutboxView {
  let drawn: Drawn | undefined

  return {
    entries() {
      const hindered = hindrance()
      const now = sending()
      const at = clock()
      const current = service()
      const identity = current === undefined ? null : identityOf(current)
      const list = outbox.list()
      const before =
        drawn?.hindered === hindered && drawn.identity === identity && at < drawn.until ? drawn : undefined
      const reused = before === undefined ? () => undefined : entriesInOrder(before)
      let until = before?.until ?? Number.POSITIVE_INFINITY
      const entries = list.map((submission) => {
        const known = reused(submission)
        if (known !== undefined && !isNow(now, submission)) return known
        until = Math.min(until, graceOf(submission, at) ?? until)
        const because = current === undefined || isFor(current, submission) ? hindered : 'offline'
        return {
          ...titleOf(submission.id, submission.plan, submission.createdAt),
          state: stateOf(submission, { now, at, because }),
        }
      })
      drawn = { hindered, identity, list, entries, sentId: idOf(now), until }
      return entries
    },
    busy() {
      const current = service()
      return sending().kind !== 'idle' || outbox.list().some((submission) => moves(submission, current))
    },
  }
}

/** Whether it moves by itself, once nothing blocks it. */
function moves(submission: StoredSubmission, current: SendingService | undefined): boolean {
  const { state } = submission
  if (current !== undefined && !isFor(current, submission)) return false
  if (state.kind === 'unknown') return !state.leftToUser
  return state.kind === 'sending' || (state.kind === 'waiting' && state.heldBy === null)
}

/** The last drawing, most of which is the next one too. */
type Drawn = {
  readonly hindered: WaitingReason | null
  readonly identity: string | null
  readonly list: readonly StoredSubmission[]
  readonly entries: readonly OutboxEntry[]
  /** The one that was being sent looks different when it no longer is. */
  readonly sentId: string | null
  /** ms since 1970: then the first of them can no longer be undone. */
  readonly until: number
}

const idOf = (now: Sending): string | null => (now.kind === 'idle' ? null : now.id)
const isNow = (now: Sending, { id }: StoredSubmission): boolean => idOf(now) === id

/** Gives the entry that was drawn of a submission, when asked for in the order of the line. */
function entriesInOrder({
  list,
  entries,
  sentId,
}: Drawn): (submission: StoredSubmission) => OutboxEntry | undefined {
  let next = 0
  return (submission) => {
    // One that has gone is passed over; one that is new, or has changed, is not found.
    const index = list[next] === submission ? next : list[next + 1] === submission ? next + 1 : -1
    if (index === -1) {
      if (list[next]?.id === submission.id) next += 1
      return undefined
    }
    next = index + 1
    return submission.id === sentId ? undefined : entries[index]
  }
}

type Circumstances = {
  readonly because: WaitingReason | null
  readonly now: Sending
  /** ms since 1970. */
  readonly at: number
}

function stateOf(submission: StoredSubmission, { because, now, at }: Circumstances): SubmissionState {
  const { id, state } = submission
  if (now.kind === 'preparing' && now.id === id && state.kind === 'waiting') {
    return { kind: 'sending', upload: now.upload }
  }
  switch (state.kind) {
    case 'waiting': {
      const graced = graceOf(submission, at) !== null
      const own: WaitingReason | null = state.heldBy !== null ? 'paused' : graced ? 'undo' : null
      return {
        kind: 'waiting',
        because: own ?? because ?? 'turn',
        notBefore: graced ? state.notBefore : null,
      }
    }
    case 'sending':
    // An accepted one is in the history a moment later, and is not listed.
    case 'accepted':
      return { kind: 'sending', upload: null }
    case 'unknown':
      return { kind: 'unknown', candidates: state.candidates, checking: !state.leftToUser }
    case 'refused':
      break
  }
  return { kind: 'refused', ...state.refusal }
}

/** Until when it can still be undone, in ms since 1970; null where that is over. */
const graceOf = ({ state }: StoredSubmission, at: number): number | null =>
  state.kind === 'waiting' && state.notBefore !== null && state.notBefore > at ? state.notBefore : null
