/** How far a job is. Pure. */
import { openPartsIn } from './group-sections.ts'
import type { ActiveJob } from './work.ts'
import { hasEnded, partsOf, titleOf, type PartItem, type WorkItem } from './work-item.ts'

type Parts = { readonly parts: readonly PartItem[] }

/** The parts are weighted by their number of results. */
const weightOf = (part: PartItem): number => {
  const { files, variations } = titleOf(part)
  return Math.max(1, files ?? 1) * variations
}

/** Returns the finished share of a part, 0..1; null if it is running and unknown. */
function shareOfPart(part: PartItem): number | null {
  if (part.kind === 'outbox') return 0
  if (part.kind === 'record') return hasEnded(part) ? 1 : 0
  const { stage, progress } = part.job
  if (stage.kind === 'queued') return 0
  return stage.kind === 'uploading' ? 1 : progress.share
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Returns the weight of the parts that are in no list, assuming they are of average size. */
const missingWeight = (item: WorkItem): number =>
  item.kind === 'group'
    ? Math.max(0, item.place.parts - item.parts.length) * (sum(item.parts.map(weightOf)) / item.parts.length)
    : 0

/**
 * Returns the finished share of all work, 0..1. A part that waits counts as 0. null while nothing is known.
 * @param others the weight of parts that aren't listed
 */
export function shareOfParts({ parts }: Parts, others = 0): number | null {
  const shares = parts.map((part) => ({ weight: weightOf(part), share: shareOfPart(part) }))
  const finished = sum(shares.map(({ weight, share }) => weight * (share ?? 0)))
  if (finished === 0 && shares.some(({ share }) => share === null)) return null
  return Math.min(1, finished / (sum(shares.map(({ weight }) => weight)) + others))
}

export const shareOf = (item: WorkItem): number | null =>
  item.kind === 'group' ? shareOfParts(item, missingWeight(item)) : shareOfPart(item)

/** Returns the job that the service is processing. */
export const runningJobIn = (parts: readonly PartItem[]): ActiveJob | undefined =>
  parts
    .flatMap((part) => (part.kind === 'job' ? [part.job] : []))
    .find(({ stage }) => stage.kind === 'processing' || stage.kind === 'cancelling')

/**
 * Extrapolates the running part's remaining time to the parts that follow, in ms. null without an estimate, or if the parts that
 * follow aren't comparable, because a video takes much longer than a photo.
 */
export function timeLeftOf(item: WorkItem): number | null {
  const job = runningJobIn(partsOf(item))
  const { timeLeft = null, share = null } = job?.progress ?? {}
  if (job === undefined || job.stage.kind !== 'processing' || timeLeft === null) return null
  if (item.kind !== 'group') return timeLeft
  if (share === null) return null
  const own = weightOf({ kind: 'job', job }) * (1 - share)
  if (own <= 0) return null
  const following = openPartsIn(item).filter(
    (part) => titleOf(part).id !== job.id && (shareOfPart(part) ?? 0) < 1,
  )
  if (following.some((part) => titleOf(part).videos > 0 !== job.videos > 0)) return null
  const rest = sum(following.map((part) => weightOf(part) * (1 - (shareOfPart(part) ?? 0))))
  return timeLeft * ((own + rest + missingWeight(item)) / own)
}

/** Returns the number of results that exist already. */
export const resultsSoFar = ({ parts }: Parts): number =>
  sum(
    parts.map((part) => {
      if (part.kind === 'job') return part.job.doneFiles.length * part.job.variations
      const outcome = part.kind === 'record' ? part.record.outcome : null
      return outcome !== null && 'results' in outcome ? outcome.results : 0
    }),
  )

/** Returns the number of files whose processing has ended, and of all files in these parts. null while they aren't counted. */
export function filesSoFar({ parts }: Parts): { readonly done: number; readonly all: number } | null {
  const counts = parts.map((part) => {
    const { files } = titleOf(part)
    if (files === null) return null
    if (part.kind === 'outbox') return { done: 0, all: files }
    if (part.kind === 'record') return { done: hasEnded(part) ? files : 0, all: files }
    const { progress, doneFiles, stage } = part.job
    if (stage.kind === 'uploading') return { done: files, all: files }
    return { done: Math.min(files, progress.completedFiles ?? doneFiles.length), all: files }
  })
  const known = counts.filter((count) => count !== null)
  return known.length < counts.length
    ? null
    : { done: sum(known.map(({ done }) => done)), all: sum(known.map(({ all }) => all)) }
}
