/** The stored form of a submission. A different version may have written it. */
import * as z from 'zod'
import { FileError, JobStatus } from '../../shared/api/resources.ts'
import type { Failure } from '../../shared/failure/failure.ts'
import { FailureSchema } from '../../shared/failure/read-failure.ts'
import type { Candidate } from '../../shared/model/job.ts'

/** A failure that this version doesn't know is dropped, and only the text is used. */
const StoredFailure = FailureSchema.optional().catch(undefined)

/** A job that was already listed immediately before sending, so it isn't the submission's job. */
export const KnownJob = z.object({ jobId: z.string(), createdAt: z.string() })
export type KnownJob = z.infer<typeof KnownJob>

/**
 * One attempt to send, stored before the first byte of `POST /jobs` is sent. Contains everything needed to find out its outcome.
 */
export const SendAttempt = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Identifies the service: its base URL, or `builtIn` for the built-in service, whose port may change. */
  service: z.string(),
  baseUrl: z.string(),
  connection: z.enum(['external', 'builtIn']),
  known: z.array(KnownJob),
  /** Paths of uploaded inputs. The service may have renamed the files. */
  uploaded: z.array(z.string()).nullable(),
  /** Whether the results exist only on the service's computer and must be downloaded. */
  remote: z.boolean().optional(),
  /** Inputs that the service received under another name, by the user's own path. */
  names: z.array(z.object({ path: z.string(), as: z.string() })).optional(),
  unsent: z.array(FileError).optional(),
  /** Hash of the document of the preset that the built-in service uses; absent for another service and without a preset. */
  presetHash: z.string().optional(),
})
export type SendAttempt = z.infer<typeof SendAttempt>

/** Why an attempt's outcome is unknown: the kind of failure, and a message from the service or from Mediatray. */
export const Uncertainty = z.object({
  cause: z.enum(['timeout', 'broken', 'serverError', 'badResponse', 'crash']),
  message: z.string(),
  failure: StoredFailure,
})
export type Uncertainty = z.infer<typeof Uncertainty>

const StoredCandidate = z.object({
  jobId: z.string(),
  name: z.string(),
  files: z.number().nullable(),
  preset: z.string(),
  status: JobStatus,
  createdAt: z.string(),
}) satisfies z.ZodType<Candidate>

export const Acceptance = z.object({
  jobId: z.string(),
  /**
   * The job's creation time as the service sent it; absent until the job has been read. Together with the ID, it identifies the
   * job.
   */
  createdAt: z.string().optional(),
  baseUrl: z.string(),
  connection: z.enum(['external', 'builtIn']),
  /** Milliseconds since 1970. */
  acceptedAt: z.number(),
  skipped: z.array(FileError).readonly(),
  /** Whether the results exist only on the service's computer and must be downloaded. */
  remote: z.boolean().optional(),
  /** Hash of the document of the preset that the built-in service uses. */
  presetHash: z.string().optional(),
})
export type Acceptance = z.infer<typeof Acceptance>

export const Refusal = z.object({
  message: z.string(),
  failure: StoredFailure,
  why: z.enum(['invalid', 'drive', 'tooLarge', 'inputsGone', 'service']),
  skipped: z.array(FileError),
})
export type Refusal = z.infer<typeof Refusal>

/** State of a submission (rule 1). */
export const DurableState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('waiting'),
    /** Earliest time at which the submission may be sent, in milliseconds since 1970; null if it may be sent immediately. */
    notBefore: z.number().nullable(),
    /** Whether the user is editing the submission, which prevents sending it. */
    isEdited: z.boolean(),
    /** Why the submission was postponed: its results can't be saved now, or the service fails. It is sent again at `notBefore`. */
    unsaved: StoredFailure,
  }),
  z.object({ kind: z.literal('sending'), attempt: SendAttempt }),
  z.object({
    kind: z.literal('unknown'),
    attempt: SendAttempt,
    uncertainty: Uncertainty,
    /** Whether the user must decide, because another recheck wouldn't help. */
    leftToUser: z.boolean(),
    candidates: z.array(StoredCandidate).readonly(),
  }),
  z.object({ kind: z.literal('refused'), refusal: Refusal }),
  z.object({ kind: z.literal('accepted'), acceptance: Acceptance }),
])
type AnyState = Readonly<z.infer<typeof DurableState>>
export type DurableState<Kind extends AnyState['kind'] = AnyState['kind']> = Extract<AnyState, { kind: Kind }>

export const WAITING: DurableState<'waiting'> = { kind: 'waiting', notBefore: null, isEdited: false }

/** Delays in ms before a postponed submission is sent again. */
const SHORTEST_DELAY_MS = 30_000
const LONGEST_DELAY_MS = 5 * 60 * 1000

const SERVICE_FAILURES: ReadonlySet<Failure['code']> = new Set([
  'serviceReported',
  'serviceInternal',
  'presetUnknown',
])

/** Returns what a postponed submission waits for. */
export const postponedBecause = ({ code }: Failure): 'output' | 'serviceFailed' =>
  SERVICE_FAILURES.has(code) ? 'serviceFailed' : 'output'

/**
 * Returns the state of a submission that may succeed later without the user. The delay equals the submission's age, but is at least 30 s
 * and at most 5 min. Times are in ms since 1970.
 */
export function postponed(unsaved: Failure, at: number, createdAt = at): DurableState<'waiting'> {
  const delay = Math.min(Math.max(at - createdAt, SHORTEST_DELAY_MS), LONGEST_DELAY_MS)
  return { ...WAITING, notBefore: at + delay, unsaved }
}

/** Returns the state of a submission that may have arrived, before the first recheck. */
export const uncertain = (attempt: SendAttempt, uncertainty: Uncertainty): DurableState<'unknown'> => ({
  kind: 'unknown',
  attempt,
  uncertainty,
  leftToUser: false,
  candidates: [],
})
