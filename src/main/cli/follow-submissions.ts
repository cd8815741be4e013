/** From the outbox to accepted, and on to the end: what a command waits for and what it says of it. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { Core } from '../core/index.ts'
import type { ListedSubmission } from '../outbox/index.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode, exitCodeOfOutcome } from './exit-code.ts'
import type { Submission } from './output/event.ts'
import { change } from './reach-service.ts'
import { stepsUnderWay } from './steps-under-way.ts'
import { type FollowOptions, type Followed, type Stop, createStopRule } from './why-stop.ts'

/** @returns a code for each submission, and one for what stopped the waiting */
export async function followSubmissions(
  context: Context,
  core: Core,
  submitted: readonly RecordId[],
  options: FollowOptions,
): Promise<readonly ExitCode[]> {
  const { report, service, environment } = context
  const followed: Followed = {
    open: new Set(submitted),
    accepted: new Set(),
    codes: [],
    lastMove: environment.timing.monotonic(),
  }
  const { open, codes } = followed
  // The built-in service ends with the command, and would take unfinished jobs with it.
  const wait = options.wait || (service.kind === 'builtIn' && options.sends)
  const whyStop = createStopRule(context, core, followed, { ...options, wait })
  for (;;) {
    for (const id of open) poll(context, core, followed, id, wait)
    const isQuiet = open.size === 0 && (options.untilQuiet !== true || !core.busy())
    if (isQuiet) break
    const stop = whyStop()
    if (stop !== undefined) {
      sayStopped(context, core, followed, stop)
      codes.push(stop.code)
      break
    }
    report.progress(stepsUnderWay(core.state.get(), (id) => options.watch || open.has(id)))
    await change(core, context)
  }
  report.progress([])
  return codes
}

/** What has become of one submission since; said once. */
function poll(
  { report, environment }: Context,
  core: Core,
  followed: Followed,
  id: RecordId,
  wait: boolean,
): void {
  const moved = () => {
    followed.lastMove = environment.timing.monotonic()
  }
  const end = (code: ExitCode) => {
    followed.open.delete(id)
    followed.codes.push(code)
    moved()
  }
  const record = core.history.details(id)
  // The history follows the outbox, which may take a while on a full disk.
  if (record === undefined) return core.outbox.get(id) === undefined ? end(EXIT.failed) : undefined
  const { jobId } = record.facts
  if (jobId === null) {
    const code = pollUnsent({ report }, core, record)
    return code === undefined ? undefined : end(code)
  }
  if (!followed.accepted.has(id)) {
    followed.accepted.add(id)
    moved()
    report.say({ event: 'accepted', ...submissionOf(record), jobId, skipped: record.skipped })
  }
  if (record.outcome !== null) {
    const { outcome, results, problems, files } = record
    report.say({ event: 'finished', id, jobId, outcome, files, results, problems })
    return end(exitCodeOfOutcome(outcome))
  }
  if (!wait) end(record.skipped.length > 0 ? EXIT.problems : EXIT.done)
}

/** @returns the code of one that nothing more will come of by itself */
function pollUnsent(
  { report }: Pick<Context, 'report'>,
  core: Core,
  record: RecordDetails,
): ExitCode | undefined {
  const state = core.outbox.get(record.id)?.state
  if (state?.kind === 'refused') {
    report.say({ event: 'refused', ...submissionOf(record), ...state.refusal })
    return EXIT.failed
  }
  if (state?.kind !== 'unknown' || !state.leftToUser) return undefined
  report.say({ event: 'unknown', ...submissionOf(record), lookAlikes: state.candidates })
  return EXIT.notReachable
}

/** Why nothing more is waited for, and what becomes of what is not over. */
function sayStopped(
  { report, service }: Context,
  core: Core,
  { open, accepted }: Followed,
  { because, words }: Stop,
): void {
  report.progress([])
  if (words !== undefined) report.say({ event: 'notice', message: words })
  for (const id of open) {
    const record = core.history.details(id)
    const isKept = core.outbox.get(id) !== undefined
    if (record !== undefined && !accepted.has(id) && isKept) {
      report.say({ event: 'kept', ...submissionOf(record), because })
    }
  }
  if (![...open].some((id) => accepted.has(id))) return
  report.say({
    event: 'notice',
    message:
      service.kind === 'external'
        ? 'Stopped waiting; the jobs go on. “history” shows what becomes of them.'
        : 'Stopped, and the built-in service with its jobs.',
  })
}

type Named = {
  readonly id: RecordId
  readonly inputs: readonly { readonly path: string }[]
  readonly driveInput: string | null
}

export const submissionOf = ({ id, inputs, driveInput }: Named): Submission => ({
  id,
  inputs: {
    files: inputs.map(({ path }) => path),
    ...(driveInput === null ? {} : { driveInputFolder: driveInput }),
  },
})

/** Whether the service in use is the one that a submission is meant for. */
export function isFor({ service }: Context, { target, state }: ListedSubmission): boolean {
  if (state.kind === 'sending' || state.kind === 'unknown') return state.attempt.service === service.identity
  return target === undefined ? service.isApps : target === service.identity
}
