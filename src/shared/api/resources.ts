/**
 * The resources of the Local Media Job API (section 2), as schemas and the types derived from them. Strict where the spec is
 * explicit: a missing or invalid required field is an error. Tolerant where the spec says nothing: unknown fields are dropped, any
 * string is a valid phase or timestamp, and an optional field of an unexpected shape counts as absent.
 */
import * as z from 'zod'
import type { Failure } from '../failure/failure.ts'
import { FailureSchema } from '../failure/read-failure.ts'
import { once } from '../once.ts'
import { LossSchema } from '../loss/read-loss.ts'
import type { Quality } from '../quality/quality.ts'
import { QualitySchema } from '../quality/read-quality.ts'
import { RESULT_NOTES } from '../result-notes.ts'
import { JOB_ID_PATTERN, MAX_LISTED_JOBS } from './limits.ts'

/** An optional field that readers don't depend on. A value of an unexpected shape counts as absent. */
const tolerated = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

/**
 * A required field that becomes '' if it is missing or isn't a string. An invalid list entry therefore stays, and the other entries keep
 * their indexes.
 */
const orEmpty = () => z.string().catch('')

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable()
const count = z.int().min(0)

export const JobId = z.string().regex(JOB_ID_PATTERN)

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

/** The body of `POST /jobs`. The input rules define which fields may be combined. */
export const SpoofJobRequest = z.object({
  filePath: z.string().optional(),
  files: z.array(z.string()).optional(),
  driveInputFolder: z.string().optional(),
  outputFolder: z.string().optional(),
  driveOutputFolder: z.string().optional(),
  preset: z.string().optional(),
  batchCount: z.int().min(1).optional(),
  /**
   * Paths of the user's own files, by the paths of the inputs that stand for them. An addition for the built-in service, which keeps
   * their folder structure and extensions. Other services ignore it (section 9).
   */
  originals: z.record(z.string(), z.string()).optional(),
  /**
   * Identities of the files that the client accepted, in the order of `filePath` and `files`; unknown ones are empty. Most are shortened to
   * the distance from the previous file's inode. Also an addition for the built-in service, which reads no other files.
   */
  identities: z.array(z.string()).optional(),
  /**
   * The key of the preset's document as the client has read it. Also an addition for the built-in service, which rejects the job if it
   * doesn't find exactly this document.
   */
  presetKey: z.string().optional(),
})
export type SpoofJobRequest = z.infer<typeof SpoofJobRequest>

export const JobStatus = z.enum(['queued', 'processing', 'completed', 'failed', 'cancelled'])
export type JobStatus = z.infer<typeof JobStatus>

/** The scale of both progress values is unspecified; the app's model of a part interprets them. */
export const Progress = z.object({
  phase: tolerated(z.string()),
  phaseProgress: tolerated(z.number()),
  totalProgress: tolerated(z.number()),
  currentFile: tolerated(z.int()),
  totalFiles: tolerated(nullable(z.int())),
  completedFiles: tolerated(z.int()),
  fileName: tolerated(z.string()),
  /** Number of files that are processed in parallel, if more than one. An addition of the built-in service. */
  filesInProgress: tolerated(z.int()),
  /** Whether files wait until memory is free. Also an addition. */
  waitsForMemory: tolerated(z.boolean()),
  /** Whether files wait until there is space on the disk. Also an addition. */
  waitsForDiskSpace: tolerated(z.boolean()),
})
export type Progress = z.infer<typeof Progress>

/** The fields that the built-in service adds. Values that this version doesn't define count as absent. */
const OwnAdditions = {
  /** Accompanies each error text. */
  failure: tolerated(FailureSchema),
  losses: tolerated(z.array(LossSchema)),
  /** How a result was made. */
  notes: tolerated(z.array(z.enum(RESULT_NOTES))),
  quality: tolerated(QualitySchema),
}

/** Returns the schemas of the resources that contain these fields. */
const resourcesWith = ({ failure, losses, notes, quality }: typeof OwnAdditions) => {
  const Output = z.object({ outputPath: z.string(), losses, notes, quality })
  const BatchOutput = z
    .object({ file: orEmpty(), outputPath: orEmpty(), losses, notes, quality })
    .catch({ file: '', outputPath: '' })
  const FileError = z.object({ file: z.string(), error: z.string(), failure })
  const BatchError = z.object({ file: orEmpty(), error: orEmpty(), failure }).catch({ file: '', error: '' })
  const UploadError = z.object({ name: orEmpty(), error: orEmpty(), failure }).catch({ name: '', error: '' })
  const DriveUploadResult = z.object({
    uploaded: count,
    errors: z.array(UploadError),
    cancelled: tolerated(z.boolean()),
  })
  const JobDrive = z.object({
    inputFolderId: tolerated(nullable(z.string())),
    outputFolderId: tolerated(nullable(z.string())),
    uploadResult: tolerated(nullable(DriveUploadResult)),
    uploadError: tolerated(nullable(z.string())),
    uploadFailure: failure,
  })
  return {
    FileError,
    Output,
    BatchOutput,
    DriveUploadResult,
    ApiError: z.object({ error: z.string(), failure, skipped: tolerated(z.array(FileError)) }),
    AcceptedJob: z.object({
      jobId: JobId,
      status: z.literal('queued'),
      inputFiles: nullable(z.int()),
      batchCount: z.int(),
      totalOperations: nullable(z.int()),
      skipped: z.array(FileError),
      position: z.int(),
      drive: nullable(z.object({ input: z.boolean(), output: z.boolean() })),
    }),
    Job: z.object({
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
      failure,
      errors: tolerated(z.array(BatchError)),
      drive: tolerated(JobDrive),
    }),
  }
}

/** The resources as the built-in service sends them. */
export const ownResources = resourcesWith(OwnAdditions)
/** The resources as other services send them. Fields that the API doesn't define are dropped. */
export const otherResources = once(() =>
  resourcesWith({
    failure: tolerated(z.custom<Failure>(() => false)),
    losses: tolerated(z.array(LossSchema).max(0)),
    notes: tolerated(z.array(z.enum(RESULT_NOTES)).max(0)),
    quality: tolerated(z.custom<Quality>(() => false)),
  }),
)

export const {
  FileError,
  ApiError,
  AcceptedJob,
  Job: ServiceJob,
  DriveUploadResult,
  Output,
  BatchOutput,
} = ownResources
export type BatchOutput = z.infer<typeof BatchOutput>
export type FileError = z.infer<typeof FileError>
export type FileProblem = Omit<FileError, 'file'>
export type ApiError = z.infer<typeof ApiError>
export type AcceptedJob = z.infer<typeof AcceptedJob>
export type DriveUploadResult = z.infer<typeof DriveUploadResult>
export type ServiceJob = z.infer<typeof ServiceJob>

export const JobList = z.object({ jobs: z.array(ServiceJob), queueLength: z.int(), processing: z.boolean() })
export type JobList = z.infer<typeof JobList>

/** Limit for the list: ten times as many jobs as the API allows, because each unreadable job takes time and memory. */
const MOST_JOBS = 10 * MAX_LISTED_JOBS

/** The list as received. Each job in it is parsed separately. */
export const JobListAnswer = JobList.extend({ jobs: z.array(z.unknown()).max(MOST_JOBS) })
export type JobListAnswer = z.infer<typeof JobListAnswer>

export type UnreadableJob = {
  /** '' if the job has no valid ID. */
  readonly jobId: string
  /** The first field that violates section 2. */
  readonly field: string
}

export type ReadJobList = JobList & { readonly unreadable?: readonly UnreadableJob[] }

/** Creates a function that parses each object only once. */
export function createJobReader(schema: typeof ServiceJob) {
  const known = new WeakMap<object, ReturnType<typeof readJob>>()
  return (sent: object) => {
    const read = known.get(sent) ?? readJob(sent, schema)
    known.set(sent, read)
    return read
  }
}

function readJob(sent: object, schema: typeof ServiceJob) {
  const { data: job, error } = schema.safeParse(sent)
  if (job !== undefined) return { job }
  return { unreadable: { jobId: idIn(sent), field: error?.issues[0]?.path.join('.') ?? '' } }
}

/**
 * Parses a job list job by job, so that an invalid job doesn't hide the others. Not a zod transform: zod keeps its results in
 * memory until a full garbage collection, and this runs four times a second.
 */
export function readJobList(
  { jobs, ...queue }: JobListAnswer,
  read: ReturnType<typeof createJobReader>,
): ReadJobList {
  const all = jobs.map((job) => read(Object(job)))
  return {
    ...queue,
    jobs: all.flatMap(({ job }) => job ?? []),
    unreadable: all.flatMap(({ unreadable }) => unreadable ?? []),
  }
}

const idIn = (job: unknown): string => z.object({ jobId: JobId }).safeParse(job).data?.jobId ?? ''

/** The response to `DELETE /jobs/{jobId}`. It confirms that cancellation was requested, not that it has happened. */
export const CancelledJob = z.object({ jobId: JobId, status: z.literal('cancelled') })
export type CancelledJob = z.infer<typeof CancelledJob>

/** The response to `DELETE /jobs`. */
export const ClearedJobs = z.object({ cleared: z.int() })
export type ClearedJobs = z.infer<typeof ClearedJobs>
