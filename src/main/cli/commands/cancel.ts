/** Cancels jobs, and reports what has become of each. */
import { outcomeWord, replacedSentence } from '../../../shared/i18n/sentences.ts'
import { plannedResults } from '../../../shared/model/work-item.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import type { RecordDetails } from '../../../shared/model/work.ts'
import { restOf, type Core } from '../../core/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { combinedExitCode, EXIT, type ExitCode } from '../exit-code.ts'
import { groupRefOf } from '../follow-groups.ts'
import { settled } from '../reach-service.ts'
import { notice } from '../output/event.ts'
import { t } from '../output/words.ts'
import { ask } from './service.ts'

export type CancelOptions = {
  /** A job ID, or the ID of a record. */
  readonly id: string
  /** Whether to leave the other parts of the record's group alone. */
  readonly onlyPart: boolean
}

/** Cancels a job, or all unfinished parts of a record. Reports what happened to each. */
export const cancel: CliCommand<CancelOptions> = async (context, { id, onlyPart }) => {
  const core = await context.openCore({ connected: false, sends: false })
  const ids = partsOf(core, asRecordId(id), onlyPart) ?? partsOfJob(context, core, id)
  if (ids !== undefined) return cancelRecords(context, core, ids)
  if (context.service.kind === 'external') return cancelJob(context, { jobId: id, group: {} })
  context.report.say(notice(`There is no job or record “${id}”. “history” and “outbox” list the records.`))
  return EXIT.failed
}

function partsOf(core: Core, id: RecordId, onlyPart: boolean): readonly RecordId[] | undefined {
  const title = core.outbox.get(id)?.title ?? core.history.details(id)
  if (title === undefined) return undefined
  const group = title.group?.id ?? title.id
  return onlyPart ? [id] : [...new Set([id, ...core.history.wholeJob(group), ...core.outbox.partsOf(group)])]
}

/** Returns the record of a job of this service, or of the app's own service, and the record of what a crash has left of that job. */
function partsOfJob({ service }: Context, { history }: Core, jobId: string): readonly RecordId[] | undefined {
  const isHere = ({ facts }: RecordDetails) =>
    facts.service === 'builtIn' || (service.kind === 'external' && facts.baseUrl === service.identity)
  const record = history
    .recordsOf(jobId)
    .map((id) => history.details(id))
    .find((one) => one !== undefined && isHere(one))
  if (record === undefined) return undefined
  const rest = restOf(record.id, history.wholeJob(record.id))
  return rest === undefined ? [record.id] : [record.id, rest]
}

async function cancelRecords(context: Context, core: Core, ids: readonly RecordId[]): Promise<ExitCode> {
  const { history, outbox } = core
  const known = new Set(ids.filter((id) => outbox.cancelRequests.has(id)))
  const running = new Set(ids.filter((id) => isRunning(history.details(id))))
  // Its service belongs to the process that runs the job, which cancels it.
  for (const id of running)
    if (history.details(id)?.facts.service === 'builtIn') outbox.cancelRequests.add(id)
  // If that process was killed, its jobs end now.
  await settled(core, context.environment)
  const codes: ExitCode[] = []
  for (const id of ids)
    codes.push(await cancelRecord(context, core, { id, isKnown: known.has(id), wasRunning: running.has(id) }))
  return combinedExitCode(codes)
}

const isRunning = (record: RecordDetails | undefined): boolean =>
  record?.outcome === null && record.facts.jobId !== null

type Cancelling = {
  readonly id: RecordId
  /** Whether it was canceled before. */
  readonly isKnown: boolean
  readonly wasRunning: boolean
}

/** Removes a submission that is waiting, keeps the originals of a job that has ended, or cancels a job. */
async function cancelRecord(
  context: Context,
  core: Core,
  { id, isKnown, wasRunning }: Cancelling,
): Promise<ExitCode> {
  const { report } = context
  if (core.outbox.remove(id, 'part').length > 0) {
    report.say({ event: 'resolved', id, how: 'removed' })
    await settled(core, context.environment)
    await keepRest(core, core.history.details(id))
    return EXIT.done
  }
  const record = core.history.details(id)
  const jobId = record?.facts.jobId ?? null
  if (record === undefined || (record.outcome === null && jobId === null)) {
    const isSending = core.outbox.get(id) !== undefined
    const words = isSending ? 'is being sent right now. Try again in a moment' : 'is already canceled'
    report.say(notice(`${id}  ${words}.`))
    return isSending ? EXIT.failed : EXIT.done
  }
  if (record.outcome !== null) return cancelEnded(context, core, record, wasRunning)
  if (record.facts.service !== 'builtIn')
    return cancelJob(context, { jobId: jobId ?? id, group: groupRefOf(record) })
  if (isKnown) report.say(notice(`${jobId ?? id}  is already being canceled.`))
  else report.say({ event: 'cancelling', jobId: jobId ?? id, status: null, ...groupRefOf(record) })
  return EXIT.done
}

/**
 * Keeps the originals of an ended job that haven't been replaced yet. If a disk is full, or another process works on an original, that
 * happens later.
 * @returns the job as it is now
 */
async function keepRest(core: Core, before: RecordDetails | undefined): Promise<RecordDetails | undefined> {
  const { history, outbox, replacing } = core
  const isLeft = (record: RecordDetails | undefined) =>
    record !== undefined && record.outcome !== null && replacing.isPending(record)
  if (before === undefined || !isLeft(before)) return before
  outbox.cancelRequests.add(before.id)
  await replacing.keepRest(before).catch(() => undefined)
  const record = history.details(before.id)
  if (!isLeft(record)) outbox.cancelRequests.drop(before.id)
  return record
}

/** Reports a job that has ended, and what became of its originals. */
async function cancelEnded(
  { report }: Context,
  core: Core,
  before: RecordDetails,
  wasRunning: boolean,
): Promise<ExitCode> {
  const isReplacing = core.replacing.isPending(before)
  const record = (await keepRest(core, before)) ?? before
  const { outcome, replaced } = record
  const isLeft = core.replacing.isPending(record)
  const jobId = record.facts.jobId ?? record.id
  const isNow = (wasRunning || isReplacing) && outcome?.kind === 'cancelled'
  if (isNow) report.say({ event: 'cancelling', jobId, status: 'cancelled', ...groupRefOf(record) })
  const ended = outcome === null ? '' : outcomeWord(outcome, plannedResults(record), t)
  const originals = isLeft
    ? ' Its originals that haven’t been replaced yet will be kept.'
    : replaced === null
      ? ''
      : ` Its originals: ${replacedSentence(replaced, t)}.`
  if (!isNow || originals !== '')
    report.say(notice(`${jobId}  has ${isNow ? '' : 'already '}ended: ${ended}.${originals}`))
  return EXIT.done
}

/** Requests cancellation, then reads the job, because only that response contains the job's new status (section 3). */
const cancelJob: CliCommand<{
  readonly jobId: string
  readonly group: ReturnType<typeof groupRefOf>
}> = (context, { jobId, group }) =>
  ask(
    context,
    async (api) => {
      const options = { signal: context.environment.interrupted }
      const cancelled = await api.cancelJob(jobId, options)
      if (!cancelled.ok) return cancelled
      const read = await api.job(jobId, options)
      return { ok: true, value: read.ok ? read.value.status : null }
    },
    (status) => [{ event: 'cancelling', jobId, status, ...group }],
  )
