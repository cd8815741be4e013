import { messageOf } from '../../node/errors.ts'
import { createWorkLoop, type Pause } from '../../node/work-loop.ts'
import type { Timing } from '../../node/timing.ts'
import type { Job } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { OutboxEntry, WaitingReason } from '../../shared/model/work.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import { isDiskFull } from '../database/index.ts'
import { createAnswers } from './answers.ts'
import { createObstacle, type Obstacle } from './obstacle.ts'
import type { Outbox } from './outbox.ts'
import { createOutboxView } from './outbox-view.ts'
import { createRechecks, type RecheckResult, type Resolution } from './recheck.ts'
import { createSubmissionSending, type SubmissionSending, type SendResult } from './send-submission.ts'
import { addresseeOf, isSameService, type SendingService } from './sending-service.ts'
import type { Acceptance } from './submission-state.ts'
import type { StoredSubmission } from './submission-rows.ts'

export type SenderDeps = {
  readonly outbox: Outbox
  /** Undefined while none is chosen. */
  readonly service: () => SendingService | undefined
  /** What the connection or the user has against sending now; null when nothing. */
  readonly blocked: () => WaitingReason | null
  /** Whether a job of this service is known to be another submission of ours. */
  readonly isOwnJob: (job: Job) => boolean
  /** In bytes; null where there is no such file. */
  readonly sizeOf: (path: string) => Promise<number | null>
  readonly timing: Timing
  /**
   * Has to put the acceptance into the history before it returns, and onto the disk before it resolves. It may be told the
   * same one again after a crash. If it throws or rejects, the submission stays in the outbox and is told again later.
   */
  readonly onAccepted: (submission: StoredSubmission, acceptance: Acceptance) => Promise<void>
  /** A service that can't be reached or refuses the key, for the connection to know. @param from what it was met with */
  readonly onTrouble: (error: ServiceError, from: SendingService['api']) => void
  /** The entries look different now. */
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface Sender {
  start(): void
  /** Lets a `POST /jobs` under way end within `graceMs`, then gives up on it; it is reconciled next time. */
  stop(graceMs?: number): Promise<void>
  /** Something may have become possible: a new submission, resume, an edit that ended. */
  wake(): void
  /** Another service, another key, or back online: earlier trouble no longer counts. */
  connectionChanged(): void
  /** The tracker has read that fewer than ten jobs wait. */
  spaceAvailable(): void
  /** The user's word on a submission that is unknown. False where it no longer is. */
  resolve(id: RecordId, resolution: Resolution): boolean
  entries(): readonly OutboxEntry[]
  /** Whether anything is under way, or would be if nothing blocked it. False: only the user can move what is left. */
  busy(): boolean
}

const DISK_RETRY_MS = 10_000
const DEFAULT_GRACE_MS = 3_000

/** Sends what the outbox holds: one submission at a time, in order, each created once (rule 1). */
export function createSender(deps: SenderDeps): Sender {
  const { outbox, log, timing } = deps
  const { clock, after } = timing
  /** Aborted when what is under way is given up. */
  const giveUp = new AbortController()
  const stopping = giveUp.signal
  const loop = createWorkLoop({ claim: () => outbox.claim(), step, onError: stepFailed, after })
  const met = createObstacle(timing, deps.onChange)
  const answers = createAnswers({ outbox, clock, onAccepted: deps.onAccepted, log })
  const isInUse = (service: SendingService) => isSameService(service, deps.service())
  const rechecks = createRechecks({ ...deps, answers, isInUse, stopping })
  const sending = createSubmissionSending({
    ...deps,
    clock,
    answers,
    onUnknown: (id) => rechecks.watch(id),
    maySendTo: (service) => !loop.ending.aborted && deps.blocked() === null && isInUse(service),
    stopping,
  })
  const view = createOutboxView({
    outbox,
    service: deps.service,
    sending: () => sending.now(),
    hindrance: () => currentObstacle()?.because ?? null,
    clock,
  })

  async function step(): Promise<Pause> {
    answers.settle()
    const obstacle = currentObstacle()
    const service = deps.service()
    if (obstacle !== null || service === undefined) return untilTime(obstacle?.until ?? null, clock())
    const unknown = rechecks.next(service)
    if (unknown !== undefined) return afterRecheck(await rechecks.run(unknown, service), service)
    const to = addresseeOf(service)
    const next = outbox.nextDue(clock(), to)
    if (next !== undefined) return afterSending(await sending.send(next, service), service)
    return untilTime(outbox.nextTime(to) ?? null, clock())
  }

  function currentObstacle(): Obstacle | null {
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
        met.clear('offline', 'queueFull')
        met.serviceAnswered()
        return 0
      case 'queueFull':
        return met.backOff('queueFull')
      case 'trouble':
        return troubled(result.error, service)
    }
  }

  function afterRecheck(result: RecheckResult, service: SendingService): Pause {
    if (result.kind === 'trouble') return troubled(result.error, service)
    if (result.kind === 'read') {
      met.clear('offline')
      met.serviceAnswered()
    }
    return result.pause
  }

  /** A request failed in a way that concerns all of them. */
  function troubled(error: ServiceError, { api }: SendingService): Pause {
    // What an earlier address or key met with says nothing about those of now.
    if (loop.ending.aborted || deps.service()?.api !== api) return 0
    deps.onTrouble(error, api)
    if (error.kind === 'notReachable') rechecks.serviceAway()
    // Section 5: nothing helps but another key, and that is told by `connectionChanged`.
    return error.kind === 'unauthorized' ? met.meet('keyRefused', null) : met.backOff('offline')
  }

  /** The disk failed, not the service: nothing was sent that is not written down. */
  function stepFailed(error: unknown): Pause {
    log('the outbox could not go on', { error: messageOf(error) })
    return isDiskFull(error) ? met.meet('diskFull', DISK_RETRY_MS) : DISK_RETRY_MS
  }

  const unlisten = outbox.onChange(() => {
    dropTakenBack(outbox, sending)
    deps.onChange()
    loop.wake()
  })

  return {
    start: () => loop.start(),
    async stop(graceMs = DEFAULT_GRACE_MS) {
      unlisten()
      const stopped = loop.stop()
      sending.stopPreparing()
      const cancel = after(graceMs, () => giveUp.abort())
      await stopped
      cancel()
      giveUp.abort()
      await answers.allForgotten()
    },
    wake: () => loop.wake(),
    connectionChanged() {
      met.clear('offline', 'keyRefused', 'queueFull')
      loop.wake()
    },
    spaceAvailable: () => void (met.clear('queueFull') && loop.wake()),
    resolve(id, resolution) {
      const resolved = rechecks.resolve(id, resolution)
      if (resolved) loop.wake()
      return resolved
    },
    entries: () => view.entries(),
    busy: () => view.busy(),
  }
}

const untilTime = (time: number | null, now: number): Pause =>
  time === null ? null : Math.max(0, time - now)

/** A submission that was edited or removed while it was being prepared is prepared no further. */
function dropTakenBack(outbox: Pick<Outbox, 'get'>, sending: SubmissionSending): void {
  const now = sending.now()
  if (now.kind !== 'preparing') return
  const state = outbox.get(now.id)?.state
  if (state === undefined || (state.kind === 'waiting' && state.heldBy !== null))
    sending.stopPreparing(now.id)
}
