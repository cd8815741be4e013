/**
 * The resources of the Local Media Job API (section 2), as schemas and the types that follow from them.
 *
 * Strict where the spec speaks: a missing or wrong required field does not parse. Tolerant where it is silent: unknown
 * fields are left out, any string is a phase or a timestamp, and an optional field of an unexpected shape counts as absent.
 */
import * as z from 'zod'
import { JOB_ID_PATTERN } from './limits.ts'

/** An optional field that the reader can do without: whatever is not of its shape counts as absent. */
const tolerated = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable()
const count = z.int().min(0)

export const JobId = z.string().regex(JOB_ID_PATTERN)

export const FileError = z.object({ file: z.string(), error: z.string() })
export type FileError = z.infer<typeof FileError>

export const ApiError = z.object({ error: z.string(), skipped: tolerated(z.array(FileError)) })
export type ApiError = z.infer<typeof ApiError>

export const Health = z.object({ status: z.string(), version: z.string(), activeJobs: count })
export type Health = z.infer<typeof Health>

export const Presets = z.object({ image: z.array(z.string()), video: z.array(z.string()) })
export type Presets = z.infer<typeof Presets>

export const DriveStatus = z.object({
  clientConfigured: z.boolean(),
  connected: z.boolean(),
  email: nullable(z.string()),
  scope: nullable(z.string()),
})
export type DriveStatus = z.infer<typeof DriveStatus>

export const Upload = z.object({ filePath: z.string(), originalName: z.string(), size: z.int().min(1) })
export type Upload = z.infer<typeof Upload>

/** The body of `POST /jobs`. Which fields go together is said by the input rules, not by this shape. */
export const SpoofJobRequest = z.object({
  filePath: z.string().optional(),
  files: z.array(z.string()).optional(),
  driveInputFolder: z.string().optional(),
  outputFolder: z.string().optional(),
  driveOutputFolder: z.string().optional(),
  preset: z.string().optional(),
  batchCount: z.int().min(1).optional(),
})
export type SpoofJobRequest = z.infer<typeof SpoofJobRequest>

export const AcceptedJob = z.object({
  jobId: JobId,
  status: z.literal('queued'),
  inputFiles: nullable(z.int()),
  batchCount: z.int(),
  totalOperations: nullable(z.int()),
  skipped: z.array(FileError),
  position: z.int(),
  drive: nullable(z.object({ input: z.boolean(), output: z.boolean() })),
})
export type AcceptedJob = z.infer<typeof AcceptedJob>

export const JobStatus = z.enum(['queued', 'processing', 'completed', 'failed', 'cancelled'])
export type JobStatus = z.infer<typeof JobStatus>

export const Output = z.object({ outputPath: z.string() })
export type Output = z.infer<typeof Output>

export const BatchOutput = z.object({ file: z.string(), outputPath: z.string() })
export type BatchOutput = z.infer<typeof BatchOutput>

/** The scale of the two shares is not specified; see `progress` in the app's model for what is made of them. */
export const Progress = z.object({
  phase: tolerated(z.string()),
  phaseProgress: tolerated(z.number()),
  totalProgress: tolerated(z.number()),
  currentFile: tolerated(z.int()),
  totalFiles: tolerated(nullable(z.int())),
  completedFiles: tolerated(z.int()),
  fileName: tolerated(z.string()),
})
export type Progress = z.infer<typeof Progress>

export const DriveUploadResult = z.object({
  uploaded: count,
  errors: z.array(z.object({ name: z.string(), error: z.string() })),
  cancelled: tolerated(z.boolean()),
})
export type DriveUploadResult = z.infer<typeof DriveUploadResult>

export const JobDrive = z.object({
  inputFolderId: tolerated(nullable(z.string())),
  outputFolderId: tolerated(nullable(z.string())),
  uploadResult: tolerated(nullable(DriveUploadResult)),
  uploadError: tolerated(nullable(z.string())),
})
export type JobDrive = z.infer<typeof JobDrive>

export const Job = z.object({
  jobId: JobId,
  status: JobStatus,
  type: z.string(),
  preset: z.string(),
  progress: Progress,
  createdAt: z.string(),
  startedAt: nullable(z.string()),
  completedAt: nullable(z.string()),
  fileType: tolerated(z.string()),
  fileName: tolerated(z.string()),
  totalFiles: tolerated(z.int()),
  result: tolerated(Output),
  results: tolerated(z.array(BatchOutput)),
  error: tolerated(z.string()),
  errors: tolerated(z.array(FileError)),
  drive: tolerated(JobDrive),
})
export type Job = z.infer<typeof Job>

export const JobList = z.object({ jobs: z.array(Job), queueLength: z.int(), processing: z.boolean() })
export type JobList = z.infer<typeof JobList>

/** The list as it comes: what its jobs are is asked of each by itself. */
export const JobListAnswer = JobList.extend({ jobs: z.array(z.unknown()) })
export type JobListAnswer = z.infer<typeof JobListAnswer>

export type ReadJobList = JobList & {
  /** The ids of jobs that could not be read, each '' where even that is missing. */
  readonly unreadable?: readonly string[]
}

/**
 * The list as a client reads it, job by job: one that is not as section 2 promises must not hide the others. A function, because
 * what a transform of zod has read stays in memory until all of that is searched, and this is read four times a second.
 */
export function readJobList({ jobs, ...queue }: JobListAnswer): ReadJobList {
  const read = jobs.map((job) => ({ job, parsed: Job.safeParse(job) }))
  return {
    ...queue,
    jobs: read.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : [])),
    unreadable: read.flatMap(({ job, parsed }) => (parsed.success ? [] : [idIn(job)])),
  }
}

const idIn = (job: unknown): string => z.object({ jobId: JobId }).safeParse(job).data?.jobId ?? ''

/** The answer to `DELETE /jobs/{jobId}`: says that cancellation was asked for, not that it has happened. */
export const CancelledJob = z.object({ jobId: JobId, status: z.literal('cancelled') })
export type CancelledJob = z.infer<typeof CancelledJob>

/** The answer to `DELETE /jobs`. */
export const ClearedJobs = z.object({ cleared: z.int() })
export type ClearedJobs = z.infer<typeof ClearedJobs>
