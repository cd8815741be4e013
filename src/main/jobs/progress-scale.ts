import type { ServiceJob } from '../../shared/api/resources.ts'

export type ProgressScale = 'fraction' | 'percent'

/** What a service's responses have revealed about its progress scale. The spec doesn't define the scale (section 2). */
export type ScaleEvidence = {
  readonly scale: ProgressScale | null
  /** Distinct values that look like fractions. */
  readonly fractions: readonly string[]
}

export const NO_EVIDENCE: ScaleEvidence = { scale: null, fractions: [] }

/** Above 1, by more than a rounding error. */
const ABOVE_ONE = 1.001
const HUNDRED = 100.5

/**
 * Smallest value that counts as evidence for a fraction. A percentage stays between this value and 1 so briefly that two polls
 * in that range rule out percentages.
 */
const TELLING = 0.05
const SIGHTINGS_NEEDED = 2

/**
 * Determines the scale as soon as it is certain. A number between 1 and 100 can only be a percentage, which is final. A small
 * number is either a fraction or the first percent of a job. It counts as a fraction if a second one is seen, if the number of
 * finished files confirms it, or if a completed job reports 1.
 */
export function learnScale(evidence: ScaleEvidence, jobs: readonly ServiceJob[]): ScaleEvidence {
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

function isSurelyFraction(job: ServiceJob, value: number): boolean {
  if (job.status === 'completed' && value > 0.999) return true
  const done = shareOfFiles(job)
  return done !== null && done >= TELLING && value < 1 && value >= TELLING
}

/** Returns the fraction (0..1) of finished files; null if it is unknown or implausible, or for a single file. */
export function shareOfFiles(job: ServiceJob): number | null {
  const completed = job.progress.completedFiles
  const total = job.progress.totalFiles ?? job.totalFiles
  if (completed === undefined || total === undefined || total === null) return null
  return total > 1 && completed >= 0 && completed <= total ? completed / total : null
}

/** Returns the service's own progress as a fraction (0..1); null if it is missing or implausible, or its scale isn't known yet. */
export function shareOfService(job: ServiceJob, scale: ProgressScale | null): number | null {
  const value = job.progress.totalProgress
  if (value === undefined || scale === null || value < 0) return null
  if (scale === 'percent') return value <= HUNDRED ? Math.min(1, value / 100) : null
  return value <= ABOVE_ONE ? Math.min(1, value) : null
}
