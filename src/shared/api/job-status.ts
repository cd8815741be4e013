import type { JobStatus } from './resources.ts'

/** Section 3: still to be processed, or being processed. */
export const IN_PROGRESS: ReadonlySet<JobStatus> = new Set(['queued', 'processing'])

/** Section 3: the processing has ended. An upload to a drive may still be under way. */
export const TERMINAL: ReadonlySet<JobStatus> = new Set(['completed', 'failed', 'cancelled'])

export const isInProgress = (status: JobStatus): boolean => IN_PROGRESS.has(status)
export const isTerminal = (status: JobStatus): boolean => TERMINAL.has(status)
