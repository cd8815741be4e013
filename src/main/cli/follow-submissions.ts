/** Follows a command's submissions from the outbox to their outcomes and reports each step. */
import { inEnglish } from '../../shared/i18n/in-english.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { RecordDetails, WaitingReason, WorkTitle } from '../../shared/model/work.ts'
import { forEachInSlices } from '../../node/slices.ts'
import { claimedPaths, type Line } from '../core/index.ts'
import { pathOfProblem } from '../history/index.ts'
import { postponedBecause, type ListedSubmission, type StoredSubmission } from '../outbox/index.ts'
import type { Context } from './context.ts'
import { OWNER_ENDS, USER_CANCEL } from './environment.ts'
import { EXIT, type ExitCode, exitCodeOfOutcome } from './exit-code.ts'
import {
  type FinishedEvent,
  type GroupRef,
  type KeptEvent,
  notice,
  type OutcomeEvent,
  type OutcomeReport,
  type Submission,
} from './output/event.ts'
import { explainWait } from './explain-wait.ts'
import { followJobs, groupRefOf } from './follow-jobs.ts'
import { change, until } from './reach-service.ts'
import { stepsUnderWay } from './steps-under-way.ts'
import { areFilesInPlace, type FollowOptions, type Followed, type Stop, createStopRule } from './why-stop.ts'

/** What a command has found out about its submissions. */
type Found = Followed & {
  /** Submissions that the command still waits for. */
  readonly open: Set<RecordId>
  readonly accepted: Set<RecordId>
  /** Submissions for which a check of the job list has already been reported. */
  readonly checked: Set<RecordId>
  readonly codes: ExitCode[]
  readonly outcomes: OutcomeReport
}

/**
 * Waits until the submissions have been accepted or, if requested, until their jobs have finished.
 * @returns one exit code per submission, plus one if the command stopped waiting early
 */
export async function followSubmissions(
  context: Context,
  submitted: readonly RecordId[],
  options: FollowOptions,
): Promise<readonly ExitCode[]> {
  const { report, environment } = context
  if (submitted.length > 0) environment.onStored?.('everything')
  const found: Found = {
    open: new Set(submitted),
    // Those that an earlier owner has reported.
    accepted: new Set(options.isContinued === true ? submitted.filter((id) => hasJob(context.line, id)) : []),
    checked: new Set(),
    codes: [],
    outcomes: report.outcomes(submitted.length, options.canRepeat),
  }
  try {
    await follow(context, submitted, found, options)
  } catch (error) {
    const { open } = found
    report.progress([])
    if (open.size > 0) report.say(notice(unfinishedWords(open.size)))
    throw error
  } finally {
    report.progress([])
    found.outcomes.end()
  }
  return found.codes
}

/** The arguments of the command that follows the remaining jobs, with the service and the common options of this one. */
function followArguments(
  { service, environment: { argv } }: Context,
  open: ReadonlySet<RecordId>,
  { wait, watch }: FollowOptions,
): readonly string[] {
  const common = argv.filter((word) => ['--json', '--quiet', '--verbose', '--key-stdin'].includes(word))
  const at = service.kind === 'external' ? ['--base-url', service.identity] : []
  return [...common, ...at, 'follow', ...(wait ? ['--wait'] : []), ...(watch ? ['--watch'] : []), ...open]
}

const unfinishedWords = (count: number): string =>
  `${count === 1 ? '1 submission isn’t' : `${count} submissions aren’t`} finished. The outbox and the history keep their last confirmed state; “outbox send” continues.`

async function follow(
  context: Context,
  submitted: readonly RecordId[],
  found: Found,
  options: FollowOptions,
): Promise<void> {
  const { report, service, environment, line, waits: silence } = context
  const { open, codes, outcomes } = found
  // The built-in service is there for commands, which show what becomes of their jobs.
  const waits = options.wait || service.kind === 'builtIn'
  const stateOf = (id: RecordId) => line.outbox.get(id)?.state.kind
  const jobs = await followJobs(context, outcomes, submitted, options.replacing)
  const whyStop = createStopRule(context, found, options)
  async function pollEach(ids: readonly RecordId[], isWaiting: boolean, isLast = false): Promise<void> {
    await forEachInSlices(ids, (id) => {
      // `sayStopped` reports those that aren't confirmed.
      if (isLast && stateOf(id) === 'unknown') return
      if (!isWaiting || !jobs.isPending(id)) poll(context, found, { id, isWaiting, ...jobs.refOf(id) })
    })
    codes.push(...(await jobs.report(open)))
  }
  /** Returns the submissions of which something new can be read. The others wait, or their accepted jobs run. There may be thousands. */
  function changed(): readonly RecordId[] {
    const { outbox, jobs: running } = line.state.get()
    if (!line.outbox.listSoFar().isWhole) return []
    const unsent = outbox.filter(({ state }) => state.kind === 'waiting' || state.kind === 'sending')
    const followed = waits ? running.filter(({ id }) => found.accepted.has(id)) : []
    const same = new Set([...unsent, ...followed].map(({ id }) => id))
    return [...open].filter((id) => !same.has(id))
  }
  const isSending = () =>
    line.state.get().outbox.some(({ id, state }) => state.kind === 'sending' && open.has(id))
  for (;;) {
    await pollEach(changed(), waits)
    if (open.size === 0 && (options.untilQuiet !== true || !line.busy())) return
    const stop = whyStop()
    if (stop === undefined) {
      report.progress(stepsUnderWay(line.state.get(), (id) => options.watch || open.has(id)))
      await silence.during(
        () => explainWait(context, (id) => open.has(id)),
        () => change(context),
      )
      continue
    }
    if (environment.interrupted.reason === OWNER_ENDS)
      return environment.continueWith?.(followArguments(context, open, options))
    const cancels =
      environment.interrupted.reason === USER_CANCEL && service.kind === 'builtIn' && options.own === true
    const left = cancels ? await withoutWaiting(context, open) : []
    // The service may still accept a submission that is being sent.
    await until(context, () => !isSending(), RESPONSE_MS)
    if (cancels) await cancelJobs(context, left)
    await pollEach([...open], true, true)
    await sayStopped(context, found, stop)
    await jobs.reportRest()
    codes.push(stop.code)
    return
  }
}

/** How long to wait for the response to a request that creates a job, in ms. */
const RESPONSE_MS = 3_000

/** How long a cancel may take, in ms. */
const CANCEL_MS = 10_000

/** Withdraws what wasn't sent yet. @returns the other submissions */
async function withoutWaiting({ line }: Context, open: ReadonlySet<RecordId>): Promise<readonly RecordId[]> {
  const withdrawn = new Set(await line.withdrawWaiting([...open]))
  return [...open].filter((id) => !withdrawn.has(id))
}

/** Cancels jobs that the service has, and keeps their originals. */
async function cancelJobs(context: Context, ids: readonly RecordId[]): Promise<void> {
  const { line } = context
  const records = () => ids.flatMap((id) => line.history.summary(id) ?? [])
  for (const { id } of records().filter(isRunning)) void line.cancelWork(id, 'part')
  // Also those of a job that ends before the cancel reaches it.
  line.outbox.cancelRequests.add(...ids.filter((id) => line.outbox.get(id) === undefined))
  // A submission that ends before it is sent doesn't start this.
  line.replacing.start()
  const isEnding = (record: Summary) =>
    isRunning(record) || (record.outcome !== null && line.replacing.isPending(record))
  await until(context, () => !records().some(isEnding), CANCEL_MS)
}

const hasJob = ({ history }: Pick<Line, 'history'>, id: RecordId): boolean =>
  (history.summary(id)?.jobId ?? null) !== null

type Summary = NonNullable<ReturnType<Line['history']['summary']>>

const isRunning = ({ outcome, jobId }: Summary): boolean => outcome === null && jobId !== null

/** Reports each change in a submission's state once. @param isWaiting whether the command waits for the end of the job */
function poll(
  context: Context,
  { open, accepted, checked, codes, outcomes }: Found,
  {
    id,
    isWaiting,
    ...place
  }: { readonly id: RecordId; readonly isWaiting: boolean; readonly group?: GroupRef },
): void {
  function end(code: ExitCode | undefined): void {
    if (code === undefined) return
    open.delete(id)
    codes.push(code)
  }
  function finish(record: RecordDetails, outcome: Outcome): void {
    outcomes.say({ ...finishedEvent(record, outcome), ...place })
    end(exitCodeOfOutcome(outcome))
  }
  const { line, report, environment } = context
  const unsent = line.outbox.get(id)
  if (unsent !== undefined && unsent.state.kind !== 'accepted')
    return end(pollUnsent(context, { checked, say: (event) => outcomes.say(event) }, id))
  const record = line.history.details(id)
  // The history is written after the outbox. If the disk is full, the record may be missing for a while.
  if (record === undefined && unsent !== undefined) return
  const jobId = record?.facts.jobId ?? null
  if (record === undefined || jobId === null) {
    // Ctrl-C canceled it before it was sent.
    if (record?.outcome && environment.interrupted.reason === USER_CANCEL)
      return finish(record, record.outcome)
    report.say(notice(`${id}  was removed from the outbox meanwhile.`))
    return end(EXIT.failed)
  }
  const { skipped, outcome } = record
  if (!accepted.has(id)) {
    accepted.add(id)
    outcomes.say({ event: 'accepted', ...submissionOf(record), ...place, jobId, skipped })
  }
  if (outcome !== null) finish(record, outcome)
  else if (!isWaiting) end(skipped.length > 0 ? EXIT.problems : EXIT.done)
}

/**
 * Reports the state of a submission that hasn't been accepted.
 * @returns an exit code if the submission was refused or needs the user's decision, otherwise undefined
 */
export function pollUnsent(
  { report, environment, line }: Context,
  { checked, say }: Pick<Found, 'checked'> & { readonly say: (event: OutcomeEvent) => void },
  id: RecordId,
): ExitCode | undefined {
  const submission = line.outbox.get(id)
  if (submission?.state.kind === 'refused') {
    say({ event: 'refused', ...submissionIn(submission), ...submission.state.refusal })
    return EXIT.failed
  }
  if (submission?.state.kind !== 'unknown') return undefined
  const { leftToUser, candidates, uncertainty } = submission.state
  if (leftToUser) {
    say({ event: 'unknown', ...submissionIn(submission), lookAlikes: candidates })
    return EXIT.notReachable
  }
  const shown = line.state.get().outbox.find((entry) => entry.id === id)?.state
  const end = shown?.kind === 'unknown' ? shown.until : undefined
  if (end === undefined || checked.has(id)) return undefined
  checked.add(id)
  const remainingMs = Math.max(0, Math.round(end - environment.timing.clock()))
  report.say({ event: 'checking', ...submissionIn(submission), cause: uncertainty.cause, remainingMs })
  return undefined
}

/** Reports why the command stops waiting and what happens to the unfinished submissions. */
async function sayStopped(
  { report, service, line }: Context,
  { open, accepted, outcomes }: Found,
  { because, words }: Stop,
): Promise<void> {
  report.progress([])
  if (words !== undefined) report.say(notice(words))
  // Nothing is kept, and no history shows an outcome.
  if (!areFilesInPlace(line)) return
  // If the service lost a submission's job, the submission is back in the outbox.
  const hasJob = (id: RecordId) => accepted.has(id) && line.history.summary(id)?.jobId !== null
  const kept: KeptEvent[] = []
  await forEachInSlices(open, (id) => {
    const submission = hasJob(id) ? undefined : line.outbox.get(id)
    if (submission === undefined) return
    const { state } = submission
    const lookAlikes = state.kind === 'unknown' ? state.candidates : []
    // A submission with an unknown outcome must not be reported as waiting.
    if (isUnconfirmed(submission)) outcomes.say({ event: 'unknown', ...submissionIn(submission), lookAlikes })
    else kept.push(keptEvent(submission, because))
  })
  report.sayEach(kept)
  const withJob = [...open].filter(hasJob)
  if (withJob.length === 0) return
  if (withJob.every((id) => line.history.summary(id)?.outcome)) {
    report.say(
      notice(
        'The jobs are done, but not all originals are replaced yet. Mediatray or “outbox send” continues.',
      ),
    )
    return
  }
  const where = service.kind === 'external' ? 'at the service' : 'in Mediatray'
  report.say(notice(`Stopped waiting. The jobs continue ${where}; “history” shows their outcome.`))
}

const isUnconfirmed = ({ state }: StoredSubmission): boolean =>
  state.kind === 'unknown' || state.kind === 'sending'

type Named = {
  readonly id: RecordId
  readonly group: WorkTitle['group']
  readonly preset: string | null
  readonly inputs: readonly { readonly path: string }[]
  readonly driveInput: string | null
}

export const submissionOf = ({ id, inputs, driveInput, ...work }: Named): Submission => ({
  id,
  ...groupRefOf(work),
  inputs: {
    files: inputs.map(({ path }) => path),
    ...(driveInput === null ? {} : { driveInputFolder: driveInput }),
  },
})

/** Describes an ended job. Its files have their whole paths, if it is known which inputs the service means. */
export function finishedEvent(record: RecordDetails, outcome: Outcome): FinishedEvent {
  const { problems, files, variations, facts } = record
  const originals = new Map(
    [...claimedPaths(record)].flatMap(([{ path }, paths]) => paths.map((result) => [result, path] as const)),
  )
  return {
    event: 'finished',
    ...submissionOf(record),
    jobId: facts.jobId,
    outcome,
    files,
    variations,
    results: record.results.map((one) => ({ ...one, file: originals.get(one.outputPath) ?? one.file })),
    problems: problems.map((one) => ({ ...one, file: pathOfProblem(one, record) })),
    notes: facts.notes,
  }
}

/** @param because why it isn't sent, unless it was postponed */
export function keptEvent(submission: StoredSubmission, because: WaitingReason): KeptEvent {
  const { state } = submission
  const why =
    state.kind === 'waiting' && state.unsaved !== undefined
      ? { because: postponedBecause(state.unsaved), message: inEnglish(state.unsaved) }
      : { because }
  return { event: 'kept', ...submissionIn(submission), ...why }
}

export const submissionIn = ({ id, title, plan }: StoredSubmission): Submission =>
  submissionOf({ ...title, id, inputs: plan.items, driveInput: plan.driveInput })

/** Whether a submission is intended for the current service. */
export function isFor({ service }: Context, { target, state }: ListedSubmission): boolean {
  if (state.kind === 'sending' || state.kind === 'unknown') return state.attempt.service === service.identity
  return target === undefined ? service.isApps : target === service.identity
}
