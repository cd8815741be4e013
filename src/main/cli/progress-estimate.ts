import type { Progress } from '../../shared/api/resources.ts'

export type Estimate = {
  /** 0..1, never falling; null while nothing believable is known. */
  readonly share: number | null
  /** In ms; null while it would be a guess. */
  readonly remaining: number | null
}

/** Before this much time and this much progress, the speed so far says little. */
const MEANINGFUL_MS = 3_000
const MEANINGFUL_SHARE = 0.03

/**
 * Makes a believable share of the progress numbers, whose scale the API does not specify: up to 1 they are taken for a
 * fraction, and for percents as soon as one above 1 has been seen. Without numbers, files done of files will do.
 */
export function createEstimate(now: () => number): (progress: Progress) => Estimate {
  let inPercent = false
  let share: number | null = null
  let start: { readonly at: number; readonly share: number } | undefined

  return (progress) => {
    const total = progress.totalProgress
    if (total !== undefined && total > 1 && !inPercent) {
      // What was taken for a fraction so far was a first percent.
      inPercent = true
      share = null
      start = undefined
    }
    const reading =
      total === undefined ? filesDone(progress) : inPercent ? total / 100 : wholeOnlyAtTheEnd(total)
    if (reading !== null && Number.isFinite(reading)) {
      share = Math.max(share ?? 0, Math.min(1, Math.max(0, reading)))
    }
    if (share === null) return { share, remaining: null }
    start ??= { at: now(), share }
    return { share, remaining: remainingTime(start, share, now()) }
  }
}

/** Exactly 1 may be the end of a fraction or the first percent: until more is known, it is the smaller of the two. */
const wholeOnlyAtTheEnd = (total: number): number => (total === 1 ? 0.01 : total)

function filesDone({ completedFiles, totalFiles }: Progress): number | null {
  if (completedFiles === undefined || typeof totalFiles !== 'number' || totalFiles <= 0) return null
  return completedFiles / totalFiles
}

function remainingTime(start: { at: number; share: number }, share: number, now: number): number | null {
  const elapsed = now - start.at
  const made = share - start.share
  if (share >= 1 || elapsed < MEANINGFUL_MS || made < MEANINGFUL_SHARE) return null
  return (elapsed / made) * (1 - share)
}
