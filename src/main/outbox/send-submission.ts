import type { Timing } from '../../node/timing.ts'
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { JobList, SpoofJobRequest } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { Answers } from './answers.ts'
import { fitsTheLimit, folderBeside, jobRequestOf } from './job-request.ts'
import type { Outbox } from './outbox.ts'
import { createUploads, prepareInputs, type Prepared, type UploadShare } from './prepare-inputs.ts'
import { identityOf, type SendingService } from './sending-service.ts'
import type { KnownJob, Refusal, SendAttempt } from './submission-state.ts'
import type { StoredSubmission } from './submission-rows.ts'
import { verdictOf } from './verdict.ts'

/** The one submission that is being prepared or sent. */
export type Sending =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'preparing'
      readonly id: RecordId
      readonly upload: UploadShare | null
      readonly abort: AbortController
    }
  | { readonly kind: 'posting'; readonly id: RecordId }

/** What sending one submission means for the others. */
export type SendResult =
  /** Whatever came of it is written down, and the next one may be sent. */
  | { readonly kind: 'next' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'queueFull' }
  /** The service can't be used. */
  | { readonly kind: 'trouble'; readonly error: ServiceError }

export type SubmissionSending = {
  readonly now: () => Sending
  send(submission: StoredSubmission, service: SendingService): Promise<SendResult>
  /** Gives up on preparing this one, or whichever it is. Nothing has been sent of it. */
  stopPreparing(id?: RecordId): void
}

export type SubmissionSendingDeps = {
  readonly outbox: Outbox
  readonly answers: Answers
  readonly clock: Timing['clock']
  /** In bytes; null where there is no such file. */
  readonly sizeOf: (path: string) => Promise<number | null>
  /** Whether this service may still be sent to, after a while of preparing. */
  readonly maySendTo: (service: SendingService) => boolean
  /** Nobody knows what came of it; called in the moment in which that happens. */
  readonly onUnknown: (id: RecordId) => void
  /** Aborted when what is under way is given up. */
  readonly stopping: AbortSignal
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

const NEXT: SendResult = { kind: 'next' }
const IDLE: Sending = { kind: 'idle' }

/** Prepares one submission, marks it as sent and sends it, once (rule 1). */
export function createSubmissionSending(deps: SubmissionSendingDeps): SubmissionSending {
  const { outbox, answers, stopping, log } = deps
  const uploads = createUploads()
  let sending: Sending = IDLE

  function become(next: Sending): void {
    sending = next
    deps.onChange()
  }

  async function send(submission: StoredSubmission, service: SendingService): Promise<SendResult> {
    const { id } = submission
    const abort = new AbortController()
    become({ kind: 'preparing', id, upload: null, abort })
    try {
      if (needsUpload(submission, service)) {
        // Uploading for a queue that is full would be for nothing.
        const listed = await service.api.jobs({ signal: stopping })
        if (!listed.ok) return { kind: 'trouble', error: listed.error }
        if (isFull(listed.value)) return { kind: 'queueFull' }
      }
      const prepared = await prepare(submission, service, abort)
      if (prepared.kind === 'failed') {
        return abort.signal.aborted || stopping.aborted ? NEXT : uploadFailed(id, prepared.error)
      }
      if (prepared.kind === 'refused') return refuseUnsent(id, prepared.refusal)
      const request = requestFor(submission, prepared)
      if (!fitsTheLimit(request)) return refuseUnsent(id, { why: 'tooLarge', message: '', skipped: [] })
      if (prepared.uploaded !== null) become({ kind: 'preparing', id, upload: null, abort })
      // Immediately before it is sent: every job that is not in this list is newer than the submission.
      const before = await service.api.jobs({ signal: stopping })
      if (!before.ok) return { kind: 'trouble', error: before.error }
      const attempt = attemptWith(submission, service, prepared, before.value, deps.clock())
      // Whatever was decided while it was prepared (removed, edited, paused, another service) still counts here.
      if (!deps.maySendTo(service) || !outbox.beginSending(id, attempt)) return NEXT
      sending = { kind: 'posting', id }
      await markOnDisk(deps, id, attempt)
      return await post(submission, attempt, request, service)
    } finally {
      become(IDLE)
    }
  }

  const prepare = (
    { id, plan }: StoredSubmission,
    service: SendingService,
    abort: AbortController,
  ): Promise<Prepared> =>
    prepareInputs(plan, {
      api: service.api,
      seesFiles: service.seesFiles && plan.upload !== true,
      sizeOf: deps.sizeOf,
      uploads: uploads.of(id, identityOf(service)),
      onUpload: (upload) => become({ kind: 'preparing', id, upload, abort }),
      signal: AbortSignal.any([stopping, abort.signal]),
    })

  async function post(
    { id, attempts }: StoredSubmission,
    attempt: SendAttempt,
    request: SpoofJobRequest,
    { api }: SendingService,
  ): Promise<SendResult> {
    const answer = await api.createJob(request, { signal: stopping })
    if (answer.ok) {
      const { jobId, skipped } = answer.value
      uploads.forget(id)
      answers.take(id, attempt, { kind: 'accepted', as: { jobId, skipped, adopted: false } })
      return { kind: 'accepted' }
    }
    const { error } = answer
    const verdict = verdictOf(error)
    log('submission not accepted', { id, error: error.kind, verdict: verdict.kind })
    switch (verdict.kind) {
      case 'wait':
        answers.take(id, attempt, { kind: 'notCreated' })
        if (verdict.because === 'interrupted') return NEXT
        return verdict.because === 'queueFull' ? { kind: 'queueFull' } : { kind: 'trouble', error }
      case 'refused':
        // Section 4: the service may have dropped what was uploaded for an earlier attempt. Then it is uploaded anew, once.
        if (uploads.forget(id)) answers.take(id, attempt, { kind: 'notCreated' })
        else answers.take(id, attempt, { kind: 'refused', refusal: verdict.refusal })
        return NEXT
      case 'unknown':
        log('submission unknown', { id, cause: verdict.uncertainty.cause, attempt: attempts + 1 })
        deps.onUnknown(id)
        answers.take(id, attempt, { kind: 'unknown', uncertainty: verdict.uncertainty })
        return NEXT
    }
  }

  /** No job has come of it: what concerns this file refuses it, what concerns the service waits. */
  function uploadFailed(id: RecordId, error: ServiceError): SendResult {
    if (error.kind === 'refused' || error.kind === 'localFile') {
      const verdict = verdictOf(error)
      if (verdict.kind === 'refused') return refuseUnsent(id, verdict.refusal)
    }
    return { kind: 'trouble', error }
  }

  /** Found out while it was prepared; it may have been taken back in the meantime. */
  function refuseUnsent(id: RecordId, refusal: Refusal): SendResult {
    if (outbox.get(id)?.state.kind === 'waiting') outbox.refuse(id, refusal)
    return NEXT
  }

  return {
    now: () => sending,
    send,
    stopPreparing(id) {
      if (sending.kind === 'preparing' && (id === undefined || sending.id === id)) sending.abort.abort()
    },
  }
}

/** Nothing is sent of which a power failure could take the mark. */
async function markOnDisk(
  { outbox, answers }: Pick<SubmissionSendingDeps, 'outbox' | 'answers'>,
  id: RecordId,
  attempt: SendAttempt,
): Promise<void> {
  try {
    await outbox.onDisk()
  } catch (error) {
    answers.take(id, attempt, { kind: 'notCreated' })
    throw error
  }
}

function requestFor(
  { id, plan }: StoredSubmission,
  { paths, uploaded }: Extract<Prepared, { kind: 'ready' }>,
) {
  const [first] = uploaded ?? []
  return jobRequestOf(plan, paths, first === undefined ? undefined : folderBeside(first, id))
}

/** Whether `queueLength` counts the running job is not specified; the states of the jobs are. */
const isFull = ({ jobs }: JobList): boolean =>
  jobs.filter(({ status }) => status === 'queued').length >= MAX_WAITING_JOBS

const knownFrom = ({ jobs }: JobList): KnownJob[] =>
  jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt }))

const needsUpload = ({ plan }: StoredSubmission, { seesFiles }: SendingService): boolean =>
  plan.driveInput === null && (!seesFiles || plan.upload === true)

const attemptWith = (
  { plan }: StoredSubmission,
  service: SendingService,
  { uploaded }: Extract<Prepared, { kind: 'ready' }>,
  before: JobList,
  at: number,
): SendAttempt => ({
  at,
  service: identityOf(service),
  baseUrl: service.baseUrl,
  connection: service.kind,
  known: knownFrom(before),
  uploaded: uploaded === null ? null : [...uploaded],
  remote: plan.output.kind === 'folder' && (!service.seesFiles || uploaded !== null),
})
