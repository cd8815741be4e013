import { sumOf } from '../sum.ts'
import type { Job, Part, PartAt, WithParts } from './job.ts'
import { resultsIn } from './job-outcome.ts'
import { hasEnded, openPartsIn, runningPart } from './job-state.ts'

/** Number of photos that take about as long as one video. */
const PHOTOS_PER_VIDEO = 100

/** Returns the weight of a part in the job's progress: its number of results, where results of videos count more. */
const weightOf = ({ files, videos, variations }: Part): number =>
  (Math.max(1, videos, files ?? 1) + videos * (PHOTOS_PER_VIDEO - 1)) * variations

/** Returns the finished share of a part, 0..1; null if the service doesn't report it. */
function shareOfPart(part: Part): number | null {
  if (part.at === 'outbox') return 0
  if (part.at === 'history') return hasEnded(part) ? 1 : 0
  if (part.stage.kind === 'queued') return 0
  return part.stage.kind === 'uploading' ? 1 : part.progress.share
}

/** Returns the weight of the parts that the job's list lacks, assuming that they have the average weight. */
const missingWeight = ({ parts }: Pick<Job, 'parts'>): number =>
  Math.max(0, parts[0].place.parts - parts.length) * (sumOf(parts.map(weightOf)) / parts.length)

/**
 * Returns the finished share of these parts, 0..1; null while nothing is known. A waiting part counts as 0.
 * @param others the weight of parts that the list lacks
 */
export function shareOfParts({ parts }: WithParts, others = 0): number | null {
  const shares = parts.map((part) => ({ weight: weightOf(part), share: shareOfPart(part) }))
  const finished = sumOf(shares.map(({ weight, share }) => weight * (share ?? 0)))
  if (finished === 0 && shares.some(({ share }) => share === null)) return null
  return Math.min(1, finished / (sumOf(shares.map(({ weight }) => weight)) + others))
}

export const shareOf = (job: Job): number | null => shareOfParts(job, missingWeight(job))

/**
 * Returns the remaining time of a job in ms, extrapolated from the running part. null without an estimate, or if the parts that follow
 * aren't comparable, because a video takes much longer than a photo.
 */
export function timeLeftOf(job: Job): number | null {
  const running = runningPart(job)
  const { timeLeft = null, share = null } = running?.progress ?? {}
  if (running === undefined || running.stage.kind !== 'processing' || timeLeft === null) return null
  const following = openPartsIn(job).filter((part) => part.id !== running.id && (shareOfPart(part) ?? 0) < 1)
  const missing = missingWeight(job)
  if (following.length + missing === 0) return timeLeft
  const own = weightOf(running) * (1 - (share ?? 1))
  if (own <= 0 || following.some((part) => part.videos > 0 !== running.videos > 0)) return null
  const rest = sumOf(following.map((part) => weightOf(part) * (1 - (shareOfPart(part) ?? 0))))
  return timeLeft * ((own + rest + missing) / own)
}

export const resultsSoFar = ({ parts }: WithParts): number =>
  sumOf(
    parts.map((part) => {
      if (part.at === 'service') return part.doneFiles.length * part.variations
      return part.at === 'history' ? resultsIn(part.outcome) : 0
    }),
  )

/** Returns the number of processed files and of all files in these parts; null until all files have been counted. */
export function filesSoFar({ parts }: WithParts): { readonly done: number; readonly all: number } | null {
  const counts = parts.map((part) => {
    const { files } = part
    if (files === null) return null
    if (part.at === 'outbox') return { done: 0, all: files }
    if (part.at === 'history') return { done: hasEnded(part) ? files : 0, all: files }
    const { progress, doneFiles, stage } = part
    if (stage.kind === 'uploading') return { done: files, all: files }
    return { done: Math.min(files, progress.completedFiles ?? doneFiles.length), all: files }
  })
  const known = counts.filter((count) => count !== null)
  return known.length < counts.length
    ? null
    : { done: sumOf(known.map(({ done }) => done)), all: sumOf(known.map(({ all }) => all)) }
}

/** Returns the number of the current file among all files that the running preset processes; null if unknown, or for a single file. */
export function currentFileOf(
  { parts }: Job,
  running: PartAt<'service'>,
): { readonly file: number; readonly files: number } | null {
  const others = parts.filter(({ preset, id }) => preset === running.preset && id !== running.id)
  const count = filesSoFar({ parts: others })
  const { currentFile, totalFiles } = running.progress
  if (count === null || currentFile === null || totalFiles === null || count.all + totalFiles < 2) return null
  return { file: count.done + currentFile, files: count.all + totalFiles }
}
