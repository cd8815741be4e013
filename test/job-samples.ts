/** Jobs as services report them, for services that tests imitate. */
import type { AcceptedJob, ServiceJob } from '../src/shared/api/resources.ts'

/** A job that was just created from these files. */
export const queuedJob = (
  jobId: string,
  files: readonly string[],
  preset: string | undefined,
  createdAt: string,
): ServiceJob => ({
  jobId,
  status: 'queued',
  type: files.length === 1 ? 'single' : 'batch',
  preset: preset ?? '',
  progress: {},
  createdAt,
  startedAt: null,
  completedAt: null,
  totalFiles: files.length,
  fileName: (files[0] ?? '').replace(/^.*[/]/, ''),
})

/** The response to `POST /jobs` for a job without a drive. */
export const acceptedJob = (
  jobId: string,
  inputFiles: number,
  position: number,
  batchCount = 1,
): AcceptedJob => ({
  jobId,
  status: 'queued',
  inputFiles,
  batchCount,
  totalOperations: inputFiles * batchCount,
  skipped: [],
  position,
  drive: null,
})
