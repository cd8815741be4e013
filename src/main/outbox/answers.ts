import { messageOf } from '../../node/errors.ts'
import type { Failure } from '../../shared/failure/failure.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { SenderDeps } from './sending-service.ts'
import type { Acceptance, Refusal, SendAttempt, Uncertainty } from './submission-state.ts'

/** The outcome of one attempt, as reported by the service or found in its job list. */
export type Answer =
  | { readonly kind: 'accepted'; readonly as: Pick<Acceptance, 'jobId' | 'createdAt' | 'skipped'> }
  | { readonly kind: 'notCreated' }
  /** No job was created, and the reason may be temporary. */
  | { readonly kind: 'postponed'; readonly why: Failure }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown'; readonly uncertainty: Uncertainty }

export type AnswerOf<K extends Answer['kind']> = Extract<Answer, { kind: K }>

export type Answers = ReturnType<typeof createAnswers>

/** @param clock ms since 1970 */
export function createAnswers(
  { outbox, onAccepted, log }: Pick<SenderDeps, 'outbox' | 'onAccepted' | 'log'>,
  clock: () => number,
) {
  const unwritten = new Map<RecordId, () => void>()
  /** Submissions that were handed over to the history but may not be on disk there yet. */
  const handedOn = new Map<RecordId, Promise<void>>()

  function write(id: RecordId, attempt: SendAttempt, answer: Answer, at: number): void {
    switch (answer.kind) {
      case 'accepted': {
        const { baseUrl, connection, remote = false, presetHash } = attempt
        const used = presetHash === undefined ? {} : { presetHash }
        return outbox.accept(id, { ...answer.as, baseUrl, connection, acceptedAt: at, remote, ...used })
      }
      case 'notCreated':
        return outbox.backToWaiting(id)
      case 'postponed':
        return outbox.postpone(id, answer.why, at)
      case 'refused':
        return outbox.refuse(id, answer.refusal)
      case 'unknown':
        return outbox.markUnknown(id, attempt, answer.uncertainty)
    }
  }

  /** Hands accepted submissions over to the history. They leave the outbox only after the history has stored them durably. */
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
      log('could not remove accepted submission', { id, error: messageOf(error) })
    } finally {
      handedOn.delete(id)
    }
  }

  /** Retries failed writes, and hands accepted submissions over to the history if they are still in the outbox. */
  function settle(): void {
    for (const [id, writeAgain] of unwritten) {
      writeAgain()
      unwritten.delete(id)
    }
    handOn()
  }

  return {
    /**
     * Records an answer. If it can't be written, this throws and `settle` retries the write. The submission is never sent again
     * because of a failed write (rule 1).
     */
    take(id: RecordId, attempt: SendAttempt, answer: Answer): void {
      const at = clock()
      unwritten.set(id, () => write(id, attempt, answer, at))
      if (answer.kind === 'accepted') log('submission accepted', { id, jobId: answer.as.jobId })
      settle()
    },
    settle,
    /** Resolves when each submission that was handed over has been removed from the outbox or its removal has failed. */
    async allForgotten(): Promise<void> {
      await Promise.all(handedOn.values())
    },
  }
}
