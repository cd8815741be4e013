import type { JobStatus } from './resources.ts'

/** Section 3: still to be processed, or being processed. */
export const IN_PROGRESS: ReadonlySet<JobStatus> = new Set(['queued', 'processing'])

export const isInProgress = (status: JobStatus): boolean => IN_PROGRESS.has(status)
