import type { OutboxEntry, SubmissionState, WaitingReason } from '../../shared/model/work.ts'
import type { Outbox } from './outbox.ts'
import type { Sending } from './send-submission.ts'
import { identityOf, isFor, type SendingService } from './sending-service.ts'
import type { ListedSubmission } from './submission-rows.ts'

export type OutboxView = {
  entries(): readonly OutboxEntry[]
  /** Whether anything is under way, or would be if nothing blocked it. False: only the user can move what is left. */
  busy(): boolean
}

export type OutboxViewDeps = {
  readonly outbox: Pick<Outbox, 'get' | 'isListWhole' | 'listSoFar'>
  readonly service: () => SendingService | undefined
  readonly sending: () => Sending
  /** What keeps all of them from being sent; null when nothing does. */
  readonly hindrance: () => WaitingReason | null
  /** ms since 1970. */
  readonly clock: () => number
}

/**
 * The outbox as the tray, the window and the commands show it. Of a long line only what is new is drawn; what stands before
 * and after it is the last drawing's.
 */
export function createOutboxView({ outbox, service, sending, hindrance, clock }: OutboxViewDeps): OutboxView {
  let drawn: Drawn | undefined

  /** What is the same for all of them; another drawing is begun when it changes. */
  function circumstances(): Circumstances {
    const current = service()
    return { current, identity: current === undefined ? null : identityOf(current), because: hindrance() }
  }

  function draw(submission: ListedSubmission, { current, because }: Circumstances, at: number): OutboxEntry {
    const hindered = current === undefined || isFor(current, submission) ? because : 'offline'
    return {
      ...submission.title,
      state: stateOf(submission, { now: sending(), at, because: hindered }),
    }
  }

  return {
    entries() {
      const now = circumstances()
      const at = clock()
      const list = outbox.listSoFar()
      const before = drawn !== undefined && isStillSo(drawn, now, at) ? drawn : NOTHING_DRAWN
      const { start, endBefore, endNow } = sameAtTheEnds(before.list, list)
      const changed = list.slice(start, endNow)
      const known = new Map(
        before.list.slice(start, endBefore).map((one, n) => [one, before.entries[start + n]]),
      )
      const entries = [
        ...before.entries.slice(0, start),
        ...changed.map((submission) => known.get(submission) ?? draw(submission, now, at)),
        ...before.entries.slice(endBefore),
      ]
      const sent = sentOf(sending(), outbox)
      for (const submission of new Set([before.sent, sent])) {
        const index = submission === undefined ? -1 : list.indexOf(submission)
        if (submission !== undefined && index !== -1) entries[index] = draw(submission, now, at)
      }
      const until = changed.reduce((first, one) => Math.min(first, graceOf(one, at) ?? first), before.until)
      drawn = { ...now, list, entries, sent, until }
      return entries
    },
    busy() {
      const current = service()
      if (sending().kind !== 'idle') return true
      // What has not been read yet may move, too.
      return !outbox.isListWhole() || outbox.listSoFar().some((submission) => moves(submission, current))
    },
  }
}

type Circumstances = {
  readonly current: SendingService | undefined
  readonly identity: string | null
  readonly because: WaitingReason | null
}

/** The last drawing, most of which is the next one too. */
type Drawn = Pick<Circumstances, 'identity' | 'because'> & {
  readonly list: readonly ListedSubmission[]
  readonly entries: readonly OutboxEntry[]
  /** The one that was being sent looks different when it no longer is. */
  readonly sent: ListedSubmission | undefined
  /** ms since 1970: then the first of them can no longer be undone. */
  readonly until: number
}

const NOTHING_DRAWN: Drawn = {
  identity: null,
  because: null,
  list: [],
  entries: [],
  sent: undefined,
  until: Number.POSITIVE_INFINITY,
}

const isStillSo = (drawn: Drawn, { identity, because }: Circumstances, at: number): boolean =>
  drawn.identity === identity && drawn.because === because && at < drawn.until

const sentOf = (now: Sending, outbox: Pick<Outbox, 'get'>): ListedSubmission | undefined =>
  now.kind === 'idle' ? undefined : outbox.get(now.id)

/** How much of two lists is the same at the start and at the end; what is compared is whether it is the same object. */
function sameAtTheEnds(before: readonly ListedSubmission[], now: readonly ListedSubmission[]) {
  const shorter = Math.min(before.length, now.length)
  let start = 0
  while (start < shorter && before[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end += 1
  return { start, endBefore: before.length - end, endNow: now.length - end }
}

/** Whether it moves by itself, once nothing blocks it. */
function moves(submission: ListedSubmission, current: SendingService | undefined): boolean {
  const { state } = submission
  if (current !== undefined && !isFor(current, submission)) return false
  if (state.kind === 'unknown') return !state.leftToUser
  return state.kind === 'sending' || (state.kind === 'waiting' && state.heldBy === null)
}

/** What else a state is made of. */
type Moment = {
  readonly because: WaitingReason | null
  readonly now: Sending
  /** ms since 1970. */
  readonly at: number
}

function stateOf(submission: ListedSubmission, { because, now, at }: Moment): SubmissionState {
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
const graceOf = ({ state }: ListedSubmission, at: number): number | null =>
  state.kind === 'waiting' && state.notBefore !== null && state.notBefore > at ? state.notBefore : null
