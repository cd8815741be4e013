/**
 * What stands in the outbox's file about a submission, as schemas: the file may have been written by another version.
 */
import * as z from 'zod'
import { FileError, JobStatus } from '../../shared/api/resources.ts'

/** A job that was listed right before the submission was sent, and so is not what came of it. */
export const KnownJob = z.object({ jobId: z.string(), createdAt: z.string() })
export type KnownJob = z.infer<typeof KnownJob>

/** Written before the first byte of `POST /jobs` leaves: all that is needed to find out later what came of it. */
export const SentMark = z.object({
  /** ms since 1970. */
  at: z.number(),
  /** Which service: its base URL, or `builtIn` for the one that comes back on another port. */
  service: z.string(),
  baseUrl: z.string(),
  connection: z.enum(['external', 'builtIn']),
  known: z.array(KnownJob),
  /** Where inputs were uploaded, the service may call them by other names. */
  uploaded: z.array(z.string()).nullable(),
  /** Its results are on the service's computer only, and have to be fetched. */
  remote: z.boolean().optional(),
})
export type SentMark = z.infer<typeof SentMark>

/** Why it is not known: the service's words or ours, and what sort of trouble it was. */
export const Doubt = z.object({
  cause: z.enum(['timeout', 'broken', 'serverError', 'badResponse', 'crash']),
  message: z.string(),
})
export type Doubt = z.infer<typeof Doubt>

const LookAlike = z.object({
  jobId: z.string(),
  name: z.string(),
  files: z.number().nullable(),
  preset: z.string(),
  status: JobStatus,
  createdAt: z.string(),
})

export const Acceptance = z.object({
  jobId: z.string(),
  baseUrl: z.string(),
  connection: z.enum(['external', 'builtIn']),
  /** ms since 1970. */
  acceptedAt: z.number(),
  skipped: z.array(FileError),
  /** It was found in the job list; nobody knows what was skipped. */
  adopted: z.boolean(),
  /** Its results are on the service's computer only, and have to be fetched. */
  remote: z.boolean().optional(),
})
export type Acceptance = z.infer<typeof Acceptance>

export const Refusal = z.object({
  message: z.string(),
  why: z.enum(['invalid', 'drive', 'tooLarge', 'inputsGone']),
  skipped: z.array(FileError),
})
export type Refusal = z.infer<typeof Refusal>

export const StoredState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('waiting'),
    /** ms since 1970; not sent earlier. */
    notBefore: z.number().nullable(),
    /** It is being edited, and is not sent meanwhile. */
    held: z.boolean(),
  }),
  z.object({ kind: z.literal('sending'), mark: SentMark }),
  z.object({
    kind: z.literal('unknown'),
    mark: SentMark,
    doubt: Doubt,
    /** Looking again would not help: the user decides. */
    settled: z.boolean(),
    lookAlikes: z.array(LookAlike),
  }),
  z.object({ kind: z.literal('refused'), refusal: Refusal }),
  z.object({ kind: z.literal('accepted'), acceptance: Acceptance }),
])
export type StoredState = z.infer<typeof StoredState>
export type StoredStateOf<K extends StoredState['kind']> = Extract<StoredState, { kind: K }>
