import { MAX_LISTED_JOBS, RETENTION_MS } from '../../shared/api/limits.ts'
import type { ServiceJob, ReadJobList } from '../../shared/api/resources.ts'
import { readServiceTime } from '../../shared/api/service-time.ts'
import { fitOf, type SentRequest } from '../../shared/model/job-fit.ts'
import type { Candidate } from '../../shared/model/job.ts'
import { withOwnNames } from '../aliases/index.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import type { KnownJob, SendAttempt } from './submission-state.ts'

export type Finding =
  /** Exactly one job matches. */
  | { readonly kind: 'found'; readonly job: ServiceJob }
  /** No listed job can match, and the service can't have forgotten the job. */
  | { readonly kind: 'absent' }
  /** Several jobs match, a match is uncertain, or the service may have forgotten the job. Only the user can decide. */
  | { readonly kind: 'unclear'; readonly candidates: readonly Candidate[] }

/** Circumstances that determine whether the service may have forgotten a job. */
export type Circumstances = {
  /** Milliseconds since 1970. */
  readonly now: number
  /** `watched` if this process has been connected to the service ever since the attempt; `blind` if there was an interruption. */
  readonly witness: 'watched' | 'blind'
}

/**
 * Determines from the job list what happened to a submission whose response was lost (rule 1; section 7).
 *
 * The jobs listed immediately before sending are known, so any other job is newer, regardless of the service's time format. The two
 * possible mistakes aren't equally bad: adopting someone else's job is tolerable, but missing our own means processing the files
 * twice. A job that might be ours is therefore never counted as absent, and neither is a job that may have been created, finished
 * and forgotten.
 *
 * @param listed the most recent jobs from `GET /jobs`
 * @param isOther whether a job belongs to another of our submissions; `perhaps` if one of them has this job ID but its job was
 * never read, or if the job may be that of another submission whose outcome is unknown, such as another part of the same job
 */
export function reconcile(
  plan: PlannedSubmission,
  attempt: Pick<SendAttempt, 'at' | 'known' | 'uploaded' | 'names' | 'unsent'>,
  { jobs: listed, unreadable = [] }: Pick<ReadJobList, 'jobs' | 'unreadable'>,
  isOther: (job: ServiceJob) => boolean | 'perhaps',
  circumstances: Circumstances,
): Finding {
  const sent = sentOf(plan, attempt)
  const fresh = listed.filter((job) => isNew(job, attempt.known) && isOther(job) !== true)
  const likely = fresh.map((job) => {
    const fit = fitOf(job, sent, attempt.uploaded ?? [])
    return { job, fit: fit === 'fits' && isOther(job) === 'perhaps' ? 'maybe' : fit }
  })
  const fitting = likely.filter(({ fit }) => fit === 'fits').map(({ job }) => job)
  const [only, ...more] = fitting
  if (only !== undefined && more.length === 0) return { kind: 'found', job: only }
  const possible = likely.filter(({ fit }) => fit !== 'no').map(({ job }) => job)
  const cannotBeOurs = unreadable.every(({ jobId }) => attempt.known.some((known) => known.jobId === jobId))
  const isAbsent = possible.length === 0 && cannotBeOurs && remembers(listed, attempt, circumstances)
  if (isAbsent) return { kind: 'absent' }
  return {
    kind: 'unclear',
    candidates: possible.map((job) => candidateOf(withOwnNames(job, attempt.names ?? []))),
  }
}

/** Whether a job may have been created by this attempt to send a submission. */
export const mayBeJobOf = (
  job: ServiceJob,
  plan: PlannedSubmission,
  attempt: Parameters<typeof reconcile>[1],
): boolean => isNew(job, attempt.known) && fitOf(job, sentOf(plan, attempt), attempt.uploaded ?? []) !== 'no'

/** Whether both are the same job. A restarted service may reuse an ID, but not with the same creation time. */
const isSame = (job: ServiceJob, known: KnownJob): boolean =>
  job.jobId === known.jobId && job.createdAt === known.createdAt

function isNew(job: ServiceJob, known: readonly KnownJob[]): boolean {
  if (known.some((other) => isSame(job, other))) return false
  // A full list may show an older job again after newer jobs were cleared. That job is older than all jobs listed before.
  if (known.length < MAX_LISTED_JOBS) return true
  const created = serviceTime(job.createdAt)
  const oldest = Math.min(...known.map((other) => serviceTime(other.createdAt)))
  return Number.isNaN(created) || Number.isNaN(oldest) || created >= oldest
}

/** Returns a service time in milliseconds; NaN if the text can't be parsed. */
const serviceTime = (text: string): number => readServiceTime(text)?.at ?? Number.NaN

/** Time in ms for which a service surely keeps a finished job: an hour, less a margin for clock differences. */
const SURELY_KEPT_MS = RETENTION_MS - 10 * 60_000
/**
 * Time in ms after sending during which a list that was empty before is assumed not to have been cleared. No earlier job can prove that
 * it wasn't.
 */
const MOMENT_MS = 2 * 60_000

/**
 * Whether the service would still list a job created by this attempt (sections 1, 3 and 4). A service forgets all jobs when it
 * restarts, and finished jobs after an hour or when the history is cleared. It lists at most 50 jobs. Jobs run one at a time, so
 * any event that removes our job also removes all earlier ones.
 */
function remembers(
  listed: readonly ServiceJob[],
  { at, known }: Pick<SendAttempt, 'at' | 'known'>,
  { now, witness }: Circumstances,
): boolean {
  const passed = now - at
  // If the clock has been set back, the elapsed time is unknown.
  if (passed < 0 || passed > SURELY_KEPT_MS) return false
  const missing = known.filter((other) => !listed.some((job) => isSame(job, other)))
  const isStillThere = missing.length < known.length
  if (listed.length >= MAX_LISTED_JOBS) return isStillThere
  if (known.length === 0) return witness === 'watched' && passed <= MOMENT_MS
  const atLeast = leastServiceTime(listed, known, passed)
  return isStillThere && missing.every((job) => wasCleanedUp(job, atLeast))
}

/**
 * Returns a lower bound for the service's current time: the newest time that it has written. This computer's clock contributes only the
 * time elapsed since sending.
 */
function leastServiceTime(listed: readonly ServiceJob[], known: readonly KnownJob[], passed: number): number {
  const before = known.map(({ createdAt }) => serviceTime(createdAt) + passed)
  const since = listed.flatMap(({ createdAt, startedAt, completedAt }) =>
    [createdAt, startedAt, completedAt].map((text) => serviceTime(text ?? '')),
  )
  return Math.max(...[...before, ...since].filter((time) => !Number.isNaN(time)))
}

/**
 * Whether a job was old enough for automatic removal, in which case its absence indicates neither a restart nor a cleared
 * history.
 */
const wasCleanedUp = ({ createdAt }: KnownJob, serviceNow: number): boolean =>
  serviceNow - serviceTime(createdAt) > RETENTION_MS

/** Returns the submission as it was sent to the service. */
function sentOf(
  plan: PlannedSubmission,
  { uploaded, names = [], unsent = [] }: Pick<SendAttempt, 'uploaded' | 'names' | 'unsent'>,
): SentRequest {
  const sentAs = new Map(names.map(({ path, as }) => [path, as]))
  const left = new Set(unsent.map(({ file }) => file))
  const sent = plan.items.filter(({ path }) => !left.has(path))
  return {
    ...plan,
    inputs: sent.map(({ path }) => sentAs.get(path) ?? path),
    renamed: uploaded !== null,
  }
}

const candidateOf = (job: ServiceJob): Candidate => ({
  jobId: job.jobId,
  name: job.fileName ?? job.progress.fileName ?? job.jobId,
  files: job.totalFiles ?? job.progress.totalFiles ?? null,
  preset: job.preset,
  status: job.status,
  createdAt: job.createdAt,
})
