import { isDeepStrictEqual } from 'node:util'
import type { ServiceJob } from '../../shared/api/resources.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { isUploading, resultsOf } from '../../shared/model/outcome.ts'
import type { PartAt, PartTitle } from '../../shared/model/job.ts'
import { onlyPlace } from '../../shared/model/job-state.ts'
import { baseName } from '../../shared/paths.ts'
import { NO_RATE, recordShare, timeLeft } from './rate-estimator.ts'
import { shareOfFiles, shareOfService, type ProgressScale } from './progress-scale.ts'
import { isSameServiceTime, namesOneJob, onOurClock, readServiceTime } from '../../shared/api/service-time.ts'
import { contradicts, hasOtherFiles } from '../../shared/model/job-fit.ts'
import { PHASE_ORDER, sentRequest, UNKNOWN_PROGRESS, type JobPhase, type TrackedJob } from './tracked-job.ts'
import { DAY_MS } from '../../shared/durations.ts'

export type Now = {
  /** Milliseconds since 1970; may jump. */
  readonly wall: number
  /** Monotonic time in ms. */
  readonly monotonic: number
}

const LONGEST_RUN_MS = 7 * DAY_MS
const PHASE_LENGTH = 40

/** Values shared by all jobs of one poll. */
export type PollContext = {
  readonly now: Now
  readonly scale: ProgressScale | null
  /** Whether progress may really decrease, because the built-in service processes a file again. */
  readonly mayDecrease?: boolean | undefined
  /** Whether the assumed scale has just turned out to be wrong. */
  readonly rescaled: boolean
  readonly positions: ReadonlyMap<string, number>
  /** Whether the service has paused its jobs. */
  readonly isHeld?: boolean | undefined
}

/** Returns a job updated from a new poll. Its phase never moves backward. */
export function readJob(known: TrackedJob, read: ServiceJob, context: PollContext): TrackedJob {
  const job = withDriveTarget(read, known.title)
  const phase = later(known.phase, phaseOf(job))
  const title = refineTitle(known.title, job)
  const cancelling = known.cancelling && (phase === 'queued' || phase === 'processing')
  const startedAt = startOf(known, phase, job, context.now)

  const running = phase === 'processing'
  const estimate = running ? (shareOfService(job, context.scale) ?? shareOfFiles(job)) : null
  const before = context.rescaled ? null : known.shown.progress.share
  const isPlausible = estimate !== null && (context.mayDecrease === true || estimate >= known.peak)
  const share = !running ? null : isPlausible ? estimate : before
  const rate = context.rescaled
    ? NO_RATE
    : running
      ? recordShare(known.rate, share, context.now.monotonic, context.isHeld)
      : NO_RATE

  const shown: PartAt<'service'> = {
    ...title,
    at: 'service',
    jobId: known.jobId,
    stage: stageOf(phase, cancelling, {
      kind: 'queued',
      position: context.positions.get(known.jobId) ?? positionIn(known.shown.stage),
    }),
    progress: running
      ? {
          ...reportedProgress(job),
          share,
          timeLeft: share === null ? null : timeLeft(rate, context.now.monotonic),
        }
      : { ...UNKNOWN_PROGRESS, phase: phase === 'uploading' ? phaseText(job.progress.phase) : null },
    startedAt: startedAt === null ? null : wallTime(startedAt, known.shown.startedAt, context.now),
    doneFiles: wholeFiles(job, title.variations),
    problems: running ? (job.errors ?? []) : [],
  }
  return {
    ...known,
    title,
    jobCreatedAt: known.jobCreatedAt ?? job.createdAt,
    phase,
    cancelling,
    last: job,
    peak: Math.max(known.peak, share ?? 0),
    rate,
    startedAt,
    shown: isDeepStrictEqual(shown, known.shown) ? known.shown : shown,
  }
}

/** Restores the drive folder of a job that we submitted with one, because the service needn't repeat it. */
function withDriveTarget(job: ServiceJob, title: PartTitle): ServiceJob {
  if (title.output?.kind !== 'drive' || typeof job.drive?.outputFolderId === 'string') return job
  return { ...job, drive: { ...job.drive, outputFolderId: title.output.folderId } }
}

export function phaseOf(job: ServiceJob): JobPhase {
  if (job.status === 'queued' || job.status === 'processing') return job.status
  return isUploading(job) ? 'uploading' : 'ended'
}

const later = (known: JobPhase | null, read: JobPhase): JobPhase =>
  known !== null && PHASE_ORDER.indexOf(known) > PHASE_ORDER.indexOf(read) ? known : read

/** Time in ms within which a service can't have restarted and reused an ID. */
const JUST_ANSWERED_MS = 30_000

/**
 * Whether a job with the same ID as a tracked job is the same job. A service may restart its numbering (section 1), so the two are compared
 * by creation time as the service wrote it. If that lacks milliseconds, or isn't known yet and the job wasn't accepted just now, the job
 * must also not contradict the request that was sent. This computer's clock only measures how long ago the job was accepted, independent of the
 * service's time.
 * @param now milliseconds since 1970 on this computer's clock
 */
export function isSameJob(known: TrackedJob, job: ServiceJob, now: number): boolean {
  const { jobCreatedAt, acceptedAt, isEarlier, last } = known
  if (jobCreatedAt !== null && !isSameServiceTime(jobCreatedAt, job.createdAt)) return false
  const isCertain =
    jobCreatedAt === null
      ? acceptedAt !== null &&
        now >= acceptedAt &&
        now - acceptedAt < JUST_ANSWERED_MS &&
        !(isEarlier && hasOtherFiles(job, sentRequest(known)))
      : namesOneJob(jobCreatedAt) && namesOneJob(job.createdAt)
  if (isCertain || known.title.origin === 'other') return true
  // Once the job has been read, the preset has the name that the service uses.
  const sent =
    jobCreatedAt === null ? sentRequest(known) : { ...sentRequest(known), preset: last?.preset ?? null }
  // If the first poll already contradicted the submission, this service simply reports its jobs differently.
  return !contradicts(job, sent) || (last !== null && contradicts(last, sent))
}

function refineTitle(title: PartTitle, job: ServiceJob): PartTitle {
  if (title.origin === 'other') {
    const again = { ...foreignTitle(title.id, job, title.createdAt), createdAt: title.createdAt }
    // Keep a name once shown, because a service may report the current file's name, which keeps changing.
    const named =
      title.name === job.jobId
        ? again
        : { ...again, name: title.name, photos: title.photos, videos: title.videos, place: title.place }
    return isDeepStrictEqual(named, title) ? title : named
  }
  const files = title.files ?? countFiles(job)
  return files === title.files ? title : { ...title, files }
}

type Stage = PartAt<'service'>['stage']

export function stageOf(phase: JobPhase | null, cancelling: boolean, queued: Stage): Stage {
  if (phase === 'uploading' || phase === 'ended') return { kind: 'uploading' }
  if (cancelling) return { kind: 'cancelling' }
  if (phase === 'processing') return { kind: 'processing' }
  return { kind: 'queued', position: positionIn(queued) }
}

const positionIn = (stage: Stage): number => (stage.kind === 'queued' ? stage.position : 1)

/** Returns the progress that the service reports, without implausible values. */
function reportedProgress(job: ServiceJob): Omit<PartAt<'service'>['progress'], 'share' | 'timeLeft'> {
  const { phase, currentFile, completedFiles, fileName, filesInProgress } = job.progress
  const { waitsForMemory, waitsForDiskSpace } = job.progress
  const totalFiles = job.progress.totalFiles ?? job.totalFiles ?? null
  const within = (count: number | undefined, least: number): number | null =>
    count === undefined || count < least || (totalFiles !== null && count > totalFiles) ? null : count
  return {
    phase: phaseText(phase),
    currentFile: within(currentFile, 1),
    totalFiles: totalFiles !== null && totalFiles > 0 ? totalFiles : null,
    completedFiles: within(completedFiles, 0),
    fileName: fileName === undefined || fileName === '' ? null : baseName(fileName),
    filesInProgress: within(filesInProgress, 2) ?? undefined,
    waitsForMemory,
    waitsForDiskSpace,
  }
}

/** Shortens text to at most 40 characters on one line; null if nothing remains. */
function phaseText(phase: string | undefined): string | null {
  const line = (phase ?? '').replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  const characters = Array.from(line)
  if (characters.length <= PHASE_LENGTH) return line === '' ? null : line
  return `${characters
    .slice(0, PHASE_LENGTH - 1)
    .join('')
    .trimEnd()}…`
}

/**
 * Returns the time at which processing started, on the monotonic clock; null while the job is queued. Uses the service's time if it is
 * plausible.
 */
function startOf(known: TrackedJob, phase: JobPhase, job: ServiceJob, now: Now): number | null {
  if (known.startedAt !== null || phase === 'queued') return known.startedAt
  const reported = job.startedAt === null ? null : momentOf(known, job, job.startedAt)
  const ago = reported === null ? 0 : now.wall - reported
  return now.monotonic - (ago > 0 && ago < LONGEST_RUN_MS ? ago : 0)
}

/**
 * Converts a service time to this computer's clock; null if that isn't possible. Trusts the service's clock if there is no acceptance time
 * for calibration.
 */
function momentOf({ acceptedAt }: TrackedJob, { createdAt }: ServiceJob, text: string): number | null {
  if (acceptedAt !== null) return onOurClock(text, { createdAt, acceptedAt })
  const time = readServiceTime(text)
  return time?.exact === true ? time.at : null
}

/**
 * Returns the time at which a job ended, on this computer's clock. A time that the service reports is limited to the time between
 * acceptance and this poll. Without a usable time, or if the acceptance time isn't known, as for other clients' jobs, returns the time of
 * this poll.
 */
export function endOf(known: TrackedJob, job: ServiceJob | null, { wall }: Now): number {
  if (known.acceptedAt === null || job === null || job.completedAt === null) return wall
  const at = momentOf(known, job, job.completedAt)
  return at === null ? wall : Math.min(wall, Math.max(known.acceptedAt, at))
}

/** Converts monotonic time to wall time. Keeps the previous value while it differs by less than a second. */
function wallTime(monotonic: number, before: number | null, now: Now): number {
  const at = Math.round(now.wall - (now.monotonic - monotonic))
  return before !== null && Math.abs(before - at) < 1000 ? before : at
}

/** Returns the inputs for which all variations exist. A file with only some of them isn't done. */
function wholeFiles(job: ServiceJob, variations: number): readonly string[] {
  const made = Map.groupBy(resultsOf(job), ({ file }) => file)
  return [...made].filter(([, results]) => results.length >= variations).map(([file]) => baseName(file))
}

// ── Jobs of other clients ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * Describes another client's job.
 * @param now milliseconds since 1970 on this computer's clock; the job's creation time is on the service's clock
 */
export function foreignTitle(id: RecordId, job: ServiceJob, now: number): PartTitle {
  const fileName = job.fileName ?? job.results?.[0]?.file ?? job.progress.fileName
  const files = countFiles(job)
  const kind = fileName === undefined ? undefined : mediaKindOf(fileName)
  // The service doesn't report the kinds of the other files. Only one name is known, which is enough for a job with one file.
  const photos = kind === 'image' && files === 1 ? 1 : 0
  const videos = kind === 'video' && files === 1 ? 1 : 0
  return {
    id,
    name: fileName === undefined ? (job.drive?.inputFolderId ?? job.jobId) : baseName(fileName),
    firstPath: null,
    photos,
    videos,
    files,
    preset: job.preset === '' ? null : job.preset,
    variations: 1,
    output: null,
    driveInput: job.drive?.inputFolderId ?? null,
    place: onlyPlace({ id, photos, videos }),
    origin: 'other',
    createdAt: now,
  }
}

/** Returns the number of inputs; null if the service doesn't report it. A single job has one. */
export function countFiles(job: ServiceJob): number | null {
  return job.totalFiles ?? job.progress.totalFiles ?? (job.type === 'single' ? 1 : null)
}
