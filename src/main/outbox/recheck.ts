import type { Timing } from '../../node/timing.ts'
import type { Pause } from '../../node/work-loop.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { Acceptances } from './accept-submission.ts'
import type { Outbox } from './outbox.ts'
import { reconcile } from './reconcile.ts'
import { identityOf, type SendingService } from './sending-service.ts'
import type { DurableStateOf } from './submission-state.ts'
import type { StoredSubmission } from './submission-table.ts'

/** What the user says of a submission that is unknown. */
export type Resolution =
  | { readonly kind: 'adopt'; readonly jobId: string }
  | { readonly kind: 'sendAgain' }
  | { readonly kind: 'remove' }

export type UnknownSubmission = StoredSubmission & { readonly state: DurableStateOf<'unknown'> }

export type RecheckResult =
  | { readonly kind: 'pause'; readonly pause: Pause }
  /** The list was read. */
  | { readonly kind: 'read'; readonly pause: Pause }
  | { readonly kind: 'trouble'; readonly error: ServiceError }

export type Rechecks = {
  /** The first that this service can tell about. */
  next(service: SendingService): UnknownSubmission | undefined
  run(submission: UnknownSubmission, service: SendingService): Promise<RecheckResult>
  /** The user's word. False where the submission is no longer unknown. */
  resolve(id: RecordId, resolution: Resolution): boolean
}

export type RecheckDeps = {
  readonly outbox: Outbox
  readonly acceptances: Acceptances
  readonly clock: Timing['clock']
  /** Ids of jobs of this service that are known to be other submissions of ours. */
  readonly ownJobIds: () => ReadonlySet<string>
  /** Whether it is still the one in use, after it was asked. */
  readonly isInUse: (service: SendingService) => boolean
  readonly stopping: AbortSignal
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** When the list is to be read for a submission: once, and again where it was absent from the first. */
type Recheck = { readonly turn: 'first' | 'second'; /** ms since 1970 */ readonly at: number }

/** A request that broke may still be worked on in the service: a list is believed only after it has been quiet. */
const FIRST_AFTER_MS = 2_000
const SECOND_AFTER_MS = 5_000
/** A service that took too long to answer may take as long again to act. */
const SECOND_AFTER_TIMEOUT_MS = 30_000

/** Sent this often without a trace: something about it is wrong, and it must not keep the others waiting. */
const MAX_ATTEMPTS = 3

/** Finds out from the job list what came of submissions whose answer was lost (rule 1; section 7). */
export function createRechecks({ outbox, acceptances, clock, log, ...deps }: RecheckDeps): Rechecks {
  const rechecks = new Map<RecordId, Recheck>()

  async function run(submission: UnknownSubmission, service: SendingService): Promise<RecheckResult> {
    const { id, state } = submission
    const recheck: Recheck = rechecks.get(id) ?? { turn: 'first', at: clock() + FIRST_AFTER_MS }
    rechecks.set(id, recheck)
    if (recheck.at > clock()) return { kind: 'pause', pause: recheck.at - clock() }

    const listed = await service.api.jobs({ signal: deps.stopping })
    if (!listed.ok) return { kind: 'trouble', error: listed.error }
    if (!deps.isInUse(service) || outbox.get(id)?.state.kind !== 'unknown') return { kind: 'pause', pause: 0 }
    const { jobs } = listed.value
    const finding = reconcile(submission.plan, state.attempt, jobs, deps.ownJobIds())
    if (finding.kind === 'found') {
      const job = jobs.find(({ jobId }) => jobId === finding.jobId)
      log('submission found in the job list', { id, status: job?.status })
      adopt(submission, finding.jobId)
      return { kind: 'read', pause: 0 }
    }
    if (recheck.turn === 'first') {
      const timedOut = state.uncertainty.cause === 'timeout'
      const delay = timedOut ? SECOND_AFTER_TIMEOUT_MS : SECOND_AFTER_MS
      rechecks.set(id, { turn: 'second', at: clock() + delay })
      return { kind: 'read', pause: delay }
    }
    rechecks.delete(id)
    if (finding.kind === 'unclear') outbox.leaveToUser(id, finding.candidates)
    else resendOrGiveUp(submission)
    return { kind: 'read', pause: 0 }
  }

  function adopt({ id, state }: UnknownSubmission, jobId: string): void {
    rechecks.delete(id)
    acceptances.accept(id, state.attempt, { jobId, skipped: [], adopted: true })
  }

  /** Two job lists in a row prove that the service created no job for this submission, so rule 1 lets us send it again. */
  function resendOrGiveUp({ id, attempts, state: { uncertainty } }: UnknownSubmission): void {
    if (attempts < MAX_ATTEMPTS) {
      outbox.backToWaiting(id)
    } else if (uncertainty.cause === 'serverError') {
      outbox.refuse(id, { why: 'invalid', message: uncertainty.message, skipped: [] })
    } else {
      outbox.leaveToUser(id, [])
    }
  }

  return {
    next: (service) =>
      outbox
        .unresolved()
        .filter(isUnknown)
        .find(({ state }) => !state.leftToUser && state.attempt.service === identityOf(service)),
    run,
    resolve(id, resolution) {
      const submission = outbox.get(id)
      if (submission === undefined || !isUnknown(submission)) return false
      rechecks.delete(id)
      switch (resolution.kind) {
        case 'adopt':
          adopt(submission, resolution.jobId)
          break
        case 'sendAgain':
          outbox.backToWaiting(id)
          break
        case 'remove':
          outbox.remove(id)
          break
      }
      return true
    },
  }
}

const isUnknown = (submission: StoredSubmission): submission is UnknownSubmission =>
  submission.state.kind === 'unknown'
