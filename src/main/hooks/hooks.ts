/**
 * Runs the actions after jobs from the durable queue in the history: each at least once, with up to five attempts. The program, the URL
 * and each receiver of messages don't wait for each other. Nothing that they do affects a job.
 */
import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { codeOf, messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import { createWorkLoop, type Pause } from '../../node/work-loop.ts'
import { outcomesOf, type HookOutcome, type HookResult, type Hooks } from '../../shared/model/after-job.ts'
import {
  DIRECT_ACTIONS,
  isSuccess,
  MOST_TRIES,
  type HookState,
  type HookStatus,
  type HookUse,
} from '../../shared/model/hook-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { exampleReport, type JobReport } from '../../shared/model/job-report.ts'
import type { HookQueue, QueuedHook } from '../history/index.ts'
import type { JobMessage } from '../../shared/model/message-formats.ts'
import type { Receiver } from '../../shared/model/receiver.ts'
import type { ReceiverAddresses } from './receiver-addresses.ts'
import { runProgram } from './run-program.ts'
import { sendMessage, sendToUrl } from './send.ts'
import type { SigningKey } from './signing-key.ts'

export type HookRunnerDeps = {
  readonly queue: HookQueue
  /** Returns the actions after the jobs of a watched folder. null stands for all other jobs. */
  readonly hooksFor: (watched: string | null) => AfterJob
  /** Returns the report about a job; undefined if its record was deleted. */
  readonly report: (job: RecordId, id: string) => Promise<JobReport | undefined>
  readonly message: (report: JobReport) => JobMessage
  readonly key: SigningKey
  readonly addresses: ReceiverAddresses
  readonly timing: Timing
  /** Called after each attempt, when its result is on disk. */
  readonly onTried?: (
    tried: Pick<HookState, 'action' | 'receiver' | 'result' | 'tries' | 'nextAt'> & {
      readonly job: RecordId
    },
  ) => void
  /** Called when a program that follows a job has ended. Gets the paths of the job's results, which the program may have changed. */
  readonly onProgramEnded?: (results: readonly string[]) => Promise<void>
  readonly log: Log
}

export type AfterJob = Hooks & { readonly receivers: readonly Receiver[] }

export type Variables = Readonly<Record<string, string | undefined>>

export type HookRunner = ReturnType<typeof createHookRunner>

/** Delays before the second to fifth attempt, in ms. */
const RETRIES_MS = [10_000, 5 * 60_000, 10 * 60_000, 15 * 60_000] as const
/** Delay in ms after an error in Mediatray itself, such as a full disk. */
const TROUBLE_MS = 30_000

export function createHookRunner(given: HookRunnerDeps) {
  let variables: Variables | undefined
  const deps = { ...given, variables: () => variables }
  const { timing } = deps
  const tests = new Map<string, HookState>()
  const ending = new AbortController()
  const lanes = new Map<string, ReturnType<typeof createLane>>()
  let isStarted = false
  /** Wakes the lane of each action that waits, and creates missing lanes. */
  const waker = createWorkLoop({
    async step() {
      for (const use of deps.queue.waiting()) laneOf(use).wake()
      return null
    },
    onError(error) {
      deps.log('actions after jobs not read', { error: messageOf(error) })
      return TROUBLE_MS
    },
    after: timing.after,
  })

  function laneOf(use: HookUse) {
    const name = `${use.action} ${use.receiver}`
    const lane = lanes.get(name) ?? createLane(use, deps)
    lanes.set(name, lane)
    return lane
  }

  /** Sends an example, marked as a test, to the target. */
  async function test(target: HookTarget): Promise<HookState> {
    const triedAt = timing.clock()
    const report = exampleReport(`test-${randomUUID()}`, new Date(triedAt))
    const result = await withResult(target, deps.log, async () =>
      perform(target, report, deps, ending.signal),
    )
    const { action, receiver } = useOf(target)
    const state = {
      action,
      receiver,
      target: nameOf(target),
      result,
      triedAt,
      tries: 1,
      nextAt: null,
      isTest: true,
    }
    tests.set(keyOf(target), state)
    return state
  }

  return {
    start(): void {
      isStarted = true
      waker.start()
    },
    /** Checks for new actions. */
    wake: (): void => waker.wake(),
    /** Whether an action is running or due. An action that waits for its next attempt doesn't count. */
    busy: (): boolean =>
      [...lanes.values()].some((lane) => lane.isRunning()) ||
      (isStarted && deps.queue.waiting().some((use) => isDue(deps.queue.next(use), timing.clock()))),
    /** Returns the folders with the results of the job whose program is running. */
    programFolders: (): readonly string[] => [
      ...new Set(
        laneOf({ action: 'program', receiver: '' })
          .results()
          .map((path) => dirname(path)),
      ),
    ],
    /** Sets the environment variables of programs; undefined for those of this process. */
    runWith: (env: Variables | undefined): void => void (variables = env),
    test,
    /** Returns whether a target's action is running, and its last attempt with the job; `job` is null for a test or without an attempt. */
    status: (target: HookTarget): HookStatus & { readonly job: RecordId | null } => {
      const tested = tests.get(keyOf(target)) ?? null
      const { job = null, ...tried } = deps.queue.last(useOf(target), nameOf(target)) ?? {}
      const last = 'triedAt' in tried ? tried : null
      const isTestNewer = tested !== null && tested.triedAt > (last?.triedAt ?? 0)
      const running = laneOf(useOf(target)).target()
      const isRunning = running !== undefined && keyOf(running) === keyOf(target)
      return { isRunning, last: isTestNewer ? tested : last, job: isTestNewer ? null : job }
    },
    /** Ends a running program or request. The next launch tries again. */
    stop: async (): Promise<void> => {
      ending.abort()
      await waker.stop()
      await Promise.all(Array.from(lanes.values(), (lane) => lane.stop()))
    },
  }
}

/** The program or URL of an action, or the receiver of a message. */
export type HookTarget =
  | { readonly action: 'program' | 'url'; readonly path: string }
  | { readonly action: 'message'; readonly receiver: Receiver }

const useOf = (target: HookTarget): HookUse => ({
  action: target.action,
  receiver: target.action === 'message' ? target.receiver.id : '',
})

/** Returns the name under which the history stores a target. A receiver's address may contain secrets, so only its host is stored. */
const nameOf = (target: HookTarget): string =>
  target.action === 'message' ? target.receiver.host : target.path

const keyOf = (target: HookTarget): string => `${target.action} ${useOf(target).receiver} ${nameOf(target)}`

/** Returns the target of an action; undefined if the user no longer wants it. */
function targetIn(hooks: AfterJob, { action, receiver: id }: HookUse): HookTarget | undefined {
  if (action !== 'message') {
    const path = hooks[action]
    return path === null ? undefined : { action, path }
  }
  const receiver = hooks.receivers.find((one) => one.id === id)
  return receiver && { action, receiver }
}

/** Returns the actions that follow a job with this outcome. */
export function usesAfter(hooks: AfterJob, outcome: HookOutcome): readonly HookUse[] {
  const direct = outcomesOf(hooks).includes(outcome)
    ? DIRECT_ACTIONS.filter((action) => hooks[action] !== null)
    : []
  const receivers = hooks.receivers.filter((receiver) => outcomesOf(receiver).includes(outcome))
  return [
    ...direct.map((action) => ({ action, receiver: '' })),
    ...receivers.map(({ id }) => ({ action: 'message' as const, receiver: id })),
  ]
}

/** Runs one action for one job at a time. */
function createLane(use: HookUse, deps: PerformDeps & HookRunnerDeps) {
  const { action, receiver } = use
  const { queue, timing, log } = deps
  const { clock } = timing
  let running: { readonly target: HookTarget; readonly results: readonly string[] } | undefined
  /** Writes a result that hasn't been stored yet. */
  let unwritten: (() => void) | undefined

  const loop = createWorkLoop({
    step,
    onError(error) {
      log('action after a job not run', { action, error: messageOf(error) })
      return TROUBLE_MS
    },
    after: timing.after,
  })

  async function step(): Promise<Pause> {
    unwritten?.()
    unwritten = undefined
    const next = queue.next(use)
    if (next === undefined) return null
    const wait = waitFor(next, clock())
    if (wait > 0) return wait
    // Mediatray ended during the last attempt.
    if (next.tries >= MOST_TRIES) queue.end(next.id, { kind: 'interrupted' }, null)
    else await tryOnce(next)
    return 0
  }

  async function tryOnce({ id, job, watched, tries }: QueuedHook): Promise<void> {
    const target = targetIn(deps.hooksFor(watched), use)
    if (target === undefined) return queue.drop(id)
    const retryMs = RETRIES_MS[tries]
    running = { target, results: [] }
    try {
      // If this process is killed now, the attempt counts, so that a program that ends Mediatray isn't run again forever.
      queue.begin(id, { target: nameOf(target), triedAt: clock(), nextAt: clock() + (retryMs ?? 0) })
      const result = await withResult(target, log, async () => {
        const report = await deps.report(job, id)
        if (report === undefined) return undefined
        running = { target, results: report.job.results.map(({ path }) => path) }
        return perform(target, report, deps, loop.ending)
      })
      if (result === undefined) return queue.drop(id)
      if (action === 'program') await programEnded(running.results)
      const isLast = isSuccess(result) || retryMs === undefined
      log('action after a job', { action, result: result.kind, tries: tries + 1 })
      const nextAt = isLast ? null : clock() + retryMs
      unwritten = () => {
        queue.end(id, result, nextAt)
        deps.onTried?.({ job, action, receiver, result, tries: tries + 1, nextAt })
      }
    } finally {
      running = undefined
    }
    unwritten()
    unwritten = undefined
  }

  /** Reports the end of a program. An error here doesn't change the program's result. */
  async function programEnded(results: readonly string[]): Promise<void> {
    try {
      await deps.onProgramEnded?.(results)
    } catch (error) {
      log('results not noted after a program', { error: messageOf(error) })
    }
  }

  return {
    wake(): void {
      loop.start()
      loop.wake()
    },
    stop: () => loop.stop(),
    /** Returns the target in use; undefined if none. */
    target: () => running?.target,
    /** Returns the results of the job for which the action is running. */
    results: () => running?.results ?? [],
    /** Whether the action is running or its result hasn't been stored yet. */
    isRunning: () => running !== undefined || unwritten !== undefined,
  }
}

const isDue = (next: QueuedHook | undefined, now: number): boolean =>
  next !== undefined && waitFor(next, now) <= 0

/**
 * Returns the time until the next attempt, in ms; 0 if the clock has been set back since the last attempt, because `nextAt` might then be
 * far in the future.
 */
const waitFor = ({ nextAt, triedAt }: QueuedHook, now: number): number =>
  triedAt !== null && now < triedAt ? 0 : Math.max(0, nextAt - now)

/** Makes each attempt end with a result. An error in Mediatray itself also counts as a failure. */
async function withResult<T>(
  target: HookTarget,
  log: Log,
  attempt: () => Promise<T>,
): Promise<T | HookResult> {
  try {
    return await attempt()
  } catch (error) {
    // The message may contain an address.
    const code = codeOf(error) || (error instanceof Error ? error.name : 'unknown')
    log('action after a job failed in Mediatray', { action: target.action, error: code })
    return target.action === 'program' ? { kind: 'notStarted', fault: code } : { kind: 'notReached', code }
  }
}

type PerformDeps = Pick<HookRunnerDeps, 'timing' | 'message' | 'key' | 'addresses'> & {
  readonly variables: () => Variables | undefined
}

function perform(
  target: HookTarget,
  report: JobReport,
  { timing, message, key, addresses, variables }: PerformDeps,
  signal: AbortSignal,
): Promise<HookResult> {
  const { id, test: isTest } = report
  switch (target.action) {
    case 'program':
      return runProgram(target.path, JSON.stringify(report), { ...timing, env: variables() }, signal)
    case 'url':
      return sendToUrl(target.path, { id, body: JSON.stringify(report), isTest }, timing, key, signal)
    case 'message':
      return sendMessage(target.receiver, { ...message(report), isTest }, timing, addresses, signal)
  }
}
