import { MAX_LISTED_JOBS, RETENTION_MS } from '../../shared/api/limits.ts'
import type { Job, ReadJobList } from '../../shared/api/resources.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { Candidate } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import type { KnownJob, SendAttempt } from './submission-state.ts'

export type Finding =
  /** Exactly one job fits. */
  | { readonly kind: 'found'; readonly job: Job }
  /** Nothing listed can be it, and the service cannot have forgotten it. */
  | { readonly kind: 'absent' }
  /** Several fit, or something might, or it may have been there and be forgotten: only the user can tell. */
  | { readonly kind: 'unclear'; readonly candidates: readonly Candidate[] }

/** What speaks for or against a service that has forgotten. */
export type Circumstances = {
  /** ms since 1970. */
  readonly now: number
  /**
   * How this process lived through the time since the attempt: it has watched the service answer all along (`watched`), or
   * it was away itself, or the service was (`blind`).
   */
  readonly witness: 'watched' | 'blind'
}

/**
 * What came of a submission whose answer was lost, judged by the job list (rule 1; section 7).
 *
 * The jobs listed immediately before the sending are known, so any other is newer, whatever format the service's times
 * have. The two mistakes are not alike: taking a job of somebody else for ours is survivable, overlooking our own means
 * doing the work twice. So a job that merely might be ours is never counted as absent, and neither is one that may have been
 * created, done and forgotten.
 *
 * @param listed `GET /jobs`, the most recent ones
 * @param isOther whether a job is known to be another submission of ours
 */
export function reconcile(
  plan: PlannedSubmission,
  attempt: Pick<SendAttempt, 'at' | 'known' | 'uploaded'>,
  { jobs: listed, unreadable = [] }: Pick<ReadJobList, 'jobs' | 'unreadable'>,
  isOther: (job: Job) => boolean,
  circumstances: Circumstances,
): Finding {
  const fresh = listed.filter((job) => isNew(job, attempt.known) && !isOther(job))
  const likely = fresh.map((job) => ({ job, fit: fitOf(job, plan, attempt.uploaded) }))
  const fitting = likely.filter(({ fit }) => fit === 'fits').map(({ job }) => job)
  const [only, ...more] = fitting
  if (only !== undefined && more.length === 0) return { kind: 'found', job: only }
  const possible = likely.filter(({ fit }) => fit !== 'no').map(({ job }) => job)
  const cannotBeOurs = unreadable.every((jobId) => attempt.known.some((known) => known.jobId === jobId))
  const isAbsent = possible.length === 0 && cannotBeOurs && remembers(listed, attempt, circumstances)
  if (isAbsent) return { kind: 'absent' }
  return { kind: 'unclear', candidates: possible.map(candidateOf) }
}

/** A restarted service may use an id again; the time of creation tells the two apart. */
const isSame = (job: Job, known: KnownJob): boolean =>
  job.jobId === known.jobId && job.createdAt === known.createdAt

function isNew(job: Job, known: readonly KnownJob[]): boolean {
  if (known.some((other) => isSame(job, other))) return false
  // A full list may later show an older job again, when newer ones have been cleared. Only then its time is asked.
  if (known.length < MAX_LISTED_JOBS) return true
  const created = Date.parse(job.createdAt)
  const newest = Math.max(...known.map((other) => Date.parse(other.createdAt)))
  return Number.isNaN(created) || Number.isNaN(newest) || created >= newest
}

/** The shortest time after which a service may have finished a job and cleaned it up is an hour; clocks may differ. */
const SURELY_KEPT_MS = RETENTION_MS - 10 * 60_000
/** With no other job to tell by, only a moment is short enough for nobody to have cleared the list. */
const MOMENT_MS = 2 * 60_000

/**
 * Whether the service would still list a job that it created for this attempt (sections 1, 3 and 4). It forgets everything
 * when it restarts, what is over when somebody clears the list or an hour has passed, and lists 50 at most. Jobs are worked
 * off one by one, so whatever takes ours away takes those away that were there before it.
 */
function remembers(
  listed: readonly Job[],
  { at, known }: Pick<SendAttempt, 'at' | 'known'>,
  { now, witness }: Circumstances,
): boolean {
  const passed = now - at
  // A clock that was set back says nothing about how long it was.
  if (passed < 0 || passed > SURELY_KEPT_MS) return false
  const missing = known.filter((other) => !listed.some((job) => isSame(job, other)))
  const isStillThere = missing.length < known.length
  if (listed.length >= MAX_LISTED_JOBS) return isStillThere
  if (known.length === 0) return witness === 'watched' && passed <= MOMENT_MS
  return isStillThere && missing.every((job) => wasCleanedUp(job, now))
}

/** It was old enough to be cleaned up by itself, so that its absence is no sign of a restart or a clearing. */
function wasCleanedUp({ createdAt }: KnownJob, now: number): boolean {
  const created = Date.parse(createdAt)
  return !Number.isNaN(created) && now - created > RETENTION_MS
}

type Fit = 'fits' | 'maybe' | 'no'

function fitOf(job: Job, plan: PlannedSubmission, uploaded: readonly string[] | null): Fit {
  // Section 2: an exact saved preset name. What a job without one is said to have is not shown.
  if (plan.preset !== null && job.preset !== plan.preset) return 'no'
  const fits = [driveFit(job, plan), ...(plan.driveInput === null ? localFits(job, plan, uploaded) : [])]
  if (fits.includes('no')) return 'no'
  return fits.includes('maybe') ? 'maybe' : 'fits'
}

const differs = (said: string | null | undefined, meant: string | null): boolean =>
  typeof said === 'string' && said !== meant

/** `drive` and its fields are optional: only what is there can contradict. */
function driveFit({ drive }: Job, { driveInput, output }: PlannedSubmission): Fit {
  const driveOutput = output.kind === 'drive' ? output.folderId : null
  return differs(drive?.inputFolderId, driveInput) || differs(drive?.outputFolderId, driveOutput)
    ? 'no'
    : 'fits'
}

function localFits(job: Job, plan: PlannedSubmission, uploaded: readonly string[] | null): Fit[] {
  return [nameFit(job, plan, uploaded), countFit(job, plan), typeFit(job, plan)]
}

/** File names that a job has mentioned so far, without their folders. */
function namesIn(job: Job): string[] {
  const said = [
    job.fileName,
    job.progress.fileName,
    ...(job.results ?? []).map(({ file }) => file),
    ...(job.errors ?? []).map(({ file }) => file),
  ]
  // A batch may be called "3 files"; that is no file's name.
  return said.flatMap((name) =>
    name === undefined || mediaKindOf(name) === undefined ? [] : [comparableName(name)],
  )
}

/** Two systems may write an umlaut in two ways. */
const comparableName = (path: string): string => baseName(path).normalize('NFC')

function nameFit(job: Job, plan: PlannedSubmission, uploaded: readonly string[] | null): Fit {
  const names = namesIn(job)
  if (names.length === 0) return 'fits'
  const meant = new Set([
    ...plan.items.map(({ path }) => comparableName(path)),
    ...(uploaded ?? []).map(comparableName),
  ])
  const matching = names.filter((name) => meant.has(name)).length
  if (matching === names.length) return 'fits'
  // The service may give uploads and variations names of its own.
  return matching > 0 || uploaded !== null || plan.variations > 1 ? 'maybe' : 'no'
}

/** Fewer than sent: some may have been skipped. Whether variations count as files is not shown. */
function countFit({ totalFiles }: Job, { items, variations }: PlannedSubmission): Fit {
  if (totalFiles === undefined) return 'fits'
  if (totalFiles === items.length || totalFiles === items.length * variations) return 'fits'
  return totalFiles < items.length * variations ? 'maybe' : 'no'
}

/** When a job is called single and when batch is not shown beyond the obvious. */
function typeFit({ type }: Job, { items, variations }: PlannedSubmission): Fit {
  if (items.length > 1 && type === 'single') return 'maybe'
  if (items.length === 1 && variations === 1 && type === 'batch') return 'maybe'
  return 'fits'
}

const candidateOf = (job: Job): Candidate => ({
  jobId: job.jobId,
  name: job.fileName ?? job.progress.fileName ?? job.jobId,
  files: job.totalFiles ?? job.progress.totalFiles ?? null,
  preset: job.preset,
  status: job.status,
  createdAt: job.createdAt,
})
