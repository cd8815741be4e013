import { shortIdentities } from '../../node/identity-list.ts'
import type { Timing } from '../../node/timing.ts'
import { waitingIn } from '../../shared/api/job-status.ts'
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { AcceptedJob, JobList, SpoofJobRequest } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import type { AnswerOf, Answers } from './answers.ts'
import { fitsTheLimit, folderBeside, jobRequestOf } from './job-request.ts'
import { withOwnNames } from '../aliases/index.ts'
import {
  createUploads,
  prepareInputs,
  type Prepared,
  type ReadyInputs,
  type UploadShare,
} from './prepare-inputs.ts'
import { identityOf, type SenderDeps, type SendingService } from './sending-service.ts'
import type { KnownJob, Refusal, SendAttempt } from './submission-state.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import type { Submission } from './submission-rows.ts'
import { effectOfFailure, passingTrouble } from './failure-effect.ts'

const TOO_LONG: Refusal = { why: 'tooLarge', ...because(failure('requestTooLong')), skipped: [] }

/** The submission that is being prepared or sent. */
export type Sending =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'preparing'
      readonly id: RecordId
      readonly upload: UploadShare | null
      readonly abort: AbortController
    }
  | { readonly kind: 'posting'; readonly id: RecordId }

/** The effect of one submission's outcome on the other submissions. */
export type SendResult =
  /** The next submission may be sent. */
  | { readonly kind: 'next' }
  /** `position` is the job's place in the service's queue; 0 if it has started. */
  | { readonly kind: 'accepted'; readonly position: number }
  | { readonly kind: 'queueFull' }
  /** The service is currently unusable. */
  | { readonly kind: 'trouble'; readonly error: ServiceError }

export type SubmissionSending = ReturnType<typeof createSubmissionSending>

const NEXT: SendResult = { kind: 'next' }
const IDLE: Sending = { kind: 'idle' }

/** Prepares a submission, marks it as being sent, and sends it once (rule 1). */
export function createSubmissionSending(
  deps: Pick<SenderDeps, 'outbox' | 'sizeOf' | 'keepPreset' | 'aliases' | 'wasSent' | 'onChange' | 'log'> & {
    readonly answers: Answers
    readonly clock: Timing['clock']
    /** Whether a submission may still be sent to this service. Called after preparing a submission. */
    readonly maySend: (id: RecordId, service: SendingService) => boolean
    /** Called with the job list that is read before sending. */
    readonly onList: (list: JobList) => void
    /** Called as soon as a submission's outcome is unknown. */
    readonly onUnknown: (id: RecordId) => void
    /** Aborted when the sender must abandon the current request. */
    readonly stopping: AbortSignal
  },
) {
  const { outbox, answers, stopping, log } = deps
  const uploads = createUploads()
  const changedPresets = createChangedPresets()
  let sending: Sending = IDLE

  function setSending(next: Sending): void {
    sending = next
    deps.onChange()
  }

  async function send(submission: Submission, service: SendingService): Promise<SendResult> {
    const { id } = submission
    if (deps.wasSent?.(id) === true) {
      outbox.drop([id])
      return NEXT
    }
    const abort = new AbortController()
    setSending({ kind: 'preparing', id, upload: null, abort })
    try {
      if (needsUpload(submission, service)) {
        // Uploading would be pointless while the queue is full.
        const listed = await service.api.jobs({ signal: stopping })
        if (!listed.ok) return { kind: 'trouble', error: listed.error }
        if (waitingIn(listed.value) >= MAX_WAITING_JOBS) return { kind: 'queueFull' }
      }
      const prepared = await prepare(submission, service, abort)
      if (prepared.kind === 'failed')
        return abort.signal.aborted || stopping.aborted ? NEXT : uploadFailed(id, prepared.error)
      if (prepared.kind === 'refused') return refuseUnsent(id, prepared.refusal)
      const presetHash = service.kind === 'builtIn' ? await deps.keepPreset?.(submission.plan) : undefined
      const request = requestFor(submission, prepared, service, presetHash)
      if (!fitsTheLimit(request)) return refuseUnsent(id, TOO_LONG)
      if (prepared.uploaded !== null) setSending({ kind: 'preparing', id, upload: null, abort })
      // Read the job list immediately before sending. Any job that isn't in this list is newer than the submission.
      const before = await service.api.jobs({ signal: stopping })
      if (!before.ok) return { kind: 'trouble', error: before.error }
      deps.onList(before.value)
      const attempt = attemptWith(submission, service, prepared, before.value, presetHash, deps.clock())
      // Last check for changes made during preparation: the submission was removed, edited or paused, or the service has changed.
      if (!deps.maySend(id, service) || !outbox.beginSending(id, attempt)) return NEXT
      sending = { kind: 'posting', id }
      await markOnDisk(deps, id, attempt)
      return await post(submission, attempt, request, service)
    } finally {
      setSending(IDLE)
    }
  }

  const prepare = (
    { id, plan }: Submission,
    service: SendingService,
    abort: AbortController,
  ): Promise<Prepared> =>
    prepareInputs(id, plan, {
      api: service.api,
      aliases: deps.aliases,
      isBuiltIn: service.kind === 'builtIn',
      seesFiles: service.seesFiles && plan.upload !== true,
      sizeOf: deps.sizeOf,
      uploads: uploads.of(id, identityOf(service)),
      onUpload: (upload) => setSending({ kind: 'preparing', id, upload, abort }),
      signal: AbortSignal.any([stopping, abort.signal]),
    })

  async function post(
    { id, attempts, plan }: Submission,
    attempt: SendAttempt,
    request: SpoofJobRequest,
    { api }: SendingService,
  ): Promise<SendResult> {
    const answer = newJob(await api.createJob(request, { signal: stopping }), attempt, plan)
    if (answer.ok) {
      const { jobId, skipped, position } = answer.value
      uploads.forget(id)
      answers.take(id, attempt, { kind: 'accepted', as: { jobId, skipped } })
      return { kind: 'accepted', position }
    }
    const { error } = answer
    const effect = effectOfFailure(error)
    log('submission was not accepted', { id, error: error.kind, effect: effect.kind })
    switch (effect.kind) {
      case 'wait':
        answers.take(id, attempt, { kind: 'notCreated' })
        if (effect.because === 'interrupted') return NEXT
        return effect.because === 'queueFull' ? { kind: 'queueFull' } : { kind: 'trouble', error }
      case 'refused':
        // Send it again if the service may have dropped the uploads of an earlier attempt (section 4), or if the preset has been edited.
        if (uploads.forget(id) || changedPresets.isWorthAnother(id, error))
          answers.take(id, attempt, { kind: 'notCreated' })
        else answers.take(id, attempt, answerOf(plan, effect.refusal))
        return NEXT
      case 'unknown':
        log('submission unknown', { id, cause: effect.uncertainty.cause, attempt: attempts + 1 })
        deps.onUnknown(id)
        answers.take(id, attempt, { kind: 'unknown', uncertainty: effect.uncertainty })
        return NEXT
    }
  }

  /** Handles a failed upload, which doesn't create a job. The submission is refused if the file is the problem, and otherwise waits. */
  function uploadFailed(id: RecordId, error: ServiceError): SendResult {
    const isOfFile = error.kind === 'refused' || error.kind === 'localFile'
    const effect = effectOfFailure(error)
    return isOfFile && effect.kind === 'refused'
      ? refuseUnsent(id, effect.refusal)
      : { kind: 'trouble', error }
  }

  /** Refuses or postpones a submission during preparation, unless it was removed in the meantime. */
  function refuseUnsent(id: RecordId, refusal: Refusal): SendResult {
    const submission = outbox.get(id)
    if (submission?.state.kind === 'waiting') writeUnsent(deps, submission, refusal)
    return NEXT
  }

  return {
    now: (): Sending => sending,
    send,
    /** Stops preparing the given submission, or any submission if no ID is given. At that point, no job has been requested. */
    stopPreparing(id?: RecordId): void {
      if (sending.kind === 'preparing' && (id === undefined || sending.id === id)) sending.abort.abort()
    },
  }
}

/**
 * Returns the response with the names of the user's own files, and with the files that weren't sent. Rejects a response whose job ID was
 * already listed before sending, because each call creates a new job (section 4).
 */
function newJob(
  answer: Result<AcceptedJob>,
  { known, names = [], unsent = [] }: SendAttempt,
  { items }: PlannedSubmission,
): Result<AcceptedJob> {
  const own = withOwnNames(
    answer,
    names,
    items.map(({ path }) => path),
  )
  if (!own.ok) return own
  const { jobId, skipped } = own.value
  if (known.every((other) => other.jobId !== jobId)) {
    return succeeded({ ...own.value, skipped: [...unsent, ...skipped] })
  }
  return failed({ kind: 'badResponse', route: 'POST /jobs', field: 'jobId', ...because(failure('idReused')) })
}

function writeUnsent(
  { outbox, clock }: Pick<SenderDeps, 'outbox'> & Pick<Timing, 'clock'>,
  { id, plan }: Submission,
  refusal: Refusal,
): void {
  const answer = answerOf(plan, refusal)
  if (answer.kind === 'refused') outbox.refuse(id, refusal)
  else outbox.postpone(id, answer.why, clock())
}

/**
 * Returns how to handle a refusal. If the reason may be temporary, files of a watched folder are postponed. A user's own job is refused, so
 * that the user sees it.
 */
export function answerOf(plan: PlannedSubmission, refusal: Refusal): AnswerOf<'postponed' | 'refused'> {
  const why = plan.watched === undefined ? undefined : passingTrouble(refusal)
  return why === undefined ? { kind: 'refused', refusal } : { kind: 'postponed', why }
}

/** Maximum attempts if the preset is edited each time its submission is being sent. */
const MOST_CHANGED = 5

function createChangedPresets() {
  const counts = new Map<RecordId, number>()
  return {
    /**
     * Whether the preset was edited after it was read for the request, so that another attempt uses the new document. Counts these
     * failures: returns false from the `MOST_CHANGED`th on.
     */
    isWorthAnother(id: RecordId, { failure: why }: ServiceError): boolean {
      if (why?.code !== 'presetChanged') return false
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      return count < MOST_CHANGED
    },
  }
}

/**
 * Ensures that a power failure can't lose the mark of a submission that is being sent.
 * @throws if that fails; the submission waits again
 */
async function markOnDisk(
  { outbox, answers }: Pick<SenderDeps, 'outbox'> & { readonly answers: Answers },
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
  { id, plan }: Submission,
  { paths, identities, uploaded, names }: ReadyInputs,
  { kind }: SendingService,
  presetHash: string | undefined,
): SpoofJobRequest {
  const [first] = uploaded ?? []
  const request = {
    ...jobRequestOf(plan, paths, first === undefined ? undefined : folderBeside(first, id)),
    ...(plan.preset === null || presetHash === undefined ? {} : { presetKey: presetHash }),
  }
  if (kind !== 'builtIn' || uploaded !== null) return request
  return {
    ...request,
    ...(identities.every((one) => one === '') ? {} : { identities: shortIdentities(identities) }),
    ...(names.length === 0 ? {} : { originals: Object.fromEntries(names.map(({ path, as }) => [as, path])) }),
  }
}

const knownFrom = ({ jobs }: JobList): KnownJob[] =>
  jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt }))

const needsUpload = ({ plan }: Submission, { seesFiles }: SendingService): boolean =>
  plan.driveInput === null && (!seesFiles || plan.upload === true)

function attemptWith(
  { plan }: Submission,
  service: SendingService,
  { uploaded, names, unsent }: ReadyInputs,
  before: JobList,
  presetHash: string | undefined,
  at: number,
): SendAttempt {
  return {
    at,
    service: identityOf(service),
    baseUrl: service.baseUrl,
    connection: service.kind,
    known: knownFrom(before),
    uploaded: uploaded === null ? null : [...uploaded],
    remote: plan.output.kind === 'folder' && (!service.seesFiles || uploaded !== null),
    ...(names.length === 0 ? {} : { names: [...names] }),
    ...(unsent.length === 0 ? {} : { unsent: [...unsent] }),
    ...(presetHash === undefined ? {} : { presetHash }),
  }
}
