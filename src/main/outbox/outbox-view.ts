import { isDeepStrictEqual } from 'node:util'
import type { RecordId } from '../../shared/model/ids.ts'
import type { QuietWait } from '../../shared/model/quiet.ts'
import type { PartAt, SubmissionState, WaitingReason } from '../../shared/model/job.ts'
import type { Outbox } from './outbox.ts'
import type { Rechecks } from './recheck.ts'
import type { Sending } from './send-submission.ts'
import {
  addresseeOf,
  identityOf,
  quietWaitOf,
  type SenderDeps,
  type SendingService,
} from './sending-service.ts'
import { isFor } from './submission-rows.ts'
import type { ListSoFar } from './submission-list.ts'
import { postponedBecause, type DurableState } from './submission-state.ts'

type Listed = ListSoFar['submissions'][number]

/** Creates the view of the outbox for the tray, the window and the commands. Unchanged entries are the same objects as before. */
export function createOutboxView(
  deps: Pick<SenderDeps, 'service' | 'quiet'> & {
    readonly outbox: Pick<Outbox, 'listSoFar'>
    readonly sending: () => Sending
    /** Returns the reason for the current blocker; null if nothing blocks sending. */
    readonly blockingReason: () => WaitingReason | null
    readonly checks: Pick<Rechecks, 'until' | 'begun'>
    /** Milliseconds since 1970. */
    readonly clock: () => number
  },
) {
  const { outbox, service, sending, blockingReason, checks, clock } = deps
  let drawn: Drawn = NOTHING_DRAWN
  let drawnFor: Circumstances | undefined

  function draw(submission: Listed, at: number): PartAt<'outbox'> {
    const current = service()
    const because =
      current === undefined || isFor(addresseeOf(current), submission) ? blockingReason() : 'offline'
    return {
      ...submission.title,
      at: 'outbox',
      state: stateOf(submission, {
        now: sending(),
        at,
        because,
        quiet: quietWaitOf(deps, submission.id),
        until: checks.until,
      }),
    }
  }

  /** Forgets the entries if anything that affects all of them has changed. */
  function keepIfStillSo(): void {
    const current = service()
    const identity = current === undefined ? null : identityOf(current)
    const { quiet } = deps
    const held = quiet?.wait() ?? null
    const exempt = held === null ? [] : [...(quiet?.exempt ?? [])]
    const now: Circumstances = [identity, blockingReason(), checks.begun(), held, exempt]
    if (!isDeepStrictEqual(now, drawnFor)) drawn = NOTHING_DRAWN
    drawnFor = now
  }

  return {
    entries(): readonly PartAt<'outbox'>[] {
      keepIfStillSo()
      const at = clock()
      const { submissions, indexOf } = outbox.listSoFar()
      const isUndoOver = at >= drawn.undoEnds
      const start = isUndoOver ? 0 : equalAtStart(drawn.submissions, submissions)
      const rest = isUndoOver ? 0 : equalAtEnd(drawn.submissions, submissions, start)
      const endBefore = drawn.submissions.length - rest
      const before = new Map(
        drawn.submissions.slice(start, endBefore).map((one, n) => [one, drawn.entries[start + n]]),
      )
      let undoEnds = isUndoOver ? Infinity : drawn.undoEnds
      const middle = submissions.slice(start, submissions.length - rest).map((submission) => {
        const grace = graceOf(submission, at)
        undoEnds = Math.min(undoEnds, grace ?? Infinity)
        const known = grace === graceOf(submission, drawn.at) ? before.get(submission) : undefined
        return known ?? draw(submission, at)
      })
      const entries = drawn.entries.slice(0, start).concat(middle, drawn.entries.slice(endBefore))
      // The entry being sent shows the upload, which isn't in its row.
      const now = sending()
      const sent = now.kind === 'idle' ? undefined : now.id
      for (const id of new Set([drawn.sent, sent])) {
        const index = id === undefined ? undefined : indexOf(id)
        const submission = index === undefined ? undefined : submissions[index]
        if (index !== undefined && submission !== undefined) entries[index] = draw(submission, at)
      }
      drawn = { submissions, entries, at, undoEnds, sent }
      return entries
    },
    /**
     * Whether anything is in progress or would be if nothing blocked sending. If false, the remaining submissions wait for something else,
     * such as the user's decision or another service.
     */
    busy(): boolean {
      const current = service()
      if (sending().kind !== 'idle') return true
      const { submissions, isWhole } = outbox.listSoFar()
      // Submissions that haven't been read yet may also be sendable.
      if (!isWhole) return true
      return submissions.some((submission) => moves(submission, current))
    },
  }
}

/** Values that affect every entry. */
type Circumstances = readonly [
  service: string | null,
  because: WaitingReason | null,
  checks: number,
  quiet: QuietWait | null,
  exempt: readonly RecordId[],
]

/** The entries as last shown. Looking up each of ten thousand would take too long, so the lists are compared from both ends. */
type Drawn = {
  readonly submissions: ListSoFar['submissions']
  readonly entries: readonly PartAt<'outbox'>[]
  /** When the entries were drawn, in milliseconds since 1970. */
  readonly at: number
  /** The earliest end of an undo period in milliseconds since 1970. */
  readonly undoEnds: number
  readonly sent: RecordId | undefined
}

const NOTHING_DRAWN: Drawn = { submissions: [], entries: [], at: 0, undoEnds: Infinity, sent: undefined }

function equalAtStart<T>(one: readonly T[], other: readonly T[]): number {
  const most = Math.min(one.length, other.length)
  let count = 0
  while (count < most && one[count] === other[count]) count += 1
  return count
}

/** Counts equal elements from the end. @param start number of elements at the start that aren't counted */
function equalAtEnd<T>(one: readonly T[], other: readonly T[], start: number): number {
  const most = Math.min(one.length, other.length) - start
  let count = 0
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count += 1
  return count
}

/** Whether a submission proceeds as soon as nothing blocks sending. A postponed one waits for its time instead. */
function moves(submission: Listed, current: SendingService | undefined): boolean {
  const { state } = submission
  if (current !== undefined && !isFor(addresseeOf(current), submission)) return false
  if (state.kind === 'unknown') return !state.leftToUser
  return (
    state.kind === 'sending' ||
    (state.kind === 'waiting' && !state.isEdited && (state.unsaved === undefined || state.notBefore === null))
  )
}

/** Further data that determines an entry's state. */
type Moment = {
  readonly because: WaitingReason | null
  readonly quiet: QuietWait | null
  readonly now: Sending
  /** Milliseconds since 1970. */
  readonly at: number
  readonly until: Rechecks['until']
}

function stateOf(submission: Listed, { because, quiet, now, at, until }: Moment): SubmissionState {
  const { id, state } = submission
  if (now.kind === 'preparing' && now.id === id && state.kind === 'waiting') {
    return { kind: 'sending', upload: now.upload }
  }
  switch (state.kind) {
    case 'waiting': {
      const { unsaved } = state
      const graced = graceOf(submission, at) !== null
      const own = ownReason(state, graced)
      const isQuiet = own === null && quiet !== null
      return {
        kind: 'waiting',
        because: own ?? quiet?.reason ?? because ?? 'turn',
        notBefore: graced ? state.notBefore : null,
        ...(unsaved === undefined ? {} : { unsaved }),
        ...(isQuiet && quiet.until !== null ? { until: quiet.until } : {}),
      }
    }
    case 'sending':
    // Accepted submissions move to the history immediately and aren't listed.
    case 'accepted':
      return { kind: 'sending', upload: null }
    case 'unknown': {
      const checkedUntil = state.leftToUser ? null : until(id)
      return {
        kind: 'unknown',
        candidates: state.candidates,
        checking: !state.leftToUser,
        ...(checkedUntil === null ? {} : { until: checkedUntil }),
      }
    }
    case 'refused':
      break
  }
  return { kind: 'refused', ...state.refusal }
}

function ownReason({ isEdited, unsaved }: DurableState<'waiting'>, isGraced: boolean): WaitingReason | null {
  if (isEdited) return 'editing'
  if (unsaved !== undefined) return postponedBecause(unsaved)
  return isGraced ? 'undo' : null
}

/** Returns the end of the undo period in milliseconds since 1970; null if there is none or it has passed. */
const graceOf = ({ state }: Listed, at: number): number | null =>
  state.kind === 'waiting' && state.unsaved === undefined && state.notBefore !== null && state.notBefore > at
    ? state.notBefore
    : null
