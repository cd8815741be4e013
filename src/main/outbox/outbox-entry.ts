import type { OutboxEntry, SubmissionState, WaitingReason } from '../../shared/model/work.ts'
import { titleOf } from './planned-submission.ts'
import type { Sending } from './send-submission.ts'
import type { StoredSubmission } from './submission-table.ts'

export type Circumstances = {
  /** What keeps all of them from being sent; null when nothing does. */
  readonly because: WaitingReason | null
  readonly now: Sending
  /** ms since 1970. */
  readonly at: number
}

/** A submission as the tray, the window and the commands show it. */
export const outboxEntryOf = (submission: StoredSubmission, circumstances: Circumstances): OutboxEntry => ({
  ...titleOf(submission.id, submission.plan, submission.createdAt),
  state: stateOf(submission, circumstances),
})

function stateOf({ id, state }: StoredSubmission, { because, now, at }: Circumstances): SubmissionState {
  if (now.kind === 'preparing' && now.id === id && state.kind === 'waiting') {
    return { kind: 'sending', upload: now.upload }
  }
  switch (state.kind) {
    case 'waiting': {
      const graced = state.notBefore !== null && state.notBefore > at
      const own: WaitingReason | null = state.held ? 'paused' : graced ? 'undo' : null
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
