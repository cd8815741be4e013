import { messageOf } from '../../node/errors.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outbox } from './outbox.ts'
import type { Acceptance, Refusal, SendAttempt, Uncertainty } from './submission-state.ts'
import type { StoredSubmission } from './submission-rows.ts'

/** What is known of the job that came of a submission. */
export type AcceptedAs = Pick<Acceptance, 'jobId' | 'createdAt' | 'skipped' | 'adopted'>

/** What has come of one attempt, whether a service said it or a job list showed it. */
export type Answer =
  | { readonly kind: 'accepted'; readonly as: AcceptedAs }
  | { readonly kind: 'notCreated' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown'; readonly uncertainty: Uncertainty }

export type Answers = {
  /** Writes it down. Where that fails it throws, and `settle` tries again: no answer is asked for twice (rule 1). */
  take(id: RecordId, attempt: SendAttempt, answer: Answer): void
  /** Writes down what could not be written, and hands on accepted submissions that are still in the outbox. */
  settle(): void
  /** Resolves when what was handed on has left the outbox, or stays there for now. */
  allForgotten(): Promise<void>
  /** Those whose answer is known and not written down. */
  unwritten(): ReadonlySet<RecordId>
}

export type AnswersDeps = {
  readonly outbox: Pick<Outbox, 'accept' | 'accepted' | 'backToWaiting' | 'forget' | 'markUnknown' | 'refuse'>
  /** ms since 1970. */
  readonly clock: () => number
  /**
   * Written when it returns and on the disk when it resolves; where it throws or rejects, the submission stays in the outbox
   * and is handed on again later.
   */
  readonly onAccepted: (submission: StoredSubmission, acceptance: Acceptance) => Promise<void>
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export function createAnswers({ outbox, clock, onAccepted, log }: AnswersDeps): Answers {
  const unwritten = new Map<RecordId, () => void>()
  /** Those that the history has, if not on the disk yet. */
  const handedOn = new Map<RecordId, Promise<void>>()

  function write(id: RecordId, attempt: SendAttempt, answer: Answer, at: number): void {
    switch (answer.kind) {
      case 'accepted': {
        const { baseUrl, connection, remote = false } = attempt
        return outbox.accept(id, { ...answer.as, baseUrl, connection, acceptedAt: at, remote })
      }
      case 'notCreated':
        return outbox.backToWaiting(id)
      case 'refused':
        return outbox.refuse(id, answer.refusal)
      case 'unknown':
        return outbox.markUnknown(id, attempt, answer.uncertainty)
    }
  }

  /** An accepted submission leaves the outbox only when the history has it for good. */
  function handOn(): void {
    for (const submission of outbox.accepted()) {
      const { id, state } = submission
      if (state.kind !== 'accepted' || handedOn.has(id)) continue
      handedOn.set(id, forgetAfter(id, onAccepted(submission, state.acceptance)))
    }
  }

  async function forgetAfter(id: RecordId, durable: Promise<void>): Promise<void> {
    try {
      await durable
      outbox.forget(id)
    } catch (error) {
      log('accepted submission not forgotten', { id, error: messageOf(error) })
    } finally {
      handedOn.delete(id)
    }
  }

  function settle(): void {
    for (const [id, writeAgain] of unwritten) {
      writeAgain()
      unwritten.delete(id)
    }
    handOn()
  }

  return {
    take(id, attempt, answer) {
      const at = clock()
      unwritten.set(id, () => write(id, attempt, answer, at))
      if (answer.kind === 'accepted') {
        const { jobId, adopted } = answer.as
        log('submission accepted', { id, jobId, adopted })
      }
      settle()
    },
    settle,
    async allForgotten() {
      await Promise.all(handedOn.values())
    },
    unwritten: () => new Set(unwritten.keys()),
  }
}
