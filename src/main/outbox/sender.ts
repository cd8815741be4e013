import type { Job } from '../../shared/api/resources.ts'
import { serviceIdOf, type ConnectionKind } from '../../shared/model/connection.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { OutboxEntry, WaitingReason } from '../../shared/model/work.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import { isDiskFull } from '../database/database.ts'
import type { ServiceApi } from '../service-api/index.ts'
import { fitsTheLimit, folderBeside, jobRequestOf } from './job-request.ts'
import type { Addressee, Outbox, StoredSubmission } from './open-outbox.ts'
import { outboxEntryOf, type SendingNow } from './outbox-entry.ts'
import { prepareInputs } from './prepare-inputs.ts'
import { mayHaveBecome, reconcile } from './reconcile.ts'
import { retryDelay } from './retry-delay.ts'
import type { Acceptance, Doubt, Refusal, SentMark, StoredStateOf } from './submission-state.ts'
import { verdictOf } from './verdict.ts'

/** The service that may be sent to now. */
export type SendingService = {
  readonly api: Pick<ServiceApi, 'createJob' | 'jobs' | 'upload'>
  readonly kind: ConnectionKind
  readonly baseUrl: string
  readonly seesFiles: boolean
  /** False: takes only submissions that are meant for this service by name. */
  readonly takesUnaddressed?: boolean
}

export type SenderDeps = {
  readonly outbox: Outbox
  /** Undefined while none is chosen. */
  readonly service: () => SendingService | undefined
  /** What the connection or the user has against sending now; null when nothing. */
  readonly blocked: () => WaitingReason | null
  /** Ids of jobs of this service that are known to be other submissions of ours. */
  readonly ownJobIds: () => ReadonlySet<string>
  /** In bytes; null where there is no such file. */
  readonly sizeOf: (path: string) => Promise<number | null>
  /** ms since 1970. */
  readonly clock: () => number
  /** @returns a function that cancels it */
  readonly startTimer: (ms: number, run: () => void) => () => void
  /** 0..1 */
  readonly random: () => number
  /**
   * Has to put the acceptance into the history, durably, before it returns. It may be told the same one again after a
   * crash. If it throws, the submission stays in the outbox and is told again later.
   */
  readonly onAccepted: (submission: StoredSubmission, acceptance: Acceptance) => void
  /** A service that can't be reached or refuses the key, for the connection to know. */
  readonly onTrouble: (error: ServiceError) => void
  /** The entries look different now. */
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export type Resolution =
  | { readonly kind: 'adopt'; readonly jobId: string }
  | { readonly kind: 'sendAgain' }
  | { readonly kind: 'remove' }

export interface Sender {
  start(): void
  /** Lets a `POST /jobs` under way end within `graceMs`, then gives up on it; it is reconciled next time. */
  stop(graceMs?: number): Promise<void>
  /** Something may have become possible: a new submission, resume, an edit that ended. */
  wake(): void
  /** Another service, another key, or back online: earlier trouble no longer counts. */
  connectionChanged(): void
  /** The tracker has read that fewer than ten jobs wait. */
  roomAvailable(): void
  /** The user's word on a submission in doubt. False where it no longer is. */
  resolve(id: RecordId, resolution: Resolution): boolean
  entries(): readonly OutboxEntry[]
  /** A job that nobody follows may be what came of a submission that is just being sent or is in doubt. */
  isSpokenFor(job: Job): boolean
  /** Whether anything is under way, or would be if nothing blocked it. False: only the user can move what is left. */
  busy(): boolean
}

/** A request that broke may still be worked on in the service: a list is believed only after it has been quiet. */
const FIRST_LOOK_MS = 2_000
const SECOND_LOOK_MS = 5_000
/** A service that took too long to answer may take as long again to act. */
const SECOND_LOOK_AFTER_TIMEOUT_MS = 30_000

/** Sent this often without a trace: something about it is wrong, and it must not keep the others waiting. */
const MAX_ATTEMPTS = 3

const CLAIM_RETRY_MS = 2_000
const DISK_RETRY_MS = 10_000
const DEFAULT_GRACE_MS = 3_000
/** Timers hold 31 bits; and a clock that was set back should not put off a submission for ever. */
const LONGEST_SLEEP_MS = 60_000

type Obstacle = { readonly because: WaitingReason; readonly until: number | null }

/** ms until the next step by itself; null: until woken. */
type Pause = number | null

/** Sends what the outbox holds: one submission at a time, in order, each created once (rule 1). */
export function createSender(deps: SenderDeps): Sender {
  const { outbox, clock, log } = deps
  /** What is under way is given up. */
  const stopping = new AbortController()
  /** No further step is begun. */
  const ending = new AbortController()
  let running: Promise<void> | undefined
  let wakeUp: (() => void) | undefined
  let woken = false
  let obstacle: Obstacle | null = null
  let failures = 0
  let now: SendingNow | null = null
  let upload: AbortController | undefined
  /** When to look for a submission in doubt, and how often a list has been without it. */
  const looks = new Map<RecordId, { at: number; absences: number }>()

  // ── What stands in the way ────────────────────────────────────────────────────────────────────────────────────────

  function hinder(because: WaitingReason, forMs: number | null): Pause {
    obstacle = { because, until: forMs === null ? null : clock() + forMs }
    deps.onChange()
    return forMs
  }

  const backOff = (because: WaitingReason): Pause => {
    const pause = hinder(because, retryDelay(failures, deps.random()))
    failures += 1
    return pause
  }

  /** @returns whether one of these stood in the way */
  function clearObstacle(...reasons: readonly WaitingReason[]): boolean {
    if (obstacle === null || !reasons.includes(obstacle.because)) return false
    obstacle = null
    failures = 0
    deps.onChange()
    return true
  }

  function currentObstacle(): Obstacle | null {
    const blocked = deps.blocked()
    if (blocked !== null) return { because: blocked, until: null }
    if (deps.service() === undefined) return { because: 'unconfigured', until: null }
    if (obstacle !== null && obstacle.until !== null && obstacle.until <= clock()) return null
    return obstacle
  }

  /** A request failed in a way that concerns all of them. */
  function troubled(error: ServiceError): Pause {
    deps.onTrouble(error)
    // Section 5: nothing helps but another key, and that is told by `connectionChanged`.
    if (error.kind === 'unauthorized') return hinder('keyRefused', null)
    return backOff('offline')
  }

  // ── One step ──────────────────────────────────────────────────────────────────────────────────────────────────────

  async function step(): Promise<Pause> {
    if (!outbox.claim()) return CLAIM_RETRY_MS
    tellAccepted()
    const standing = currentObstacle()
    if (standing !== null) return standing.until === null ? null : Math.max(0, standing.until - clock())
    const service = deps.service()
    if (service === undefined) return null

    const doubtful = inDoubt(service)
    if (doubtful !== undefined) return look(doubtful.submission, doubtful.state, service)

    const to = addresseeOf(service)
    const next = outbox.nextDue(clock(), to)
    if (next !== undefined) return send(next, service)
    const time = outbox.nextTime(to)
    return time === undefined ? null : Math.max(0, time - clock())
  }

  function tellAccepted(): void {
    for (const submission of outbox.accepted()) {
      if (submission.state.kind !== 'accepted') continue
      deps.onAccepted(submission, submission.state.acceptance)
      outbox.forget(submission.id)
    }
  }

  // ── Sending ───────────────────────────────────────────────────────────────────────────────────────────────────────

  async function send(submission: StoredSubmission, service: SendingService): Promise<Pause> {
    const { id, plan } = submission
    now = { id, upload: null }
    upload = new AbortController()
    deps.onChange()
    try {
      const prepared = await prepareInputs(plan, {
        api: service.api,
        seesFiles: service.seesFiles && plan.upload !== true,
        sizeOf: deps.sizeOf,
        onUpload: (share) => {
          now = { id, upload: share }
          deps.onChange()
        },
        signal: AbortSignal.any([stopping.signal, upload.signal]),
      })
      if (prepared.kind === 'failed') return uploadFailed(submission, prepared.error)
      if (prepared.kind === 'refused') {
        return refuseUnsent(id, prepared.refusal)
      }
      const [uploaded] = prepared.uploaded ?? []
      const request = jobRequestOf(
        plan,
        prepared.paths,
        uploaded === undefined ? undefined : folderBeside(uploaded, id),
      )
      if (!fitsTheLimit(request)) {
        return refuseUnsent(id, { why: 'tooLarge', message: '', skipped: [] })
      }
      now = { id, upload: null }
      const before = await service.api.jobs({ signal: stopping.signal })
      if (!before.ok) return troubled(before.error)

      const mark: SentMark = {
        at: clock(),
        service: serviceIdOf(service),
        baseUrl: service.baseUrl,
        connection: service.kind,
        known: before.value.jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt })),
        uploaded: prepared.uploaded === null ? null : [...prepared.uploaded],
        remote: plan.output.kind === 'folder' && (!service.seesFiles || prepared.uploaded !== null),
      }
      // Whatever was decided while it was prepared (removed, edited, paused, another service) still counts here.
      if (ending.signal.aborted || deps.blocked() !== null || !isSame(service, deps.service())) return 0
      if (!outbox.beginSending(id, mark)) return 0
      return concluded(submission, mark, await service.api.createJob(request, { signal: stopping.signal }))
    } finally {
      now = null
      upload = undefined
      deps.onChange()
    }
  }

  function concluded(
    { id, attempts }: StoredSubmission,
    mark: SentMark,
    answer: Awaited<ReturnType<SendingService['api']['createJob']>>,
  ): Pause {
    if (answer.ok) {
      clearObstacle('offline', 'queueFull')
      failures = 0
      accept(id, mark, answer.value.jobId, answer.value.skipped)
      return 0
    }
    const verdict = verdictOf(answer.error)
    log('submission not accepted', { id, error: answer.error.kind, verdict: verdict.kind })
    switch (verdict.kind) {
      case 'wait':
        outbox.backToWaiting(id)
        if (verdict.because === 'interrupted') return 0
        return verdict.because === 'queueFull' ? backOff('queueFull') : troubled(answer.error)
      case 'refused':
        outbox.refuse(id, verdict.refusal)
        return 0
      case 'unknown':
        outbox.doubt(id, mark, verdict.doubt)
        log('submission in doubt', { id, cause: verdict.doubt.cause, attempt: attempts + 1 })
        break
    }
    return 0
  }

  function accept(
    id: RecordId,
    mark: SentMark,
    jobId: string,
    skipped: Acceptance['skipped'],
    adopted = false,
  ): void {
    const { baseUrl, connection, remote = false } = mark
    looks.delete(id)
    outbox.accept(id, { jobId, baseUrl, connection, acceptedAt: clock(), skipped, adopted, remote })
    log('submission accepted', { id, jobId, adopted })
    tellAccepted()
  }

  /** Found out while it was prepared; it may have been taken back in the meantime. */
  function refuseUnsent(id: RecordId, refusal: Refusal): Pause {
    if (outbox.get(id)?.state.kind === 'waiting') outbox.refuse(id, refusal)
    return 0
  }

  /** No job has come of it. What concerns this file refuses it, what concerns the service waits. */
  function uploadFailed({ id }: StoredSubmission, error: ServiceError): Pause {
    if (upload?.signal.aborted === true || ending.signal.aborted) return 0
    if (error.kind === 'refused' || error.kind === 'localFile') {
      const verdict = verdictOf(error)
      if (verdict.kind === 'refused') return refuseUnsent(id, verdict.refusal)
    }
    return troubled(error)
  }

  // ── In doubt ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Only the service it was sent to can tell; while another one is connected, it waits without holding up the line. */
  function inDoubt(service: SendingService) {
    for (const submission of outbox.maybeArrived()) {
      const { state } = submission
      if (state.kind === 'unknown' && !state.settled && state.mark.service === serviceIdOf(service)) {
        return { submission, state }
      }
    }
    return undefined
  }

  async function look(
    { id, plan, attempts }: StoredSubmission,
    { mark, doubt }: StoredStateOf<'unknown'>,
    service: SendingService,
  ): Promise<Pause> {
    const looked = looks.get(id) ?? { at: clock() + FIRST_LOOK_MS, absences: 0 }
    looks.set(id, looked)
    if (looked.at > clock()) return looked.at - clock()

    const listed = await service.api.jobs({ signal: stopping.signal })
    if (!listed.ok) return troubled(listed.error)
    if (!isSame(service, deps.service()) || outbox.get(id)?.state.kind !== 'unknown') return 0
    clearObstacle('offline')
    failures = 0
    const { jobs } = listed.value
    const finding = reconcile(plan, mark, jobs, deps.ownJobIds())
    if (finding.kind === 'found') {
      const job = jobs.find(({ jobId }) => jobId === finding.jobId)
      log('submission found in the job list', { id, status: job?.status })
      accept(id, mark, finding.jobId, [], true)
      return 0
    }
    if (looked.absences === 0) {
      const delay = doubt.cause === 'timeout' ? SECOND_LOOK_AFTER_TIMEOUT_MS : SECOND_LOOK_MS
      looks.set(id, { at: clock() + delay, absences: 1 })
      return delay
    }
    looks.delete(id)
    if (finding.kind === 'unclear') outbox.settle(id, finding.lookAlikes)
    else giveAnotherTry(id, attempts, doubt)
    return 0
  }

  /** It is certain that it did not arrive. */
  function giveAnotherTry(id: RecordId, attempts: number, doubt: Doubt): void {
    if (attempts < MAX_ATTEMPTS) {
      outbox.backToWaiting(id)
    } else if (doubt.cause === 'serverError') {
      outbox.refuse(id, { why: 'invalid', message: doubt.message, skipped: [] })
    } else {
      outbox.settle(id, [])
    }
  }

  function resolve(id: RecordId, resolution: Resolution): boolean {
    const submission = outbox.get(id)
    if (submission?.state.kind !== 'unknown') return false
    looks.delete(id)
    switch (resolution.kind) {
      case 'adopt':
        accept(id, submission.state.mark, resolution.jobId, [], true)
        break
      case 'sendAgain':
        outbox.backToWaiting(id)
        break
      case 'remove':
        outbox.remove(id)
        break
    }
    wake()
    return true
  }

  /** What is meant for another service waits for that one, without holding up the line. */
  function isForService({ plan, state }: StoredSubmission): boolean {
    const service = deps.service()
    if (service === undefined) return true
    if (state.kind === 'sending' || state.kind === 'unknown')
      return state.mark.service === serviceIdOf(service)
    const { service: identity, unaddressed } = addresseeOf(service)
    return plan.target === undefined ? unaddressed : plan.target === identity
  }

  // ── Its life ──────────────────────────────────────────────────────────────────────────────────────────────────────

  function wake(): void {
    woken = true
    wakeUp?.()
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      woken = false
      const pause = await step().catch(failed)
      if (!woken && !ending.signal.aborted && pause !== 0) await sleep(pause)
    }
  }

  /** The disk, not the service: nothing was sent that is not written down. */
  function failed(error: unknown): Pause {
    log('the outbox could not go on', { error: error instanceof Error ? error.message : String(error) })
    return isDiskFull(error) ? hinder('diskFull', DISK_RETRY_MS) : DISK_RETRY_MS
  }

  function sleep(ms: Pause): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = ms === null ? undefined : deps.startTimer(Math.min(ms, LONGEST_SLEEP_MS), resolve)
    wakeUp = resolve
    return promise.finally(() => cancel?.())
  }

  const unlisten = outbox.onChange(() => {
    // Taken back while it was being uploaded.
    if (now !== null) {
      const state = outbox.get(now.id)?.state
      if (state === undefined || (state.kind === 'waiting' && state.held)) upload?.abort()
    }
    deps.onChange()
    wake()
  })

  return {
    start() {
      running ??= run()
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      ending.abort()
      unlisten()
      upload?.abort()
      const cancel = deps.startTimer(graceMs, () => stopping.abort())
      wake()
      await running
      cancel()
      stopping.abort()
    },
    wake,
    connectionChanged() {
      clearObstacle('offline', 'keyRefused', 'queueFull')
      wake()
    },
    roomAvailable() {
      if (clearObstacle('queueFull')) wake()
    },
    resolve,
    entries() {
      const because = currentObstacle()?.because ?? null
      return outbox.list().map((submission) =>
        outboxEntryOf(submission, {
          because: isForService(submission) ? because : 'offline',
          now,
          at: clock(),
        }),
      )
    },
    isSpokenFor: (job) =>
      outbox.maybeArrived().some(({ plan, state }) => {
        const mark = state.kind === 'sending' || state.kind === 'unknown' ? state.mark : undefined
        return mark !== undefined && mayHaveBecome(plan, mark, job)
      }),
    busy: () =>
      now !== null ||
      outbox.list().some((submission) => {
        const { state } = submission
        if (!isForService(submission)) return false
        if (state.kind === 'unknown') return !state.settled
        return state.kind === 'sending' || (state.kind === 'waiting' && !state.held)
      }),
  }
}

const addresseeOf = (service: SendingService): Addressee => ({
  service: serviceIdOf(service),
  unaddressed: service.takesUnaddressed !== false,
})

const isSame = (one: SendingService, other: SendingService | undefined): boolean =>
  other !== undefined && serviceIdOf(one) === serviceIdOf(other)
