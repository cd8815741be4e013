/** What is known about a job, as assistants see it. */
import { lossInEnglish } from '../../../shared/i18n/in-english.ts'
import { combinedOutcome, plannedResults } from '../../../shared/model/job-outcome.ts'
import type { Outcome, PartDetails, PartTitle } from '../../../shared/model/job.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
import { shownText } from '../../../shared/paths.ts'
import { type Line, partIds, type PartState, stateOfPart } from '../../core/index.ts'
import type { Submission } from '../../outbox/index.ts'
import { Refused } from './access.ts'
import { type Data, someOf } from './answer.ts'

type Part = {
  readonly state: PartState
  /** Missing if nothing is known about the part. */
  readonly title: PartTitle | undefined
  /** Missing once a service has the part, or if it was removed. */
  readonly submission: Submission | undefined
  /** Missing until the history has it. */
  readonly record: PartDetails | undefined
}

export type JobState = {
  readonly id: RecordId
  /** In order; several if the job has several presets or output folders, or a file list too long for one request. */
  readonly parts: readonly [Part, ...Part[]]
  /** Whether nothing more happens unless the user does something. */
  readonly isOver: boolean
  /** Whether an assistant submitted it. */
  readonly isAssistants: boolean
  /** Number of results so far, and how many there will be if nothing fails; null if unknown. */
  readonly results: number
  readonly planned: number | null
}

/** @throws Refused if there is no such job */
export function jobState(line: Pick<Line, 'history' | 'outbox'>, text: string): JobState {
  const [first, ...more] = partIds(line, asRecordId(text)).map((id) => readPart(line, id))
  if (first?.title === undefined) throw unknownJob(text)
  const { title } = first
  const parts = [first, ...more] as const
  const counts = parts.map((part) => (part.title === undefined ? null : plannedResults(part.title)))
  return {
    id: title.place.id,
    parts,
    isOver: parts.every(({ state }) => !GOING_ON.has(state)),
    isAssistants: title.by === 'assistant',
    results: parts.reduce((sum, { record }) => sum + (record?.results.length ?? 0), 0),
    planned: counts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0),
  }
}

function readPart(line: Pick<Line, 'history' | 'outbox'>, id: RecordId): Part {
  const submission = line.outbox.get(id)
  const record = line.history.details(id)
  return { state: stateOfPart(line, id), title: record ?? submission?.title, submission, record }
}

export const unknownJob = (text: string) =>
  new Refused(`There is no job “${shownText(text)}”. “history” lists the jobs with their IDs.`)

const GOING_ON: ReadonlySet<PartState> = new Set(['waiting', 'sending', 'checking', 'running'])

type ShownState = 'waiting' | 'sending' | 'unconfirmed' | 'refused' | 'running' | Outcome['kind']

/** The most advanced state of the parts that haven't ended; null if all have ended. */
function openState(parts: JobState['parts']): ShownState | null {
  const states = new Set(parts.map(({ state }) => state))
  if (states.has('running')) return 'running'
  if (states.has('sending') || states.has('checking')) return 'sending'
  if (states.has('waiting')) return 'waiting'
  if (states.has('unknown')) return 'unconfirmed'
  return states.has('refused') ? 'refused' : null
}

const endOf = ({ title, record }: Part) => ({
  outcome: record?.outcome ?? ({ kind: 'cancelled', results: 0 } as const),
  files: title?.files ?? null,
})

/** Describes a job in a few lines. A resource has all of it. */
export function describeJob(job: JobState): Data {
  const { id, parts, isOver, results, planned } = job
  const [{ title }] = parts
  const files = someOf(parts.flatMap(({ record }) => shownResults(record)))
  const problems = someOf(problemsOf(job))
  const losses = someOf(lossesOf(job))
  return {
    job: id,
    state: openState(parts) ?? combinedOutcome(parts.map(endOf))?.kind,
    isOver,
    name: shownText(title?.name ?? ''),
    presets: [...new Set(parts.map((part) => part.title?.preset ?? null))],
    results,
    ...(planned === null ? {} : { plannedResults: planned }),
    ...(title === undefined ? {} : { submitted: new Date(title.createdAt).toISOString() }),
    ...(title?.output?.kind === 'folder' && !isInVault(title.output.path)
      ? { output: title.output.path }
      : {}),
    ...(files.listed.length === 0 ? {} : { resultFiles: files.listed, moreResultFiles: files.more }),
    ...(losses.listed.length === 0 ? {} : { losses: losses.listed, moreLosses: losses.more }),
    ...(problems.listed.length === 0 ? {} : { problems: problems.listed, moreProblems: problems.more }),
    details: jobUri(id),
  }
}

/** Results that will replace originals are in a vault until then. Assistants aren't shown where. */
export const shownResults = (record: PartDetails | undefined): readonly string[] =>
  (record?.results ?? []).map(({ outputPath }) => outputPath).filter((path) => !isInVault(path))

/** What each result lost, and why. */
const lossesOf = ({ parts }: JobState) =>
  parts
    .flatMap(({ record }) => record?.results ?? [])
    .flatMap(({ file, losses = [] }) => losses.map((loss) => `${shownText(file)}: ${lossInEnglish(loss)}`))

function problemsOf({ parts }: JobState): readonly string[] {
  return parts.flatMap(({ record, submission }) => {
    const { state } = submission ?? {}
    const refusal = state?.kind === 'refused' ? [state.refusal.message] : []
    const failure = record?.outcome?.kind === 'failed' ? [record.outcome.reason] : []
    const files = (record?.problems ?? []).map(({ file, error }) => `${file}: ${error}`)
    return [...refusal, ...(files.length > 0 ? files : failure)].map(shownText)
  })
}

export const jobUri = (id: string): string => `mediatray://jobs/${encodeURIComponent(id)}`
