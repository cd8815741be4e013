/** Events about jobs: how they end, their records in the history, and the service's list. */
import { dirname, isAbsolute } from 'node:path'
import type { FileError, ServiceJob } from '../../../shared/api/resources.ts'
import { readServiceTime } from '../../../shared/api/service-time.ts'
import { describeLoss } from '../../../shared/i18n/losses.ts'
import { jobName } from '../../../shared/i18n/names.ts'
import {
  lostWords,
  noteSentence,
  outcomeTitle,
  outcomeWord,
  presetName,
  qualitySentence,
  replacedSentence,
} from '../../../shared/i18n/sentences.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import { endOf, expectedResults, plannedResults } from '../../../shared/model/job-outcome.ts'
import { resultsSoFar } from '../../../shared/model/job-progress.ts'
import { jobOfDetails, titleOf } from '../../../shared/model/job-state.ts'
import type { Outcome, PartAt, PartDetails, ResultFile } from '../../../shared/model/job.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
import type { NoteCount } from '../../../shared/result-notes.ts'
import { t } from './language.ts'
import { type PartRef, problemLines, type SubmissionFields } from './submissions.ts'
import { FEW, indented, localTime, out, someOf } from './words.ts'

type Finished = SubmissionFields & {
  /** null if the submission was canceled before it was sent. */
  readonly jobId: string | null
  readonly outcome: Outcome
  readonly files: number | null
  readonly variations: number
  readonly results: readonly Omit<ResultFile, 'index'>[]
  readonly problems: readonly FileError[]
  readonly notes: readonly NoteCount[]
}

type Ended = {
  readonly id: RecordId
  readonly outcome: Outcome | null
  readonly parts: readonly (PartRef & {
    readonly submission: RecordId
    readonly state: Outcome['kind'] | 'accepted' | 'waiting' | 'refused' | 'unknown' | 'removed'
  })[]
}

type Recorded = {
  readonly record: PartDetails
  /** The submission's state in the outbox; null if it isn't there. */
  readonly outbox: 'waiting' | 'sending' | 'unknown' | 'refused' | 'accepted' | null
  /** The problems of all parts, each once, with the preset of the part. */
  readonly problems: readonly (FileError & { readonly preset: string | null })[]
  /** The results of all parts, each once. */
  readonly results: readonly ResultFile[]
}

type Cancelling = Pick<SubmissionFields, 'group'> & {
  readonly jobId: string
  readonly status: ServiceJob['status'] | null
}

type Downloaded = Record<'jobId' | 'path', string> & Record<'index' | 'bytes', number>

export const jobEvents = {
  finished: (event: Finished, isWhole: boolean) => out(...finishedLines(event, isWhole)),
  /** All parts of a job have ended, or the command has stopped waiting for the rest. `outcome` is null if parts remain. */
  group: (event: Ended, isWhole: boolean) => out(...groupLines(event, isWhole)),
  record: (event: Recorded) => out(...recordLines(event)),
  found: ({ shown, total }: { readonly shown: number; readonly total: number }) => {
    if (shown < total) return out(t().jobReport.shown({ shown, total }))
    return out(total === 0 ? t().jobReport.noneFound : t().jobReport.found({ count: total }))
  },
  job: ({ job, outcome }: { readonly job: ServiceJob; readonly outcome: Outcome | null }) => {
    const { jobId, status, fileName, totalFiles: count, preset, createdAt } = job
    const created = readServiceTime(createdAt)
    const results = job.results ?? (job.result ? [job.result] : [])
    const running = status === 'completed' ? t().jobReport.uploading : status
    const state = outcome === null ? running : outcomeWord(outcome, count ?? null, t())
    const subject = fileName ?? (count === undefined ? job.type : t().count.files({ count }))
    return out(
      `${jobId}  ${state}  ${subject}  ${presetName(preset, t())}  ${created?.exact === true ? localTime(created.at) : createdAt}`,
      ...results.map(({ outputPath }) => indented(outputPath)),
      ...problemLines(job.errors ?? [], t().jobReport.problem, true),
    )
  },
  queue: (event: { readonly queueLength: number; readonly processing: boolean; readonly listed: number }) =>
    out(
      t().jobReport[event.processing ? 'listed' : 'listedIdle']({
        jobs: t().count.jobs({ count: event.listed }),
        waiting: event.queueLength,
      }),
    ),
  cancelling: ({ jobId: job, status }: Cancelling) => {
    if (status === null) return out(t().jobReport.cancelling({ job }))
    return out(
      status === 'cancelled' ? t().jobReport.cancelled({ job }) : t().jobReport.cancellingIn({ job, status }),
    )
  },
  downloaded: ({ path, bytes }: Downloaded) => out(`${path}  (${t().size(bytes)})`),
  cleared: ({ cleared }: { readonly cleared: number }) => out(t().jobReport.cleared({ count: cleared })),
}

function finishedLines(event: Finished, isWhole: boolean): readonly string[] {
  const { id, jobId, outcome, results, problems, notes, inputs, group } = event
  const withPreset = (text: string) =>
    group === undefined ? text : t().labeled(presetName(group.preset, t()), text)
  const count = results.length === 0 ? [] : [t().count.results({ count: results.length })]
  const isListed = isWhole || results.length <= FEW
  const ended = t().listed([outcomeWord(outcome, plannedResults(event), t()), ...count])
  const lost = lostLines(results, isWhole)
  const rating = qualitySentence(results, t())
  const line = isListed ? ended : inFolders(ended, [event])
  const withLost = t().listed([line, lostWords(outcome, t()) ?? ''])
  const words = lost.length === 0 ? line : `${withLost}${t().punctuation.colon.trimEnd()}`
  return [
    `${jobId ?? id}  ${withPreset(words)}`,
    ...(isListed ? results.map(({ outputPath }) => indented(outputPath)) : []),
    ...lost,
    ...(rating === undefined ? [] : [indented(rating)]),
    ...problemLines(problems, t().jobReport.problem, isWhole),
    ...(outcome.kind === 'failed' && problems.length === 0 && inputs.files.length > 0
      ? [indented(t().jobReport.notProcessed({ files: someOf(inputs.files) }))]
      : []),
    ...notes.map((note) => indented(noteSentence(note, t()))),
  ]
}

/** Returns a line about the whole job, followed by a line about each part. Many parts are counted by state in a single line instead. */
function groupLines({ id, outcome, parts }: Ended, isWhole: boolean): readonly string[] {
  const head =
    outcome === null
      ? t().jobReport.parts({ count: parts[0]?.parts ?? parts.length })
      : t().listed([
          outcomeTitle(outcome, null, t()),
          ...('results' in outcome ? [t().count.results({ count: outcome.results })] : []),
        ])
  const isListed = isWhole || parts.length <= FEW
  const states = [...Map.groupBy(parts, ({ state }) => state)].map(([state, { length: count }]) =>
    t().partsIn[state]({ count }),
  )
  const lines = isListed
    ? parts.map((part) =>
        t().labeled(
          t().listed([t().parts.part(part), presetName(part.preset, t())]),
          t().partStates[part.state],
        ),
      )
    : [t().listed(states)]
  return [`${id}  ${head}`, ...lines.map(indented)]
}

/**
 * Returns a line with the outcome of the whole job. If the job has several parts, adds a line with the preset for each part. Adds the
 * problems of all parts.
 */
function recordLines({ record, outbox, problems }: Recorded): readonly string[] {
  const at = localTime(record.createdAt)
  const job = jobOfDetails(record)
  const { outcome, replaced } = endOf(job)
  const planned = expectedResults(job)
  const presets = [...new Set(job.parts.map(({ preset }) => presetName(preset, t())))]
  // If originals are replaced, those whose results lost something are counted as kept, unless the user replaced them anyway.
  const lost = replaced === null ? lostWords(outcome, t()) : undefined
  const state =
    outcome === null
      ? openState(outbox, resultsSoFar(job), planned)
      : t().listed([outcomeTitle(outcome, planned, t()), lost ?? []].flat())
  const originals = replaced === null ? [] : [replacedSentence(replaced, t())]
  const nameOfProblem = (preset: string | null) =>
    record.place.presets > 1
      ? ({ what }: { readonly what: string }) =>
          t().jobReport.problemOf({ what, preset: presetName(preset, t()) })
      : t().jobReport.problem
  return [
    `${record.id}  ${at}  ${t().labeled(state, t().listed([jobName(titleOf(job), t()), ...presets, ...originals]))}`,
    ...record.parts.map(
      (part) => `  ${part.id}  ${t().labeled(presetName(part.preset, t()), partState(part))}`,
    ),
    ...problems.flatMap((one) => problemLines([one], nameOfProblem(one.preset), true)),
    // If there are several parts, each part's line has its own reason.
    ...(problems.length === 0 && record.parts.length === 0
      ? problemLines(reasonOf(outcome), t().jobReport.problem, true)
      : []),
  ]
}

/** Returns the reason for a failure as a problem without a file; empty if there is none. */
export const reasonOf = (outcome: Outcome | null): readonly FileError[] =>
  outcome?.kind === 'failed' && outcome.reason !== ''
    ? [{ file: '', error: outcome.reason, failure: outcome.failure }]
    : []

function openState(outbox: Recorded['outbox'], results: number, planned: number | null): string {
  const state = t().recordStates[outbox ?? 'accepted']
  if (results === 0) return state
  const done = t().number(results)
  const some = planned === null ? done : t().jobReport.someOf({ done, count: planned })
  return t().recordStates.after({ state, results: some })
}

function partState(part: PartAt<'history'>): string {
  const { outcome, output, replaced } = part
  if (outcome === null) return t().recordStates.notFinished
  const isReplacing = output?.kind === 'folder' && isInVault(output.path)
  const planned = plannedResults(part)
  return isReplacing && replaced === null
    ? t().recordStates.notAllReplaced({ outcome: outcomeTitle(outcome, planned, t()) })
    : outcomeWord(outcome, planned, t())
}

/** Describes what each result lost and why. If there are many, groups them by what they lost. */
export function lostLines(results: Finished['results'], isWhole: boolean): readonly string[] {
  const lost = results.flatMap(({ file, losses = [] }) =>
    losses.map((loss) => ({ file, sentence: describeLoss(loss, t()) })),
  )
  if (isWhole || lost.length <= FEW)
    return lost.map(({ file, sentence }) => indented(t().labeled(file, sentence)))
  return [...Map.groupBy(lost, ({ sentence }) => sentence)].map(([sentence, some]) => {
    const files = [...new Set(some.map(({ file }) => file))]
    return indented(`${t().labeled(t().count.files({ count: files.length }), sentence)} (${someOf(files)})`)
  })
}

/** Adds the folders of the results to the text. Results in a drive don't have a folder. */
export function inFolders(text: string, jobs: readonly Pick<Finished, 'results'>[]): string {
  const paths = jobs.flatMap(({ results }) => results.map(({ outputPath }) => outputPath))
  const folders = [...new Set(paths.filter((path) => isAbsolute(path)).map(dirname))]
  return folders.length === 0 ? text : t().jobReport.inFolders({ text, folders: someOf(folders) })
}
