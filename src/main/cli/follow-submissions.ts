/** Follows a command's submissions from the outbox to their outcomes and reports each step. */
import { inEnglish } from '../../shared/i18n/in-english.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { RecordDetails, WaitingReason, WorkTitle } from '../../shared/model/work.ts'
import { claimedPaths, type Line } from '../core/index.ts'
import { pathOfProblem } from '../history/index.ts'
import { postponedBecause, type ListedSubmission, type StoredSubmission } from '../outbox/index.ts'
import type { Context } from './context.ts'
import { OWNER_ENDS, USER_CANCEL } from './environment.ts'
import { EXIT, type ExitCode, exitCodeOfOutcome } from './exit-code.ts'
import { type FinishedEvent, type GroupRef, type KeptEvent, notice, type Submission } from './output/event.ts'
import { explainWait } from './explain-wait.ts'
import { followGroups, groupRefOf } from './follow-groups.ts'
import { followOriginals } from './follow-originals.ts'
import { change } from './reach-service.ts'
import { stepsUnderWay } from './steps-under-way.ts'
import { type FollowOptions, type Followed, type Stop, createStopRule } from './why-stop.ts'

/**
 * Waits until the submissions have been accepted or, if requested, until their jobs have finished.
 * @returns one exit code per submission, plus one if the command stopped waiting early
 */
export async function followSubmissions(
  context: Context,
  core: Line,
  submitted: readonly RecordId[],
  options: FollowOptions,
): Promise<readonly ExitCode[]> {
  const { report, environment } = context
  const followed: Followed = {
    open: new Set(submitted),
    // Those that an earlier owner has reported.
    accepted: new Set(options.isContinued === true ? submitted.filter((id) => hasJob(core, id)) : []),
    checked: new Set(),
    codes: [],
    lastMove: environment.timing.monotonic(),
    outcomes: report.outcomes(submitted.length, options.canRepeat),
  }
  try {
    await follow(context, core, submitted, followed, options)
  } catch (error) {
    const { open } = followed
    report.progress([])
    if (open.size > 0) report.say(notice(unfinishedWords(open.size)))
    throw error
  } finally {
    report.progress([])
    followed.outcomes.end()
  }
  return followed.codes
}

/** The arguments of the command that follows the remaining jobs, with the common options of this one. */
function followArguments(
  argv: readonly string[],
  open: ReadonlySet<RecordId>,
  { wait, watch }: FollowOptions,
): readonly string[] {
  const common = argv.filter((word) => ['--json', '--quiet', '--verbose'].includes(word))
  return [...common, 'follow', ...(wait ? ['--wait'] : []), ...(watch ? ['--watch'] : []), ...open]
}

const unfinishedWords = (count: number): string =>
  `${count === 1 ? '1 submission isn’t' : `${count} submissions aren’t`} finished. The outbox and the history keep their last confirmed state; “outbox send” continues.`

async function follow(
  context: Context,
  core: Line,
  submitted: readonly RecordId[],
  followed: Followed,
  options: FollowOptions,
): Promise<void> {
  const { report, service, environment, waits: silence } = context
  const { open, codes, outcomes } = followed
  // The built-in service is there for commands, which show what becomes of their jobs.
  const waits = options.wait || service.kind === 'builtIn'
  const isOpen = (id: RecordId) => open.has(id)
  const explain = () => explainWait(context, core, isOpen)
  const groups = followGroups(outcomes, core, submitted)
  const originals = followOriginals(context, core, [...submitted, ...(options.replacing ?? [])])
  const whyStop = createStopRule(context, core, followed, options)
  const pollEach = (ids: Iterable<RecordId>, wait: boolean) => {
    for (const id of ids) {
      if (!wait || !originals.isPending(id)) poll(context, core, followed, { id, wait, ...groups.refOf(id) })
    }
  }
  for (;;) {
    pollEach(open, waits)
    groups.report(open)
    codes.push(...originals.report(open))
    const isQuiet = open.size === 0 && (options.untilQuiet !== true || !core.busy())
    if (isQuiet) break
    const stop = whyStop()
    if (stop !== undefined && environment.interrupted.reason === OWNER_ENDS) {
      environment.continueWith?.(followArguments(environment.argv, open, options))
      break
    }
    if (stop !== undefined) {
      await responded(context, core, open)
      if (service.kind === 'builtIn' && options.own === true) await cancelJobs(context, core, open)
      pollEach(
        [...open].filter((id) => core.outbox.get(id)?.state.kind !== 'unknown'),
        true,
      )
      codes.push(...originals.report(open))
      sayStopped(context, core, followed, stop)
      groups.report(new Set())
      codes.push(stop.code)
      break
    }
    report.progress(stepsUnderWay(core.state.get(), (id) => options.watch || open.has(id)))
    await silence.during(explain, () => change(core, context))
  }
}

/** How long to wait for the response to a request that creates a job, in ms. */
const RESPONSE_MS = 3_000

/** The service may still accept a submission that is being sent. `sayStopped` reports those that aren't confirmed. */
async function responded(context: Context, core: Line, open: ReadonlySet<RecordId>): Promise<void> {
  const { monotonic } = context.environment.timing
  const until = monotonic() + RESPONSE_MS
  const isSending = (id: RecordId) => core.outbox.get(id)?.state.kind === 'sending'
  while ([...open].some(isSending) && monotonic() < until) await change(core, context)
}

/** How long a cancel may take, in ms. */
const CANCEL_MS = 10_000

/**
 * Cancels the command's jobs and what wasn't sent yet if the user pressed Ctrl-C. Otherwise only the command ends, and its jobs continue.
 */
async function cancelJobs(context: Context, core: Line, open: ReadonlySet<RecordId>): Promise<void> {
  const { environment } = context
  if (environment.interrupted.reason !== USER_CANCEL) return
  const records = () => [...open].flatMap((id) => core.history.details(id) ?? [])
  const isWaiting = (id: RecordId) => core.outbox.get(id)?.state.kind === 'waiting'
  for (const id of [...open].filter(isWaiting)) void core.cancelWork(id, 'part')
  for (const { id } of records().filter(isRunning)) void core.cancelWork(id, 'part')
  // Also those of a job that ends before the cancel reaches it.
  for (const id of open) if (core.outbox.get(id) === undefined) core.outbox.cancelRequests.add(id)
  // A submission that ends before it is sent doesn't start this.
  core.replacing.start()
  const { monotonic } = environment.timing
  const began = monotonic()
  const isEnding = (record: RecordDetails) =>
    isRunning(record) || (record.outcome !== null && core.replacing.isPending(record))
  while (records().some(isEnding) && monotonic() - began < CANCEL_MS) await change(core, context)
}

const hasJob = ({ history }: Pick<Line, 'history'>, id: RecordId): boolean =>
  (history.details(id)?.facts.jobId ?? null) !== null

const isRunning = ({ outcome, facts }: RecordDetails): boolean => outcome === null && facts.jobId !== null

/** Reports each change in a submission's state once. */
function poll(
  { report, environment }: Context,
  core: Line,
  followed: Followed,
  { id, wait, ...place }: { readonly id: RecordId; readonly wait: boolean; readonly group?: GroupRef },
): void {
  const moved = () => {
    followed.lastMove = environment.timing.monotonic()
  }
  const end = (code: ExitCode) => {
    followed.open.delete(id)
    followed.codes.push(code)
    moved()
  }
  const unsent = core.outbox.get(id)
  if (unsent !== undefined && unsent.state.kind !== 'accepted') {
    const code = pollUnsent({ report, environment }, core, followed, id)
    return code === undefined ? undefined : end(code)
  }
  const record = core.history.details(id)
  // The history is written after the outbox. If the disk is full, the record may be missing for a while.
  if (record === undefined && unsent !== undefined) return undefined
  const finish = (ended: RecordDetails, outcome: Outcome) => {
    followed.outcomes.say({ ...finishedEvent(ended, outcome), ...place })
    return end(exitCodeOfOutcome(outcome))
  }
  const jobId = record?.facts.jobId ?? null
  if (record === undefined || jobId === null) {
    // Ctrl-C canceled it before it was sent.
    if (record?.outcome && environment.interrupted.reason === USER_CANCEL)
      return finish(record, record.outcome)
    report.say(notice(`${id}  was removed from the outbox meanwhile.`))
    return end(EXIT.failed)
  }
  if (!followed.accepted.has(id)) {
    followed.accepted.add(id)
    moved()
    followed.outcomes.say({
      event: 'accepted',
      ...submissionOf(record),
      ...place,
      jobId,
      skipped: record.skipped,
    })
  }
  if (record.outcome !== null) return finish(record, record.outcome)
  if (!wait) end(record.skipped.length > 0 ? EXIT.problems : EXIT.done)
}

/**
 * Reports the state of a submission that hasn't been accepted.
 * @returns an exit code if the submission was refused or needs the user's decision, otherwise undefined
 */
export function pollUnsent(
  { report, environment }: Pick<Context, 'report' | 'environment'>,
  core: Line,
  { checked, outcomes }: Pick<Followed, 'checked' | 'outcomes'>,
  id: RecordId,
): ExitCode | undefined {
  const submission = core.outbox.get(id)
  if (submission?.state.kind === 'refused') {
    outcomes.say({ event: 'refused', ...submissionIn(submission), ...submission.state.refusal })
    return EXIT.failed
  }
  if (submission?.state.kind !== 'unknown') return undefined
  const { leftToUser, candidates, uncertainty } = submission.state
  if (leftToUser) {
    outcomes.say({ event: 'unknown', ...submissionIn(submission), lookAlikes: candidates })
    return EXIT.notReachable
  }
  const shown = core.state.get().outbox.find((entry) => entry.id === id)?.state
  const until = shown?.kind === 'unknown' ? shown.until : undefined
  if (until === undefined || checked.has(id)) return undefined
  checked.add(id)
  const remainingMs = Math.max(0, Math.round(until - environment.timing.clock()))
  report.say({ event: 'checking', ...submissionIn(submission), cause: uncertainty.cause, remainingMs })
  return undefined
}

/** Reports why the command stops waiting and what happens to the unfinished submissions. */
function sayStopped(
  { report, service }: Context,
  core: Line,
  { open, accepted, outcomes }: Followed,
  { because, words }: Stop,
): void {
  report.progress([])
  if (words !== undefined) report.say(notice(words))
  // If the service lost a submission's job, the submission is back in the outbox.
  const hasJob = (id: RecordId) => accepted.has(id) && core.history.details(id)?.facts.jobId !== null
  const unsent = [...open].filter((id) => !hasJob(id)).flatMap((id) => core.outbox.get(id) ?? [])
  // A submission with an unknown outcome must not be reported as waiting.
  for (const submission of unsent) {
    const { state } = submission
    const lookAlikes = state.kind === 'unknown' ? state.candidates : []
    if (isUnconfirmed(submission)) outcomes.say({ event: 'unknown', ...submissionIn(submission), lookAlikes })
  }
  const kept = unsent.filter((submission) => !isUnconfirmed(submission))
  report.sayEach(kept.map((submission) => keptEvent(submission, because)))
  const withJob = [...open].filter(hasJob)
  if (withJob.length === 0) return
  if (withJob.every((id) => core.history.details(id)?.outcome)) {
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
