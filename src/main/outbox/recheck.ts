import type { Timing } from '../../node/timing.ts'
import type { Pause } from '../../node/work-loop.ts'
import type { Job } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { Answers } from './answers.ts'
import type { Outbox } from './outbox.ts'
import { reconcile } from './reconcile.ts'
import { identityOf, type SendingService } from './sending-service.ts'
import type { DurableStateOf, KnownJob, Uncertainty } from './submission-state.ts'
import type { ListedSubmission, StoredSubmission } from './submission-rows.ts'

/** What the user says of a submission that is unknown. */
export type Resolution =
  | { readonly kind: 'adopt'; readonly jobId: string }
  | { readonly kind: 'sendAgain' }
  | { readonly kind: 'remove' }

export type UnknownSubmission<S extends ListedSubmission = StoredSubmission> = S & {
  readonly state: DurableStateOf<'unknown'>
}

export type RecheckResult =
  | { readonly kind: 'pause'; readonly pause: Pause }
  /** The list was read. */
  | { readonly kind: 'read'; readonly pause: Pause }
  | { readonly kind: 'trouble'; readonly error: ServiceError }

export type Rechecks = {
  /** It has just become unknown, and this process has lived through the time before. */
  watch(id: RecordId): void
  /** The service could not be reached: it may come back without its memory. */
  serviceAway(): void
  /** The first that this service can tell about. */
  next(service: SendingService): UnknownSubmission | undefined
  run(submission: UnknownSubmission, service: SendingService): Promise<RecheckResult>
  /** The user's word. False where the submission is no longer unknown. */
  resolve(id: RecordId, resolution: Resolution): boolean
}

export type RecheckDeps = {
  readonly outbox: Outbox
  readonly answers: Answers
  readonly timing: Pick<Timing, 'clock' | 'monotonic'>
  /** Whether a job of this service is known to be another submission of ours. */
  readonly isOwnJob: (job: Job) => boolean
  /** Whether it is still the one in use, after it was asked. */
  readonly isInUse: (service: SendingService) => boolean
  readonly stopping: AbortSignal
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** What is known of the time since an attempt; times are monotonic, in ms. */
type Recheck = {
  readonly since: number
  readonly nextAt: number
  /** How often a list has been without it. */
  readonly absences: number
  readonly witness: 'watched' | 'blind'
}

/** A request that broke may still be worked on in the service: a list is believed only after it has been quiet. */
const FIRST_AFTER_MS = 2_000
const QUIET_MS = 5_000
/**
 * A service that took too long to answer, or whose answer nobody waited for, may take as long again to act: it is watched
 * for so long before its silence is believed.
 */
const SLOW_MS = 5 * 60_000
const SLOWEST_RECHECK_MS = 30_000

/** Sent this often without a trace: something about it is wrong, and it must not keep the others waiting. */
const MAX_ATTEMPTS = 3

/** Finds out from the job list what came of submissions whose answer was lost (rule 1; section 7). */
export function createRechecks({ outbox, answers, log, ...deps }: RecheckDeps): Rechecks {
  const { clock, monotonic } = deps.timing
  const rechecks = new Map<RecordId, Recheck>()

  function begin(id: RecordId, witness: Recheck['witness']): Recheck {
    const now = monotonic()
    const recheck: Recheck = { since: now, nextAt: now + FIRST_AFTER_MS, absences: 0, witness }
    rechecks.set(id, recheck)
    return recheck
  }

  async function run(submission: UnknownSubmission, service: SendingService): Promise<RecheckResult> {
    const { id, plan, state } = submission
    const recheck = rechecks.get(id) ?? begin(id, 'blind')
    const early = recheck.nextAt - monotonic()
    if (early > 0) return { kind: 'pause', pause: early }

    const listed = await service.api.jobs({ signal: deps.stopping })
    if (!listed.ok) return { kind: 'trouble', error: listed.error }
    if (!deps.isInUse(service) || outbox.get(id)?.state.kind !== 'unknown') return { kind: 'pause', pause: 0 }
    const { witness } = rechecks.get(id) ?? recheck
    const finding = reconcile(plan, state.attempt, listed.value, deps.isOwnJob, { now: clock(), witness })
    if (finding.kind === 'found') {
      log('submission found in the job list', { id, status: finding.job.status })
      adopt(submission, finding.job)
      return { kind: 'read', pause: 0 }
    }
    const pause = untilNext(recheck, state.uncertainty)
    if (pause !== null) {
      rechecks.set(id, { ...recheck, witness, nextAt: monotonic() + pause, absences: recheck.absences + 1 })
      return { kind: 'read', pause }
    }
    rechecks.delete(id)
    if (finding.kind === 'unclear') outbox.leaveToUser(id, finding.candidates)
    else resendOrAsk(submission)
    return { kind: 'read', pause: 0 }
  }

  /** How long until the list is read once more; null where what it says now is believed. */
  function untilNext({ since, absences }: Recheck, { cause }: Uncertainty): number | null {
    if (cause !== 'timeout' && cause !== 'crash') return absences === 0 ? QUIET_MS : null
    if (absences > 0 && monotonic() - since >= SLOW_MS) return null
    return Math.min(SLOWEST_RECHECK_MS, QUIET_MS * 2 ** absences)
  }

  function adopt({ id, state }: UnknownSubmission<ListedSubmission>, { jobId, createdAt }: KnownJob): void {
    rechecks.delete(id)
    answers.take(id, state.attempt, {
      kind: 'accepted',
      as: { jobId, ...(createdAt === '' ? {} : { createdAt }), skipped: [], adopted: true },
    })
  }

  /**
   * The job lists prove that the service has created no job for this submission, so rule 1 lets us send it again. After a
   * timeout nothing proves it: the service may be busy with it still.
   */
  function resendOrAsk({ id, attempts, state: { uncertainty } }: UnknownSubmission): void {
    if (uncertainty.cause === 'timeout') outbox.leaveToUser(id, [])
    else if (attempts < MAX_ATTEMPTS) outbox.backToWaiting(id)
    else if (uncertainty.cause === 'serverError') {
      outbox.refuse(id, { why: 'invalid', message: uncertainty.message, skipped: [] })
    } else outbox.leaveToUser(id, [])
  }

  return {
    watch: (id) => void begin(id, 'watched'),
    serviceAway() {
      for (const [id, recheck] of rechecks) rechecks.set(id, { ...recheck, witness: 'blind' })
    },
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
          adopt(submission, candidateOf(submission, resolution.jobId))
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

const isUnknown = <S extends ListedSubmission>(submission: S): submission is UnknownSubmission<S> =>
  submission.state.kind === 'unknown'

const candidateOf = ({ state }: UnknownSubmission<ListedSubmission>, jobId: string): KnownJob =>
  state.candidates.find((candidate) => candidate.jobId === jobId) ?? { jobId, createdAt: '' }
