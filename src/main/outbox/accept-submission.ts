import type { RecordId } from '../../shared/model/ids.ts'
import type { Outbox } from './outbox.ts'
import type { Acceptance, SendAttempt } from './submission-state.ts'
import type { StoredSubmission } from './submission-table.ts'

/** What is known of the job that came of a submission. */
export type AcceptedAs = Pick<Acceptance, 'jobId' | 'skipped' | 'adopted'>

export type Acceptances = {
  accept(id: RecordId, attempt: SendAttempt, as: AcceptedAs): void
  /** Hands on what the outbox still has of accepted submissions, such as after a crash. */
  handOn(): void
}

export type AcceptancesDeps = {
  readonly outbox: Pick<Outbox, 'accept' | 'accepted' | 'forget'>
  /** ms since 1970. */
  readonly clock: () => number
  /** Durable when it returns; where it throws, the submission stays in the outbox and is handed on again later. */
  readonly onAccepted: (submission: StoredSubmission, acceptance: Acceptance) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** An accepted submission leaves the outbox only when the history has it. */
export function createAcceptances({ outbox, clock, onAccepted, log }: AcceptancesDeps): Acceptances {
  function handOn(): void {
    for (const submission of outbox.accepted()) {
      if (submission.state.kind !== 'accepted') continue
      onAccepted(submission, submission.state.acceptance)
      outbox.forget(submission.id)
    }
  }

  return {
    accept(id, { baseUrl, connection, remote = false }, as) {
      outbox.accept(id, { ...as, baseUrl, connection, acceptedAt: clock(), remote })
      log('submission accepted', { id, jobId: as.jobId, adopted: as.adopted })
      handOn()
    },
    handOn,
  }
}
