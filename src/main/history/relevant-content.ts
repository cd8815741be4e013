import type { Job } from '../../shared/api/resources.ts'

/** Serializes a job without its progress, which changes every two seconds and isn't needed later. */
export const relevantContent = (job: Job, startedAt: number | null): string =>
  JSON.stringify([
    job.status,
    startedAt,
    job.totalFiles ?? job.progress.totalFiles,
    job.result,
    job.results,
    job.error,
    job.errors,
    job.drive,
  ])
