/** Checks whether a service conforms to the API specification. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Health } from '../../shared/api/resources.ts'
import { makeTemporaryFolder } from '../../node/temporary-folder.ts'
import type { Timing } from '../../node/timing.ts'
import type { BaseUrl } from '../service-api/index.ts'
import type { Check, CheckContext } from './check.ts'
import { NotChecked, Violation } from './expectations.ts'
import { accessChecks } from './checks/access.ts'
import { creationChecks } from './checks/job-creation.ts'
import { clearCheck, lifeChecks } from './checks/job-life.ts'
import { transferChecks } from './checks/transfers.ts'
import { createOwnJobs, Stuck } from './own-jobs.ts'
import { createRequests, Interrupted, NoAnswer } from './requests.ts'
import { writeSamples } from './sample-files.ts'

export const ALL_CHECKS: readonly Check[] = [
  ...accessChecks,
  ...creationChecks,
  ...lifeChecks,
  ...transferChecks,
  clearCheck,
]

export type CheckResult = {
  readonly section: string
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'notChecked'
  /** What the service did instead, or why the check wasn't made; empty if it passed. */
  readonly detail: string
}

export type CheckOptions = {
  readonly baseUrl: BaseUrl
  readonly key: string
  /** Absolute; holds temporary files if the system has no folder for them. */
  readonly dataDir: string
  readonly timing: Pick<Timing, 'after' | 'monotonic'>
  readonly interrupted: AbortSignal
  readonly mayFillQueue: boolean
  readonly onResult: (result: CheckResult) => void
  /** Wraps the wait until no job is in progress. */
  readonly whileBusy?: <T>(work: () => Promise<T>) => Promise<T>
  readonly checks?: readonly Check[]
}

export type Ending =
  | { readonly kind: 'done' }
  /** Nothing could be checked. The message is a sentence. */
  | { readonly kind: 'notReachable' | 'keyRefused'; readonly message: string }
  | { readonly kind: 'interrupted' }

export type Checked = {
  readonly ending: Ending
  /** Jobs that may still be in progress, because the service didn't confirm their cancellation. */
  readonly leftJobs: readonly string[]
}

/** The service counts as gone after this many checks without a response since the last one that passed. */
const MAX_UNANSWERED = 3

/** Runs the checks with its own jobs and files. At the end, cancels the jobs and removes the files. */
export async function checkService(options: CheckOptions): Promise<Checked> {
  const requests = createRequests(options)
  const jobs = createOwnJobs({ ...options, ask: requests.ask })
  const folder = await makeTemporaryFolder('mediatray-check-', options.dataDir)
  let ending: Ending = { kind: 'done' }
  try {
    const refusal = await preflight(requests.ask)
    if (refusal !== undefined) ending = refusal
    else {
      let folders = 0
      const context: CheckContext = {
        ask: requests.ask,
        jobs,
        files: await writeSamples(folder),
        folder,
        newFolder: () => join(folder, `out-${++folders}`),
        mayFillQueue: options.mayFillQueue,
      }
      await runChecks(context, options)
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    ending = { kind: 'interrupted' }
  }
  const leftJobs = await jobs.cancelAll((request) => requests.ask(request, new AbortController().signal))
  await requests.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return { ending, leftJobs }
}

/** Returns why nothing can be checked; undefined if a Local Media Job service responds and accepts the key. */
async function preflight(ask: CheckContext['ask']): Promise<Ending | undefined> {
  try {
    const request = { method: 'GET', path: '/health' } as const
    const open = await ask({ ...request, authorization: null })
    // A service that requires the key here violates the specification. A check reports that later.
    const health = open.status === 401 ? await ask(request) : open
    if (health.status !== 200 || !isHealth(health.bytes)) {
      return {
        kind: 'notReachable',
        message: `This isn’t a Local Media Job service: GET /health returned ${health.status} without a Health (section 2).`,
      }
    }
    const listed = await ask({ method: 'GET', path: '/jobs' })
    if (listed.status === 401) {
      return { kind: 'keyRefused', message: 'The service doesn’t accept the key (section 5).' }
    }
    return undefined
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { kind: 'notReachable', message: `The service ${error.message}.` }
  }
}

/** Whether a response comes from a Local Media Job service of any version. */
function isHealth(bytes: Buffer): boolean {
  try {
    return Health.safeParse(JSON.parse(bytes.toString('utf8'))).success
  } catch {
    return false
  }
}

async function runChecks(context: CheckContext, options: CheckOptions): Promise<void> {
  const { checks = ALL_CHECKS, onResult, whileBusy = (work) => work() } = options
  /** Why all remaining checks are skipped. */
  let noMore: string | undefined
  /** Why the remaining checks that create jobs are skipped. */
  let noJobs: string | undefined
  let unanswered = 0

  async function resultOf(check: Check): Promise<Pick<CheckResult, 'outcome' | 'detail'>> {
    const blocked = noMore ?? (check.createsJobs ? noJobs : undefined)
    if (blocked !== undefined) return { outcome: 'notChecked', detail: blocked }
    try {
      if (check.createsJobs && !(await whileBusy(() => context.jobs.idle()))) {
        noJobs = 'The service was busy with other jobs for 10 minutes.'
        return { outcome: 'notChecked', detail: noJobs }
      }
      await check.run(context)
      unanswered = 0
      return { outcome: 'passed', detail: '' }
    } catch (error) {
      if (error instanceof NotChecked) return { outcome: 'notChecked', detail: error.message }
      if (error instanceof NoAnswer) {
        if (++unanswered >= MAX_UNANSWERED) noMore = 'The service stopped responding.'
        return { outcome: 'failed', detail: error.message }
      }
      if (!(error instanceof Violation)) throw error
      if (error instanceof Stuck) noJobs = 'An earlier job does not end.'
      return { outcome: 'failed', detail: error.message }
    }
  }

  for (const check of checks) {
    const { section, title } = check
    onResult({ section, title, ...(await resultOf(check)) })
  }
}
