import type { Timing } from '../../node/timing.ts'
import type { AcceptedJob, JobList, SpoofJobRequest } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Result, ServiceError } from '../../shared/service-error.ts'
import type { Acceptances } from './accept-submission.ts'
import { fitsTheLimit, folderBeside, jobRequestOf } from './job-request.ts'
import type { Outbox } from './outbox.ts'
import { prepareInputs, type Prepared, type UploadShare } from './prepare-inputs.ts'
import { identityOf, type SendingService } from './sending-service.ts'
import type { Refusal, SendAttempt } from './submission-state.ts'
import type { StoredSubmission } from './submission-table.ts'
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
  readonly acceptances: Acceptances
  readonly clock: Timing['clock']
  /** In bytes; null where there is no such file. */
  readonly sizeOf: (path: string) => Promise<number | null>
  /** Whether this service may still be sent to, after a while of preparing. */
  readonly maySendTo: (service: SendingService) => boolean
  /** Aborted when what is under way is given up. */
  readonly stopping: AbortSignal
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

const NEXT: SendResult = { kind: 'next' }
const IDLE: Sending = { kind: 'idle' }

/** Prepares one submission, marks it as sent and sends it, once (rule 1). */
export function createSubmissionSending(deps: SubmissionSendingDeps): SubmissionSending {
  const { outbox, stopping, log } = deps
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
      const prepared = await prepare(submission, service, abort)
      if (prepared.kind === 'failed') {
        return abort.signal.aborted || stopping.aborted ? NEXT : uploadFailed(id, prepared.error)
      }
      if (prepared.kind === 'refused') return refuseUnsent(id, prepared.refusal)
      const request = requestFor(submission, prepared)
      if (!fitsTheLimit(request)) return refuseUnsent(id, { why: 'tooLarge', message: '', skipped: [] })
      become({ kind: 'preparing', id, upload: null, abort })
      const before = await service.api.jobs({ signal: stopping })
      if (!before.ok) return { kind: 'trouble', error: before.error }
      const attempt = attemptWith(submission, service, prepared, before.value)
      // Whatever was decided while it was prepared (removed, edited, paused, another service) still counts here.
      if (!deps.maySendTo(service) || !outbox.beginSending(id, attempt)) return NEXT
      sending = { kind: 'posting', id }
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
      onUpload: (upload) => become({ kind: 'preparing', id, upload, abort }),
      signal: AbortSignal.any([stopping, abort.signal]),
    })

  const attemptWith = (
    { plan }: StoredSubmission,
    service: SendingService,
    { uploaded }: Extract<Prepared, { kind: 'ready' }>,
    before: JobList,
  ): SendAttempt => ({
    at: deps.clock(),
    service: identityOf(service),
    baseUrl: service.baseUrl,
    connection: service.kind,
    known: before.jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt })),
    uploaded: uploaded === null ? null : [...uploaded],
    remote: plan.output.kind === 'folder' && (!service.seesFiles || uploaded !== null),
  })

  async function post(
    { id, attempts }: StoredSubmission,
    attempt: SendAttempt,
    request: SpoofJobRequest,
    { api }: SendingService,
  ): Promise<SendResult> {
    const answer: Result<AcceptedJob> = await api.createJob(request, { signal: stopping })
    if (answer.ok) {
      const { jobId, skipped } = answer.value
      deps.acceptances.accept(id, attempt, { jobId, skipped, adopted: false })
      return { kind: 'accepted' }
    }
    const verdict = verdictOf(answer.error)
    log('submission not accepted', { id, error: answer.error.kind, verdict: verdict.kind })
    switch (verdict.kind) {
      case 'wait':
        outbox.backToWaiting(id)
        if (verdict.because === 'interrupted') return NEXT
        return verdict.because === 'queueFull'
          ? { kind: 'queueFull' }
          : { kind: 'trouble', error: answer.error }
      case 'refused':
        outbox.refuse(id, verdict.refusal)
        return NEXT
      case 'unknown':
        outbox.markUnknown(id, attempt, verdict.uncertainty)
        log('submission unknown', { id, cause: verdict.uncertainty.cause, attempt: attempts + 1 })
        break
    }
    return NEXT
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

function requestFor(
  { id, plan }: StoredSubmission,
  { paths, uploaded }: Extract<Prepared, { kind: 'ready' }>,
) {
  const [first] = uploaded ?? []
  return jobRequestOf(plan, paths, first === undefined ? undefined : folderBeside(first, id))
}
