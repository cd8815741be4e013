import { messageOf } from '../../node/errors.ts'
import { fileFailureOf } from '../../node/file-failure.ts'
import { createWorkLoop, type Pause } from '../../node/work-loop.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { waitingIn } from '../../shared/api/job-status.ts'
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { JobList } from '../../shared/api/resources.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import { isDiskFull } from '../database/index.ts'
import { createAnswers } from './answers.ts'
import { createBlocker, type MetBlocker, type Blocker } from './blocker.ts'
import { createLookahead } from './lookahead.ts'
import type { Outbox } from './outbox.ts'
import { createOutboxView } from './outbox-view.ts'
import { createRechecks, type RecheckResult, type Resolution } from './recheck.ts'
import { createSubmissionSending, type SubmissionSending, type SendResult } from './send-submission.ts'
import {
  addresseeOf,
  isSameService,
  quietWaitOf,
  type SenderDeps,
  type SendingService,
} from './sending-service.ts'
import { isFor, type Submission } from './submission-rows.ts'

export type Sender = ReturnType<typeof createSender>

const DISK_RETRY_MS = 10_000
const DEFAULT_GRACE_MS = 3_000

/** Sends the submissions in the outbox one at a time, in order, and creates each job exactly once (rule 1). */
export function createSender(deps: SenderDeps) {
  const { outbox, log, timing } = deps
  const { clock, after } = timing
  /** Aborted when the sender abandons the current request. */
  const giveUp = new AbortController()
  const stopping = giveUp.signal
  const loop = createWorkLoop({ step, onError: (error) => stepFailed(error, met, log), after })
  const met = createBlocker(timing, deps.onChange)
  const lookahead = createLookahead()
  /** The built-in service gets only a few jobs in advance, so that users can still move the others. */
  const hasRoom = ({ kind }: SendingService) => kind !== 'builtIn' || lookahead.hasRoom()
  const answers = createAnswers(deps, clock)
  const isInUse = (service: SendingService) => isSameService(service, deps.service())
  const rechecks = createRechecks({ ...deps, answers, isInUse, stopping })
  const sending = createSubmissionSending({
    ...deps,
    clock,
    answers,
    onUnknown: (id) => rechecks.watch(id),
    maySend: (id, service) =>
      !loop.ending.aborted &&
      deps.blocked() === null &&
      quietWaitOf(deps, id) === null &&
      isInUse(service) &&
      hasRoom(service),
    onList: (list) => void lookahead.listRead(list),
    stopping,
  })
  const view = createOutboxView({
    ...deps,
    sending: () => sending.now(),
    blockingReason: () => currentBlocker()?.because ?? null,
    checks: rechecks,
    clock,
  })

  async function step(): Promise<Pause> {
    answers.settle()
    const blocker = currentBlocker()
    const service = deps.service()
    if (blocker !== null || service === undefined) return untilTime(blocker?.until ?? null, clock())
    const unknown = rechecks.next(service)
    if (unknown !== undefined) return afterRecheck(await rechecks.run(unknown, service), service)
    const next = nextToSend(deps, service)
    if (next !== undefined)
      return hasRoom(service) ? afterSending(await sending.send(next, service), service) : null
    return untilTime(outbox.nextTime(addresseeOf(service)) ?? null, clock())
  }

  function currentBlocker(): Blocker | null {
    const blocked = deps.blocked()
    if (blocked !== null) return { because: blocked, until: null }
    if (deps.service() === undefined) return { because: 'unconfigured', until: null }
    return met.current()
  }

  function afterSending(result: SendResult, service: SendingService): Pause {
    switch (result.kind) {
      case 'next':
        return 0
      case 'accepted':
        lookahead.accepted(result.position)
        met.serviceAnswered('offline', 'queueFull')
        return 0
      case 'queueFull':
        return met.backOff('queueFull')
      case 'trouble':
        return troubled(result.error, service)
    }
  }

  function afterRecheck(result: RecheckResult, service: SendingService): Pause {
    if (result.kind === 'trouble') return troubled(result.error, service)
    if (result.kind === 'read') met.serviceAnswered('offline')
    return result.pause
  }

  /** Handles a failed request that affects all submissions. */
  function troubled(error: ServiceError, { api }: SendingService): Pause {
    // Errors of an earlier address or key don't apply to the current one.
    if (loop.ending.aborted || deps.service()?.api !== api) return 0
    deps.onTrouble(error, api)
    if (error.kind === 'notReachable') rechecks.serviceAway()
    // Only a different key helps (section 5). `connectionChanged` is called when there is one.
    return error.kind === 'unauthorized' ? met.meet('keyRefused', null) : met.backOff('offline', error)
  }

  const unlisten = outbox.onChange(() => {
    dropTakenBack(outbox, sending)
    deps.onChange()
    loop.wake()
  })

  return {
    start: (): void => loop.start(),
    /** Waits up to `graceMs` for a pending `POST /jobs`, then abandons it. The submission is reconciled at the next launch. */
    async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
      unlisten()
      const stopped = loop.stop()
      sending.stopPreparing()
      const cancel = after(graceMs, () => giveUp.abort())
      await stopped
      cancel()
      giveUp.abort()
      await answers.allForgotten()
    },
    /**
     * Tries to send again. Call it when sending may have become possible: after a new submission, after resuming, or when an edit
     * ends.
     */
    wake: (): void => loop.wake(),
    /** Clears earlier errors after a change of service, key or reachability. */
    connectionChanged(): void {
      met.clear('offline', 'keyRefused', 'queueFull')
      lookahead.reset()
      loop.wake()
    },
    /** Sends again if the list shows that the service has room. */
    listRead(list: JobList): void {
      const isFull = waitingIn(list) >= MAX_WAITING_JOBS
      const wasFull = !isFull && met.clear('queueFull')
      if (lookahead.listRead(list) || wasFull) loop.wake()
    },
    /** Applies the user's decision about an unknown submission. Returns false if it is no longer unknown. */
    resolve(id: RecordId, resolution: Resolution): boolean {
      const resolved = rechecks.resolve(id, resolution)
      if (resolved) loop.wake()
      return resolved
    },
    ...view,
    /** Returns the service's last error if it blocks sending. */
    trouble: (): ServiceError | null => met.current()?.error ?? null,
  }
}

/** Handles an error in a step, usually a disk error. Answers that couldn't be written are written in a later step. */
function stepFailed(error: unknown, met: MetBlocker, log: SenderDeps['log']): Pause {
  log('could not process the outbox', { error: messageOf(error) })
  const isFull = isDiskFull(error) || fileFailureOf(error) === 'full'
  return isFull ? met.meet('diskFull', DISK_RETRY_MS) : DISK_RETRY_MS
}

const untilTime = (time: number | null, now: number): Pause =>
  time === null ? null : Math.max(0, time - now)

/** Returns the first submission that may be sent now. */
function nextToSend(deps: SenderDeps, service: SendingService): Submission | undefined {
  const { outbox, quiet, timing } = deps
  const isQuiet = (quiet?.wait() ?? null) !== null
  const now = timing.clock()
  if (!isQuiet || quiet === undefined) return outbox.nextDue(now, addresseeOf(service))
  const isDue = (submission: Submission): boolean => {
    const { state } = submission
    if (state.kind !== 'waiting' || state.isEdited || !isFor(addresseeOf(service), submission)) return false
    return state.notBefore === null || state.notBefore <= now
  }
  const due = [...quiet.exempt].flatMap((id) => outbox.get(id) ?? []).filter(isDue)
  return due.toSorted((one, other) => one.position - other.position)[0]
}

/** Stops preparing a submission that was removed or is being edited. */
function dropTakenBack(outbox: Pick<Outbox, 'get'>, sending: SubmissionSending): void {
  const now = sending.now()
  if (now.kind !== 'preparing') return
  const state = outbox.get(now.id)?.state
  if (state === undefined || (state.kind === 'waiting' && state.isEdited)) sending.stopPreparing(now.id)
}
