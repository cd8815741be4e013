import { isDeepStrictEqual } from 'node:util'
import type { Job } from '../../shared/api/resources.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { isUploading, resultsOf } from '../../shared/model/outcome.ts'
import type { ActiveJob, JobProgress, JobStage, WorkTitle } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'
import { NO_RATE, noteShare, timeLeft } from './rate-estimator.ts'
import { shareOfFiles, shareOfService, type ProgressScale } from './progress-scale.ts'
import { isAcceptedJob, readServiceTime } from '../../shared/api/service-time.ts'
import { PHASE_ORDER, UNKNOWN_PROGRESS, type JobPhase, type TrackedJob } from './tracked-job.ts'

export type Now = {
  /** ms since 1970; may jump. */
  readonly wall: number
  /** ms, never going back. */
  readonly monotonic: number
}

const LONGEST_RUN_MS = 7 * 24 * 60 * 60 * 1000
const PHASE_LENGTH = 40

/** What is the same for all jobs of one reading. */
export type ReadingContext = {
  readonly now: Now
  readonly scale: ProgressScale | null
  /** The scale that was believed so far has just proved wrong. */
  readonly rescaled: boolean
  readonly positions: ReadonlyMap<string, number>
}

/** What a job is after it was read once more: further on, or as it was, and never behind. */
export function readJob(known: TrackedJob, read: Job, context: ReadingContext): TrackedJob {
  const job = withDriveTarget(read, known.title)
  const phase = later(known.phase, phaseOf(job))
  const title = refineTitle(known.title, job)
  const cancelling = known.cancelling && (phase === 'queued' || phase === 'processing')
  const startedAt = startOf(known, phase, job, context.now)

  const running = phase === 'processing'
  const estimate = running ? (shareOfService(job, context.scale) ?? shareOfFiles(job)) : null
  const before = context.rescaled ? null : known.shown.progress.share
  const share = !running ? null : estimate !== null && estimate >= known.peak ? estimate : before
  const rate = context.rescaled
    ? NO_RATE
    : running
      ? noteShare(known.rate, share, context.now.monotonic)
      : NO_RATE

  const shown: ActiveJob = {
    ...title,
    jobId: known.jobId,
    stage: stageOf(phase, cancelling, {
      kind: 'queued',
      position: context.positions.get(known.jobId) ?? positionIn(known.shown.stage),
    }),
    progress: running
      ? { ...told(job), share, timeLeft: share === null ? null : timeLeft(rate, context.now.monotonic) }
      : { ...UNKNOWN_PROGRESS, phase: phase === 'uploading' ? phaseText(job.progress.phase) : null },
    startedAt: startedAt === null ? null : wallTime(startedAt, known.shown.startedAt, context.now),
    doneFiles: wholeFiles(job, title.variations),
  }
  return {
    ...known,
    title,
    createdText: known.createdText ?? job.createdAt,
    phase,
    cancelling,
    last: job,
    peak: Math.max(known.peak, share ?? 0),
    rate,
    startedAt,
    shown: isDeepStrictEqual(shown, known.shown) ? known.shown : shown,
  }
}

/** A job that we sent to a drive goes there, also where the service doesn't repeat the folder. */
function withDriveTarget(job: Job, title: WorkTitle): Job {
  if (title.output?.kind !== 'drive' || typeof job.drive?.outputFolderId === 'string') return job
  return { ...job, drive: { ...job.drive, outputFolderId: title.output.folderId } }
}

export function phaseOf(job: Job): JobPhase {
  if (job.status === 'queued' || job.status === 'processing') return job.status
  return isUploading(job) ? 'uploading' : 'over'
}

const later = (known: JobPhase | null, read: JobPhase): JobPhase =>
  known !== null && PHASE_ORDER.indexOf(known) > PHASE_ORDER.indexOf(read) ? known : read

/** Ids are reused after a restart of the service; the time of creation is not. */
export const isSameJob = ({ createdText, acceptedAt }: TrackedJob, { createdAt }: Job): boolean =>
  isAcceptedJob({ createdAt: createdText, acceptedAt }, createdAt)

function refineTitle(title: WorkTitle, job: Job): WorkTitle {
  if (title.origin === 'other') {
    const again = { ...foreignTitle(title.id, job, title.createdAt), createdAt: title.createdAt }
    // A name once shown stays: services may name the file in work, which changes all the time.
    const named =
      title.name === job.jobId
        ? again
        : { ...again, name: title.name, photos: title.photos, videos: title.videos }
    return isDeepStrictEqual(named, title) ? title : named
  }
  const files = title.files ?? countFiles(job)
  return files === title.files ? title : { ...title, files }
}

export function stageOf(phase: JobPhase | null, cancelling: boolean, queued: JobStage): JobStage {
  if (phase === 'uploading' || phase === 'over') return { kind: 'uploading' }
  if (cancelling) return { kind: 'cancelling' }
  if (phase === 'processing') return { kind: 'processing' }
  return { kind: 'queued', position: positionIn(queued) }
}

const positionIn = (stage: JobStage): number => (stage.kind === 'queued' ? stage.position : 1)

/** What the service tells about the work, as far as it makes sense. */
function told(job: Job): Omit<JobProgress, 'share' | 'timeLeft'> {
  const { phase, currentFile, completedFiles, fileName } = job.progress
  const totalFiles = job.progress.totalFiles ?? job.totalFiles ?? null
  const within = (count: number | undefined, least: number): number | null =>
    count === undefined || count < least || (totalFiles !== null && count > totalFiles) ? null : count
  return {
    phase: phaseText(phase),
    currentFile: within(currentFile, 1),
    totalFiles: totalFiles !== null && totalFiles > 0 ? totalFiles : null,
    completedFiles: within(completedFiles, 0),
    fileName: fileName === undefined || fileName === '' ? null : baseName(fileName),
  }
}

/** At most 40 characters on one line; null where nothing is left. */
function phaseText(phase: string | undefined): string | null {
  const line = (phase ?? '').replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  const characters = Array.from(line)
  if (characters.length <= PHASE_LENGTH) return line === '' ? null : line
  return `${characters
    .slice(0, PHASE_LENGTH - 1)
    .join('')
    .trimEnd()}…`
}

/** When processing began, on the monotonic clock; from the service's word where it can be true. */
function startOf(known: TrackedJob, phase: JobPhase, job: Job, now: Now): number | null {
  if (known.startedAt !== null || phase === 'queued') return known.startedAt
  const said = job.startedAt === null ? null : readServiceTime(job.startedAt)
  const ago = said?.exact === true ? now.wall - said.at : 0
  return now.monotonic - (ago > 0 && ago < LONGEST_RUN_MS ? ago : 0)
}

/** The wall time of a monotonic one, kept as it was while the clocks agree to the second. */
function wallTime(monotonic: number, before: number | null, now: Now): number {
  const at = Math.round(now.wall - (now.monotonic - monotonic))
  return before !== null && Math.abs(before - at) < 1000 ? before : at
}

/** Inputs of which all variations are there; a file that was made in some of them only is not done. */
function wholeFiles(job: Job, variations: number): readonly string[] {
  const made = Map.groupBy(resultsOf(job), ({ file }) => file)
  return [...made].filter(([, results]) => results.length >= variations).map(([file]) => baseName(file))
}

// ── Jobs of other clients ───────────────────────────────────────────────────────────────────────────────────────────

/** What can be said about a job that another client made. @param now ms since 1970 */
export function foreignTitle(id: RecordId, job: Job, now: number): WorkTitle {
  const fileName = job.fileName ?? job.results?.[0]?.file ?? job.progress.fileName
  const files = countFiles(job)
  const kind = fileName === undefined ? undefined : mediaKindOf(fileName)
  const created = readServiceTime(job.createdAt)
  return {
    id,
    name: fileName === undefined ? (job.drive?.inputFolderId ?? job.jobId) : baseName(fileName),
    firstPath: null,
    // The kinds of the others are not said; one name is known, and a job of one file is of its kind.
    photos: kind === 'image' && files === 1 ? 1 : 0,
    videos: kind === 'video' && files === 1 ? 1 : 0,
    files,
    preset: job.preset === '' ? null : job.preset,
    variations: 1,
    output: null,
    driveInput: job.drive?.inputFolderId ?? null,
    origin: 'other',
    createdAt: created?.exact === true ? created.at : now,
  }
}

/** All inputs, where the service says; a single job has one. */
export function countFiles(job: Job): number | null {
  return job.totalFiles ?? job.progress.totalFiles ?? (job.type === 'single' ? 1 : null)
}
