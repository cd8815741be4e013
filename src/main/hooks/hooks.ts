/**
 * Runs what follows jobs, from the durable queue in the history: at least once, with up to five attempts. The two actions don't wait for
 * each other. Nothing that they do affects a job.
 */
import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import { createWorkLoop, type Pause } from '../../node/work-loop.ts'
import type { HookResult, Hooks } from '../../shared/model/after-job.ts'
import {
  HOOK_ACTIONS,
  isSuccess,
  MOST_TRIES,
  type HookAction,
  type HookState,
  type HookStatus,
} from '../../shared/model/hook-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { exampleReport, type JobReport } from '../../shared/model/job-report.ts'
import type { HookQueue, QueuedHook } from '../history/index.ts'
import { runProgram } from './run-program.ts'
import { sendToUrl, type Message } from './send-to-url.ts'
import type { SigningKey } from './signing-key.ts'

export type HookRunnerDeps = {
  readonly queue: HookQueue
  /** Returns what follows the jobs of a watched folder; null for all other jobs. */
  readonly hooksFor: (watched: string | null) => Hooks
  /** Returns the report about a job; undefined if its record was deleted. */
  readonly report: (job: RecordId, id: string) => Promise<JobReport | undefined>
  readonly key: SigningKey
  readonly timing: Timing
  /** Called after each attempt, when its result is on disk. */
  readonly onTried?: (
    tried: Pick<HookState, 'action' | 'result' | 'tries' | 'nextAt'> & { readonly job: RecordId },
  ) => void
  /** Called with the paths of a job's results when a program that follows the job has ended, because it may have changed them. */
  readonly onProgramEnded?: (results: readonly string[]) => Promise<void>
  readonly log: Log
}

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
  const lanes = { program: createLane('program', deps), url: createLane('url', deps) }

  /** Sends an example, marked as a test, to the program or URL. */
  async function test(action: HookAction, target: string): Promise<HookState> {
    const triedAt = timing.clock()
    const id = `test-${randomUUID()}`
    const message = { id, body: JSON.stringify(exampleReport(id, new Date(triedAt))) }
    const result = await perform(action, target, message, deps, ending.signal)
    const state = { action, target, result, triedAt, tries: 1, nextAt: null, isTest: true }
    tests.set(`${action} ${target}`, state)
    return state
  }

  return {
    start: (): void => HOOK_ACTIONS.forEach((action) => lanes[action].start()),
    /** Checks for new actions. */
    wake: (): void => HOOK_ACTIONS.forEach((action) => lanes[action].wake()),
    /** Whether an action runs or is due. Later attempts don't count. */
    busy: (): boolean => HOOK_ACTIONS.some((action) => lanes[action].busy()),
    /** Returns the folders with the results of the job whose program is running. */
    programFolders: (): readonly string[] => [
      ...new Set(lanes.program.results().map((path) => dirname(path))),
    ],
    /** Sets the environment variables of programs; undefined for those of this process. */
    runWith: (env: Variables | undefined): void => void (variables = env),
    test,
    /** Returns how the program or URL was used last, and for which job; null for a test. */
    status: (action: HookAction, target: string): HookStatus & { readonly job: RecordId | null } => {
      const tested = tests.get(`${action} ${target}`) ?? null
      const { job = null, ...tried } = deps.queue.last(action, target) ?? {}
      const last = 'triedAt' in tried ? tried : null
      const isTestNewer = tested !== null && tested.triedAt > (last?.triedAt ?? 0)
      const isRunning = lanes[action].target() === target
      return { isRunning, last: isTestNewer ? tested : last, job: isTestNewer ? null : job }
    },
    /** Ends a running program or request. The next launch tries again. */
    stop: async (): Promise<void> => {
      ending.abort()
      await Promise.all(HOOK_ACTIONS.map((action) => lanes[action].stop()))
    },
  }
}

type Lane = Pick<HookRunner, 'start' | 'wake' | 'stop'> & {
  readonly busy: () => boolean
  /** Returns the program or URL in use; undefined if none. */
  readonly target: () => string | undefined
  /** Returns the results of the job that is being followed. */
  readonly results: () => readonly string[]
}

/** Runs one kind of action, one at a time. */
function createLane(action: HookAction, deps: PerformDeps & HookRunnerDeps): Lane {
  const { queue, timing, log } = deps
  const { clock } = timing
  let running: { readonly target: string; readonly results: readonly string[] } | undefined
  /** Stores a result that couldn't be written yet. */
  let unwritten: (() => void) | undefined
  let isStarted = false

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
    const next = queue.next(action)
    if (next === undefined) return null
    const wait = waitFor(next, clock())
    if (wait > 0) return wait
    // Mediatray ended during the last attempt.
    if (next.tries >= MOST_TRIES) queue.end(next.id, { kind: 'interrupted' }, null)
    else await tryOnce(next)
    return 0
  }

  async function tryOnce({ id, job, watched, tries }: QueuedHook): Promise<void> {
    const wanted = deps.hooksFor(watched)[action]
    const report = wanted === null ? undefined : await deps.report(job, id)
    if (wanted === null || report === undefined) return queue.drop(id)
    const retryMs = RETRIES_MS[tries]
    const results = report.job.results.map(({ path }) => path)
    running = { target: wanted, results }
    try {
      // If this process is killed now, the attempt counts, so that a program that ends Mediatray can't run forever.
      queue.begin(id, { target: wanted, triedAt: clock(), nextAt: clock() + (retryMs ?? 0) })
      const message = { id, body: JSON.stringify(report) }
      const result = await perform(action, wanted, message, deps, loop.ending)
      if (action === 'program') await deps.onProgramEnded?.(results)
      const isLast = isSuccess(result) || retryMs === undefined
      log('action after a job', { action, result: result.kind, tries: tries + 1 })
      const nextAt = isLast ? null : clock() + retryMs
      unwritten = () => {
        queue.end(id, result, nextAt)
        deps.onTried?.({ job, action, result, tries: tries + 1, nextAt })
      }
    } finally {
      running = undefined
    }
    unwritten()
    unwritten = undefined
  }

  return {
    start() {
      isStarted = true
      loop.start()
    },
    wake: () => loop.wake(),
    stop: () => loop.stop(),
    target: () => running?.target,
    results: () => running?.results ?? [],
    busy() {
      if (running !== undefined || unwritten !== undefined) return true
      const next = isStarted ? queue.next(action) : undefined
      return next !== undefined && waitFor(next, clock()) <= 0
    },
  }
}

/**
 * Returns the time until the next attempt, in ms; 0 if the clock was set back since the last one, because then the time of the next is
 * unknown.
 */
const waitFor = ({ nextAt, triedAt }: QueuedHook, now: number): number =>
  triedAt !== null && now < triedAt ? 0 : Math.max(0, nextAt - now)

type PerformDeps = Pick<HookRunnerDeps, 'timing' | 'key'> & {
  readonly variables: () => Variables | undefined
}

const perform = (
  action: HookAction,
  target: string,
  message: Message,
  { timing, key, variables }: PerformDeps,
  signal: AbortSignal,
): Promise<HookResult> =>
  action === 'program'
    ? runProgram(target, message.body, { ...timing, env: variables() }, signal)
    : sendToUrl(target, message, timing, key, signal)
