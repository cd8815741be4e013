import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import type { ServiceJob } from '../../../shared/api/resources.ts'
import { outcomeTitle, replacedSentence } from '../../../shared/i18n/sentences.ts'
import { plannedResults } from '../../../shared/model/job-outcome.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import { type Line, partIds, restOf } from '../../core/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { combinedExitCode } from '../exit-code.ts'
import { partRefOf } from '../submission-events.ts'
import { settled } from '../reach-service.ts'
import { endWith, notice } from '../output/events.ts'
import { t } from '../output/language.ts'
import { ask } from './service.ts'

/** Cancels a job: all of its unfinished parts, or only one. Reports what happened to each. */
export const cancel: CliCommand<{
  /** A job ID, or the ID of a record. */
  readonly id: string
  readonly onlyPart: boolean
}> = async (context, { id, onlyPart }) => {
  const { line, service, report } = context
  // If the last owner was killed, wait until the outbox and the history are complete again.
  await settled(context)
  const part = asRecordId(id)
  const isKnown = line.outbox.get(part) !== undefined || line.history.jobDetails(part) !== undefined
  const ids = isKnown ? partIds(line, part, onlyPart ? 'part' : 'job') : partsOfJob(context, id)
  if (ids !== undefined) return cancelRecords(context, ids)
  if (service.kind === 'external') return cancelJob(context, { jobId: id, group: {} })
  return endWith(report, t().answers.noJobOrRecord({ id }))
}

/**
 * Finds a job at the command's service or the built-in service. Returns its record and, if it was interrupted, the record of its
 * unprocessed files; undefined if there is no such job.
 */
function partsOfJob({ service, line: { history } }: Context, jobId: string): readonly RecordId[] | undefined {
  const isHere = ({ facts }: PartDetails) =>
    facts.service === 'builtIn' || (service.kind === 'external' && facts.baseUrl === service.identity)
  const record = history
    .recordsOf(jobId)
    .map((id) => history.details(id))
    .find((one) => one !== undefined && isHere(one))
  if (record === undefined) return undefined
  const rest = restOf(record.id, history.wholeJob(record.id))
  return rest === undefined ? [record.id] : [record.id, rest]
}

async function cancelRecords(context: Context, ids: readonly RecordId[]): Promise<ExitCode> {
  const codes: ExitCode[] = []
  for (const id of ids) codes.push(await cancelRecord(context, id))
  return combinedExitCode(codes)
}

/** Removes a submission that is waiting, keeps the originals of a job that has ended, or cancels a job. */
async function cancelRecord(context: Context, id: RecordId): Promise<ExitCode> {
  const { report, line } = context
  const { history, outbox } = line
  const submission = outbox.get(id)
  const isKnown = outbox.cancelRequests.has(id)
  const record = history.details(id)
  const jobId = record?.facts.jobId ?? null
  if (submission === undefined && record !== undefined && record.outcome === null && jobId !== null) {
    if (record.facts.service !== 'builtIn') return cancelJob(context, { jobId, group: partRefOf(record) })
    const asked = line.cancelParts(id, 'part')
    if (isKnown) report.say(notice(t().answers.alreadyCancelling({ job: jobId })))
    else {
      const status = await statusAfter(asked, context, jobId)
      report.say({ event: 'cancelling', jobId, status, ...partRefOf(record) })
    }
    return EXIT.done
  }
  void line.cancelParts(id, 'part')
  if (submission !== undefined && outbox.get(id) === undefined) {
    report.say({ event: 'resolved', id, how: 'removed' })
    const ended = history.details(id)
    if (ended !== undefined) await keepRest(line, ended)
    return EXIT.done
  }
  if (record !== undefined && record.outcome !== null) return cancelEnded(context, record)
  return submission === undefined
    ? endWith(report, t().answers.alreadyCancelled({ id }), EXIT.done)
    : endWith(report, t().answers.cancelLater({ id }))
}

/**
 * Waits for the cancel request, then returns the job's status at the built-in service; null if the service isn't running or doesn't
 * respond. Never starts the service.
 */
async function statusAfter(
  request: Promise<unknown>,
  { core, waits, environment }: Context,
  jobId: string,
): Promise<ServiceJob['status'] | null> {
  const line = core.lines.all().find(({ connection }) => connection.view().kind === 'builtIn')
  const api = line?.connection.api()
  if (api === undefined) return null
  const message = t().waits.response({ address: api.baseUrl.href })
  const read = await waits.during({ reason: 'notAnswered', isProgress: true, message }, async () => {
    await request
    return api.job(jobId, { signal: environment.interrupted })
  })
  return read.ok ? read.value.status : null
}

/** Keeps the originals that haven't been replaced yet. @returns the updated record */
async function keepRest({ history, replacing }: Line, record: PartDetails): Promise<PartDetails> {
  if (record.outcome !== null && replacing.isPending(record)) await replacing.keepRest(record)
  return history.details(record.id) ?? record
}

/** Keeps the remaining originals of an ended job, and reports its outcome and what happened to all originals. */
async function cancelEnded({ report, line }: Context, before: PartDetails): Promise<ExitCode> {
  const isReplacing = line.replacing.isPending(before)
  const record = await keepRest(line, before)
  const { outcome, replaced } = record
  const isLeft = line.replacing.isPending(record)
  const jobId = record.facts.jobId ?? record.id
  const isNow = isReplacing && outcome?.kind === 'cancelled'
  if (isNow) report.say({ event: 'cancelling', jobId, status: 'cancelled', ...partRefOf(record) })
  const ended = outcome === null ? '' : outcomeTitle(outcome, plannedResults(record), t())
  const originals = isLeft
    ? [t().answers.originalsStay]
    : replaced === null
      ? []
      : [t().answers.originalsAre({ counts: replacedSentence(replaced, t()) })]
  const words = t().answers[isNow ? 'hasEnded' : 'hadEnded']({ job: jobId, outcome: ended })
  if (!isNow || originals.length > 0) report.say(notice(t().sentences([words, ...originals])))
  return EXIT.done
}

/** Requests cancellation, then reads the job: only the second response contains its new status (section 3). */
const cancelJob: CliCommand<{
  readonly jobId: string
  readonly group: ReturnType<typeof partRefOf>
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
