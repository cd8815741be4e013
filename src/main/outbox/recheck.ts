import type { Timing } from '../../node/timing.ts'
import type { Pause } from '../../node/work-loop.ts'
import type { ServiceJob, ReadJobList } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { Answers } from './answers.ts'
import type { Outbox } from './outbox.ts'
import { mayBeJobOf, reconcile, type Circumstances, type Finding } from './reconcile.ts'
import { answerOf } from './send-submission.ts'
import { identityOf, type SenderDeps, type SendingService } from './sending-service.ts'
import type { DurableState, KnownJob, Uncertainty } from './submission-state.ts'
import type { Submission } from './submission-rows.ts'

/** The user's decision about an unknown submission. */
export type Resolution =
  | { readonly kind: 'adopt'; readonly jobId: string }
  | { readonly kind: 'sendAgain' }
  | { readonly kind: 'remove' }

type Unknown = Submission & { readonly state: DurableState<'unknown'> }

export type RecheckResult =
  | { readonly kind: 'pause'; readonly pause: Pause }
  /** The job list was read. */
  | { readonly kind: 'read'; readonly pause: Pause }
  | { readonly kind: 'trouble'; readonly error: ServiceError }

export type Rechecks = ReturnType<typeof createRechecks>

/** Evidence collected since an attempt; times are monotonic, in ms. */
type Recheck = {
  readonly since: number
  readonly nextAt: number
  /** Number of job lists that didn't contain the job. */
  readonly absences: number
  readonly witness: 'watched' | 'blind'
}

/**
 * Delays in ms. The service may still be processing an interrupted request, so a job list is conclusive only after a quiet period.
 */
const FIRST_AFTER_MS = 2_000
const QUIET_MS = 5_000
/**
 * Time in ms for which a service is observed after it timed out or its response was never read. The service may still create the job during
 * this time, so the job's absence isn't conclusive before then.
 */
const SLOW_MS = 5 * 60_000
const SLOWEST_RECHECK_MS = 30_000

/**
 * Maximum number of attempts if none has created a job. After that, something is wrong with the submission, and it must not block other
 * submissions.
 */
const MAX_ATTEMPTS = 3

/** Uses the job list to determine what happened to submissions whose response was lost (rule 1; section 7). */
export function createRechecks(
  deps: Pick<SenderDeps, 'outbox' | 'isOwnJob' | 'onChange' | 'log'> & {
    readonly answers: Answers
    readonly timing: Pick<Timing, 'clock' | 'monotonic'>
    /** Whether the service is still the current one. Called after the request. */
    readonly isInUse: (service: SendingService) => boolean
    /** Aborted when the sender abandons the current request. */
    readonly stopping: AbortSignal
  },
) {
  const { outbox, answers, log } = deps
  const { clock, monotonic } = deps.timing
  const rechecks = new Map<RecordId, Recheck>()
  let begun = 0

  function begin(id: RecordId, witness: Recheck['witness']): Recheck {
    const now = monotonic()
    begun += 1
    const recheck: Recheck = { since: now, nextAt: now + FIRST_AFTER_MS, absences: 0, witness }
    rechecks.set(id, recheck)
    deps.onChange()
    return recheck
  }

  async function run(submission: Unknown, service: SendingService): Promise<RecheckResult> {
    const { id, state } = submission
    const recheck = rechecks.get(id) ?? begin(id, 'blind')
    const early = recheck.nextAt - monotonic()
    if (early > 0) return { kind: 'pause', pause: early }

    const listed = await service.api.jobs({ signal: deps.stopping })
    if (!listed.ok) return { kind: 'trouble', error: listed.error }
    if (!deps.isInUse(service) || outbox.get(id)?.state.kind !== 'unknown') return { kind: 'pause', pause: 0 }
    const { witness } = rechecks.get(id) ?? recheck
    const finding = findingIn(submission, listed.value, deps, { now: clock(), witness })
    if (finding.kind === 'found') {
      log('submission found in the job list', { id, status: finding.job.status })
      adopt(submission, finding.job)
      return { kind: 'read', pause: 0 }
    }
    const pause = untilNext(recheck, state.uncertainty, monotonic())
    if (pause !== null) {
      rechecks.set(id, { ...recheck, witness, nextAt: monotonic() + pause, absences: recheck.absences + 1 })
      return { kind: 'read', pause }
    }
    rechecks.delete(id)
    if (finding.kind === 'unclear') outbox.leaveToUser(id, finding.candidates)
    else resendOrAsk(submission)
    return { kind: 'read', pause: 0 }
  }

  function adopt({ id, state }: Unknown, { jobId, createdAt }: KnownJob): void {
    rechecks.delete(id)
    const created = createdAt === '' ? {} : { createdAt }
    const skipped = state.attempt.unsent ?? []
    answers.take(id, state.attempt, { kind: 'accepted', as: { jobId, ...created, skipped } })
  }

  /**
   * Resends a submission if the job lists prove that the service didn't create a job (rule 1), up to `MAX_ATTEMPTS` attempts in all. After
   * the last one, the submission is refused or postponed, or the user decides. After a timeout, the job lists prove nothing, because the
   * service may still be busy with the request. The user must then decide.
   */
  function resendOrAsk({ id, attempts, plan, state }: Unknown): void {
    const { uncertainty } = state
    const { cause, message, failure } = uncertainty
    // The user of a watched folder may be away, so its files wait and are tried again later. Repeated crashes are the exception: the files
    // may have caused them, so the user decides.
    const isAnswered = cause === 'serverError' || (plan.watched !== undefined && cause !== 'crash')
    if (cause === 'timeout') outbox.leaveToUser(id, [])
    else if (attempts < MAX_ATTEMPTS) outbox.backToWaiting(id)
    else if (isAnswered)
      answers.take(id, state.attempt, answerOf(plan, { why: 'service', message, failure, skipped: [] }))
    else outbox.leaveToUser(id, [])
  }

  return {
    /** Starts a recheck of a submission that has just become unknown. This process must have been connected all along. */
    watch: (id: RecordId): void => void begin(id, 'watched'),
    /** Records that the service was unreachable and may have restarted without its jobs. */
    serviceAway(): void {
      for (const [id, recheck] of rechecks) rechecks.set(id, { ...recheck, witness: 'blind' })
    },
    /** Returns the latest time at which the job list becomes conclusive, in ms since 1970; null if no check has started. */
    until(id: RecordId): number | null {
      const recheck = rechecks.get(id)
      const state = outbox.get(id)?.state
      if (recheck === undefined || state?.kind !== 'unknown') return null
      const longest = isSlow(state.uncertainty.cause)
        ? SLOW_MS + SLOWEST_RECHECK_MS
        : FIRST_AFTER_MS + QUIET_MS
      return clock() + Math.max(0, recheck.since + longest - monotonic())
    },
    /** Returns the number of checks started so far. A view compares it to know when the end times must be updated. */
    begun: () => begun,
    /** Returns the first unknown submission that this service can resolve. */
    next: (service: SendingService): Unknown | undefined =>
      unknownIn(outbox).find(
        ({ state }) => !state.leftToUser && state.attempt.service === identityOf(service),
      ),
    run,
    /** Applies the user's decision. Returns false if the submission is no longer unknown. */
    resolve(id: RecordId, resolution: Resolution): boolean {
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
          outbox.remove(id, 'part')
          break
      }
      return true
    },
  }
}

/** Returns the delay in ms until the next check; null if the job list is conclusive now. @param now monotonic, in ms */
function untilNext({ since, absences }: Recheck, { cause }: Uncertainty, now: number): number | null {
  if (!isSlow(cause)) return absences === 0 ? QUIET_MS : null
  if (absences > 0 && now - since >= SLOW_MS) return null
  return Math.min(SLOWEST_RECHECK_MS, QUIET_MS * 2 ** absences)
}

function findingIn(
  submission: Unknown,
  listed: ReadJobList,
  { outbox, isOwnJob }: Pick<SenderDeps, 'outbox' | 'isOwnJob'>,
  circumstances: Circumstances,
): Finding {
  const isOther = (job: ServiceJob) =>
    isOwnJob(job) || (isContested(outbox, job, submission) ? 'perhaps' : false)
  return reconcile(submission.plan, submission.state.attempt, listed, isOther, circumstances)
}

/** Whether a job may equally belong to another unknown submission, such as a part of the same job with the same file names. */
const isContested = (outbox: Outbox, job: ServiceJob, { id, state: { attempt } }: Unknown): boolean =>
  unknownIn(outbox).some(
    (other) =>
      other.id !== id &&
      other.state.attempt.service === attempt.service &&
      mayBeJobOf(job, other.plan, other.state.attempt),
  )

const unknownIn = (outbox: Outbox): readonly Unknown[] => outbox.unresolved().filter(isUnknown)

const isSlow = (cause: Uncertainty['cause']): boolean => cause === 'timeout' || cause === 'crash'

const isUnknown = (submission: Submission): submission is Unknown => submission.state.kind === 'unknown'

const candidateOf = ({ state }: Unknown, jobId: string): KnownJob =>
  state.candidates.find((candidate) => candidate.jobId === jobId) ?? { jobId, createdAt: '' }
