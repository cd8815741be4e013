/** What is known about a job, as assistants see it. */
import { lossInEnglish } from '../../../shared/i18n/in-english.ts'
import { combinedOutcome, expectedResults } from '../../../shared/model/job-outcome.ts'
import type { PartDetails, PartTitle } from '../../../shared/model/job.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
import { shownText } from '../../../shared/paths.ts'
import { averageOf } from '../../../shared/quality/quality.ts'
import { type Line, partIds, type PartState, stateOfPart } from '../../core/index.ts'
import { Refused } from './access.ts'
import { type Data, someOf } from './answer.ts'

/** A job, with what the outbox and the history contain about each of its parts. */
export type ReadJob = ReturnType<typeof readJob>

/** @throws Refused if there is no such job */
export function readJob(line: Pick<Line, 'history' | 'outbox'>, text: string) {
  const parts = partIds(line, asRecordId(text)).flatMap((id) => readPart(line, id))
  const [first] = parts
  if (first === undefined) throw unknownJob(text)
  const { title } = first
  return {
    id: title.place.id,
    title,
    parts,
    /** Whether nothing more happens to the job unless the user does something. */
    isOver: parts.every(({ state }) => !GOING_ON.has(state)),
    isAssistants: title.by === 'assistant',
    results: parts.reduce((sum, { record }) => sum + (record?.results.length ?? 0), 0),
    /** Expected number of results if nothing fails; null if unknown. */
    planned: expectedResults({ parts: parts.map((part) => part.title) }),
  }
}

function readPart(line: Pick<Line, 'history' | 'outbox'>, id: RecordId) {
  const submission = line.outbox.get(id)
  const record = line.history.details(id)
  const title = record ?? submission?.title
  return title === undefined ? [] : [{ state: stateOfPart(line, id), title, submission, record }]
}

export const unknownJob = (text: string) =>
  new Refused(`There is no job “${shownText(text)}”. “history” lists the jobs with their IDs.`)

const GOING_ON: ReadonlySet<PartState> = new Set(['waiting', 'sending', 'checking', 'running'])

/** The most advanced state of the parts that haven't ended; null if all have ended. */
function openState(parts: ReadJob['parts']) {
  const states = new Set(parts.map(({ state }) => state))
  if (states.has('running')) return 'running'
  if (states.has('sending') || states.has('checking')) return 'sending'
  if (states.has('waiting')) return 'waiting'
  if (states.has('unknown')) return 'unconfirmed'
  return states.has('refused') ? 'refused' : null
}

const endOf = ({ title, record }: ReadJob['parts'][number]) => ({
  outcome: record?.outcome ?? ({ kind: 'cancelled', results: 0 } as const),
  files: title.files,
})

/** Describes a job briefly. Its resource contains everything. */
export function describeJob(job: ReadJob): Data {
  const { id, title, parts, isOver, results, planned } = job
  const files = someOf(parts.flatMap(({ record }) => shownResults(record)))
  const problems = someOf(problemsOf(job))
  const losses = someOf(lossesOf(job))
  const folders = someOf([...new Set(parts.flatMap((part) => outputFolderOf(part.title)))])
  const quality = averageOf(parts.flatMap(({ record }) => record?.results ?? []))
  return {
    job: id,
    state: openState(parts) ?? combinedOutcome(parts.map(endOf))?.kind,
    isOver,
    name: shownText(title.name),
    presets: [...new Set(parts.map((part) => part.title.preset))],
    results,
    ...(planned === null ? {} : { plannedResults: planned }),
    submitted: new Date(title.createdAt).toISOString(),
    ...(folders.listed.length > 1
      ? { outputs: folders.listed, moreOutputs: folders.more }
      : { output: folders.listed[0] }),
    ...(files.listed.length === 0 ? {} : { resultFiles: files.listed, moreResultFiles: files.more }),
    ...(losses.listed.length === 0 ? {} : { losses: losses.listed, moreLosses: losses.more }),
    ...(quality === undefined ? {} : { quality }),
    ...(problems.listed.length === 0 ? {} : { problems: problems.listed, moreProblems: problems.more }),
    details: jobUri(id),
  }
}

const outputFolderOf = ({ output }: PartTitle): readonly string[] =>
  output?.kind === 'folder' && !isInVault(output.path) ? [output.path] : []

/**
 * Returns the paths of a record's results. Leaves out results that wait in a vault until they replace their originals, because assistants
 * can't see vaults.
 */
export const shownResults = (record: PartDetails | undefined): readonly string[] =>
  (record?.results ?? []).map(({ outputPath }) => outputPath).filter((path) => !isInVault(path))

const lossesOf = ({ parts }: ReadJob) =>
  parts
    .flatMap(({ record }) => record?.results ?? [])
    .flatMap(({ file, losses = [] }) => losses.map((loss) => `${shownText(file)}: ${lossInEnglish(loss)}`))

function problemsOf({ parts }: ReadJob): readonly string[] {
  return parts.flatMap(({ record, submission }) => {
    const { state } = submission ?? {}
    const refusal = state?.kind === 'refused' ? [state.refusal.message] : []
    const failure = record?.outcome?.kind === 'failed' ? [record.outcome.reason] : []
    const files = (record?.problems ?? []).map(({ file, error }) => `${file}: ${error}`)
    return [...refusal, ...(files.length > 0 ? files : failure)].map(shownText)
  })
}

export const jobUri = (id: string): string => `mediatray://jobs/${encodeURIComponent(id)}`
