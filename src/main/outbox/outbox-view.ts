import type { OutboxEntry, SubmissionState, WaitingReason } from '../../shared/model/work.ts'
import { titleOf } from './planned-submission.ts'
import type { Outbox } from './outbox.ts'
import type { Sending } from './send-submission.ts'
import { isFor, type SendingService } from './sending-service.ts'
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
  function isForService(submission: StoredSubmission): boolean {
    const current = service()
    return current === undefined || isFor(current, submission)
  }

  /** Whether it moves by itself, once nothing blocks it. */
  function moves(submission: StoredSubmission): boolean {
    const { state } = submission
    if (!isForService(submission)) return false
    if (state.kind === 'unknown') return !state.leftToUser
    return state.kind === 'sending' || (state.kind === 'waiting' && state.heldBy === null)
  }

  return {
    entries() {
      const all = hindrance()
      const common = { now: sending(), at: clock() }
      return outbox.list().map((submission) => {
        const because = isForService(submission) ? all : 'offline'
        return {
          ...titleOf(submission.id, submission.plan, submission.createdAt),
          state: stateOf(submission, { ...common, because }),
        }
      })
    },
    busy: () => sending().kind !== 'idle' || outbox.list().some(moves),
  }
}

type Circumstances = {
  readonly because: WaitingReason | null
  readonly now: Sending
  /** ms since 1970. */
  readonly at: number
}

function stateOf({ id, state }: StoredSubmission, { because, now, at }: Circumstances): SubmissionState {
  if (now.kind === 'preparing' && now.id === id && state.kind === 'waiting') {
    return { kind: 'sending', upload: now.upload }
  }
  switch (state.kind) {
    case 'waiting': {
      const graced = state.notBefore !== null && state.notBefore > at
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
      return { kind: 'unknown', lookAlikes: state.candidates, checking: !state.leftToUser }
    case 'refused':
      break
  }
  return { kind: 'refused', ...state.refusal }
}
