import type { Job } from '../../shared/api/resources.ts'

export type ProgressScale = 'fraction' | 'percent'

/** What the readings so far say about the numbers of one service. Its scale is not specified (section 2). */
export type ScaleEvidence = {
  readonly scale: ProgressScale | null
  /** Readings that look like fractions; each counted once. */
  readonly fractions: readonly string[]
}

export const NO_EVIDENCE: ScaleEvidence = { scale: null, fractions: [] }

/** Above 1 by more than rounding can do. */
const ABOVE_ONE = 1.001
const HUNDRED = 100.5

/** A percentage is this small for so short a time that seeing it twice means it is none. */
const TELLING = 0.05
const SIGHTINGS_NEEDED = 2

/**
 * Draws the conclusion as soon as it is safe. A number between 1 and 100 can only be a percentage, and that is final. Small
 * numbers are either fractions or the first percent of a job; they count as fractions once a second one is seen, when the
 * files done say so, or when a completed job stands at 1.
 */
export function learnScale(evidence: ScaleEvidence, jobs: readonly Job[]): ScaleEvidence {
  if (evidence.scale === 'percent') return evidence
  let { scale, fractions } = evidence
  for (const job of jobs) {
    const value = job.progress.totalProgress
    if (value === undefined || value > HUNDRED || value <= 0) continue
    if (value > ABOVE_ONE) return { scale: 'percent', fractions: [] }
    if (scale === null && isSurelyFraction(job, value)) scale = 'fraction'
    if (scale === null && value >= TELLING && value < 1) {
      const sighting = `${job.jobId} ${value}`
      if (!fractions.includes(sighting)) fractions = [...fractions, sighting]
      if (fractions.length >= SIGHTINGS_NEEDED) scale = 'fraction'
    }
  }
  return scale === evidence.scale && fractions === evidence.fractions ? evidence : { scale, fractions }
}

function isSurelyFraction(job: Job, value: number): boolean {
  if (job.status === 'completed' && value > 0.999) return true
  const done = shareOfFiles(job)
  return done !== null && done >= TELLING && value < 1 && value >= TELLING
}

/** Files done of all files, 0..1; null where it says nothing, as with a single file. */
export function shareOfFiles(job: Job): number | null {
  const completed = job.progress.completedFiles
  const total = job.progress.totalFiles ?? job.totalFiles
  if (completed === undefined || total === undefined || total === null) return null
  return total > 1 && completed >= 0 && completed <= total ? completed / total : null
}

/** The service's own number as 0..1; null where it can't be believed or its scale isn't known yet. */
export function shareOfService(job: Job, scale: ProgressScale | null): number | null {
  const value = job.progress.totalProgress
  if (value === undefined || scale === null || value < 0) return null
  if (scale === 'percent') return value <= HUNDRED ? Math.min(1, value / 100) : null
  return value <= ABOVE_ONE ? Math.min(1, value) : null
}
