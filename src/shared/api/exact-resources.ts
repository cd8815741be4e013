/**
 * The resources exactly as section 2 defines them: for the published description of the API, and for checks of services. The app's
 * own schemas (resources.ts) accept more, so that the app also works with services that make mistakes.
 */
import * as z from 'zod'
import { API_VERSION } from './limits.ts'
import * as api from './resources.ts'

const ExactJob = api.ServiceJob.extend({ type: z.enum(['single', 'batch']) })

export const exactResources = {
  Error: api.ApiError,
  FileError: api.FileError,
  Health: api.Health.extend({ status: z.literal('ok'), version: z.literal(API_VERSION) }),
  Presets: api.Presets,
  DriveStatus: api.DriveStatus,
  Upload: api.Upload,
  SpoofJobRequest: api.SpoofJobRequest,
  AcceptedJob: api.AcceptedJob,
  JobStatus: api.JobStatus,
  Progress: api.Progress,
  Output: api.Output,
  BatchOutput: api.BatchOutput,
  DriveUploadResult: api.DriveUploadResult,
  Job: ExactJob,
  JobList: api.JobList.extend({ jobs: z.array(ExactJob) }),
  CancelledJob: api.CancelledJob,
  ClearedJobs: api.ClearedJobs,
}

/** Additions of the built-in service that the schemas omit. Other services and clients ignore them. */
const ADDITIONS: ReadonlySet<string> = new Set([
  'failure',
  'uploadFailure',
  'originals',
  'identities',
  'presetKey',
  'losses',
  'notes',
  'quality',
])

type Described = {
  readonly zodSchema: object
  readonly jsonSchema: {
    default?: unknown
    minimum?: number | undefined
    maximum?: number | undefined
    additionalProperties?: unknown
    properties?: Record<string, unknown> | undefined
  }
}

/**
 * Makes the JSON Schema that zod generates for a resource exact: removes zod's defaults and ranges of safe integers, omits the built-in
 * service's additions, and allows unknown fields.
 */
export function makeExact({ zodSchema, jsonSchema }: Described): void {
  if (zodSchema instanceof z.ZodCatch) delete jsonSchema.default
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  for (const name of Object.keys(jsonSchema.properties ?? {})) {
    if (ADDITIONS.has(name)) delete jsonSchema.properties?.[name]
  }
}
