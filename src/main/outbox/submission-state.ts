/**
 * What stands in the outbox's file about a submission, as schemas: the file may have been written by another version. Some
 * words in the file are older than those of the code (`mark`, `doubt`, `settled`, `lookAlikes`) and stay for ever; they are
 * translated here and nowhere else.
 */
import * as z from 'zod'
import { FileError, JobStatus } from '../../shared/api/resources.ts'
import type { Candidate } from '../../shared/model/work.ts'

/** A job that was listed right before the submission was sent, and so is not what came of it. */
export const KnownJob = z.object({ jobId: z.string(), createdAt: z.string() })
export type KnownJob = z.infer<typeof KnownJob>

/** One sending, written before the first byte of `POST /jobs` leaves: all that is needed to find out what came of it. */
export const SendAttempt = z.object({
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
export type SendAttempt = z.infer<typeof SendAttempt>

/** Why it is not known what came of an attempt: what sort of trouble it was, in the service's words or ours. */
export const Uncertainty = z.object({
  cause: z.enum(['timeout', 'broken', 'serverError', 'badResponse', 'crash']),
  message: z.string(),
})
export type Uncertainty = z.infer<typeof Uncertainty>

const StoredCandidate = z.object({
  jobId: z.string(),
  name: z.string(),
  files: z.number().nullable(),
  preset: z.string(),
  status: JobStatus,
  createdAt: z.string(),
})

export const Acceptance = z.object({
  jobId: z.string(),
  /** As the service wrote it, which with the id names the job; absent until the job was read. */
  createdAt: z.string().optional(),
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

const StoredState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('waiting'),
    notBefore: z.number().nullable(),
    held: z.boolean(),
    holder: z.string().optional(),
  }),
  z.object({ kind: z.literal('sending'), mark: SendAttempt }),
  z.object({
    kind: z.literal('unknown'),
    mark: SendAttempt,
    doubt: Uncertainty,
    settled: z.boolean(),
    lookAlikes: z.array(StoredCandidate),
  }),
  z.object({ kind: z.literal('refused'), refusal: Refusal }),
  z.object({ kind: z.literal('accepted'), acceptance: Acceptance }),
])
type StoredState = z.infer<typeof StoredState>

/** Where a submission is in its life (rule 1). */
export type DurableState =
  | {
      readonly kind: 'waiting'
      /** ms since 1970; not sent earlier. */
      readonly notBefore: number | null
      /** Who edits it, so that it is not sent meanwhile; null: nobody. */
      readonly heldBy: string | null
    }
  | { readonly kind: 'sending'; readonly attempt: SendAttempt }
  | {
      readonly kind: 'unknown'
      readonly attempt: SendAttempt
      readonly uncertainty: Uncertainty
      /** Another recheck would not help: the user decides. */
      readonly leftToUser: boolean
      readonly candidates: readonly Candidate[]
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'accepted'; readonly acceptance: Acceptance }

export type DurableStateOf<K extends DurableState['kind']> = Extract<DurableState, { kind: K }>

export const WAITING: DurableStateOf<'waiting'> = { kind: 'waiting', notBefore: null, heldBy: null }

/** Held by a version that did not say who it was; no living process is called that. */
const NOBODY_KNOWN = 'unknown'

/** Throws where the text is of no shape that any version has written. */
export function readState(text: string): DurableState {
  const stored = StoredState.parse(JSON.parse(text))
  switch (stored.kind) {
    case 'waiting':
      return {
        kind: 'waiting',
        notBefore: stored.notBefore,
        heldBy: stored.held ? (stored.holder ?? NOBODY_KNOWN) : null,
      }
    case 'sending':
      return { kind: 'sending', attempt: stored.mark }
    case 'unknown':
      return {
        kind: 'unknown',
        attempt: stored.mark,
        uncertainty: stored.doubt,
        leftToUser: stored.settled,
        candidates: stored.lookAlikes,
      }
    default:
      return stored
  }
}

/** Reads states, of which those that come one after the other and say the same are one object: most of a line that waits. */
export function createStateReader(): typeof readState {
  let last: { readonly text: string; readonly state: DurableState } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, state: readState(text) }
    return last.state
  }
}

export const writeState = (state: DurableState): string => JSON.stringify(storedFrom(state))

function storedFrom(state: DurableState): StoredState {
  switch (state.kind) {
    case 'waiting': {
      const { notBefore, heldBy } = state
      return {
        kind: 'waiting',
        notBefore,
        held: heldBy !== null,
        ...(heldBy === null ? {} : { holder: heldBy }),
      }
    }
    case 'sending':
      return { kind: 'sending', mark: state.attempt }
    case 'unknown':
      return {
        kind: 'unknown',
        mark: state.attempt,
        doubt: state.uncertainty,
        settled: state.leftToUser,
        lookAlikes: [...state.candidates],
      }
    default:
      return state
  }
}
