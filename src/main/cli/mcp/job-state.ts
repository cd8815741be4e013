/** What is known about a job: in the outbox until a service accepts it, then in the history. */
import { lossInEnglish } from '../../../shared/i18n/in-english.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import type { OutcomeKind } from '../../../shared/model/outcome.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
import type { RecordDetails } from '../../../shared/model/work.ts'
import { shownText } from '../../../shared/paths.ts'
import type { Line } from '../../core/index.ts'
import type { StoredSubmission } from '../../outbox/index.ts'
import { Refused } from './access.ts'
import { type Data, someOf } from './answer.ts'

type PartState = 'waiting' | 'sending' | 'unconfirmed' | 'refused' | 'running' | OutcomeKind

/** A job, or one of its parts: one for each preset and folder. */
type Part = {
  readonly id: RecordId
  readonly state: PartState
  /** Missing until the history has it. */
  readonly record: RecordDetails | undefined
  readonly submission: StoredSubmission | undefined
}

export type JobState = {
  readonly id: RecordId
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
export function jobState({ history, outbox }: Pick<Line, 'history' | 'outbox'>, text: string): JobState {
  const asked = asRecordId(text)
  const title = outbox.get(asked)?.title ?? history.details(asked)
  if (title === undefined) throw unknownJob(text)
  const id = title.group?.id ?? title.id
  const recorded = (history.details(id)?.parts ?? []).map((part) => part.id)
  const ids = [...new Set([...recorded, ...outbox.partsOf(id)])]
  const [first, ...more] = (ids.length === 0 ? [id] : ids).map((part) => partOf(part))
  if (first === undefined) throw new Error(`Job ${id} has no parts.`)
  const parts = [first, ...more] as const
  const counts = parts.map(({ record, submission }) => {
    const { files = null, variations = 1 } = record ?? submission?.title ?? {}
    return files === null ? null : files * variations
  })
  return {
    id,
    parts,
    isOver: parts.every(({ state }) => !GOING_ON.has(state)),
    isAssistants: title.by === 'assistant',
    results: parts.reduce((sum, { record }) => sum + (record?.results.length ?? 0), 0),
    planned: counts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0),
  }

  function partOf(part: RecordId): Part {
    const submission = outbox.get(part)
    const record = history.details(part)
    return { id: part, record, submission, state: stateOf(submission, record) }
  }
}

export const unknownJob = (text: string) =>
  new Refused(`There is no job “${shownText(text)}”. “history” lists the jobs with their IDs.`)

const GOING_ON: ReadonlySet<PartState> = new Set(['waiting', 'sending', 'running'])

function stateOf(submission: StoredSubmission | undefined, record: RecordDetails | undefined): PartState {
  const unsent = submission?.state
  switch (unsent?.kind) {
    case 'waiting':
    case 'sending':
    case 'refused':
      return unsent.kind
    case 'unknown':
      return unsent.leftToUser ? 'unconfirmed' : 'sending'
    case 'accepted':
      return 'running'
    case undefined:
      // Without a job, the submission was removed from the outbox.
      return record?.outcome?.kind ?? (record?.facts.jobId === null ? 'cancelled' : 'running')
  }
}

/** Describes a job in a few lines. A resource has all of it. */
export function describeJob(job: JobState): Data {
  const { id, parts, isOver, results, planned } = job
  const [first] = parts
  const title = first.record ?? first.submission?.title
  const files = someOf(parts.flatMap(({ record }) => shownResults(record)))
  const problems = someOf(problemsOf(job))
  const losses = someOf(lossesOf(job))
  return {
    job: id,
    state: overallState(parts.map(({ state }) => state)),
    isOver,
    name: shownText(title?.name ?? ''),
    presets: [
      ...new Set(parts.map(({ record, submission }) => (record ?? submission?.title)?.preset ?? null)),
    ],
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
export const shownResults = (record: RecordDetails | undefined): readonly string[] =>
  (record?.results ?? []).map(({ outputPath }) => outputPath).filter((path) => !isInVault(path))

/** What each result lost, and why. */
const lossesOf = ({ parts }: JobState) =>
  parts
    .flatMap(({ record }) => record?.results ?? [])
    .flatMap(({ file, losses = [] }) => losses.map((loss) => `${shownText(file)}: ${lossInEnglish(loss)}`))

/** The state of the least finished part. If all have ended, the most serious outcome. */
const ORDER: readonly PartState[] = [
  'running',
  'sending',
  'waiting',
  'unconfirmed',
  'refused',
  'failed',
  'problems',
  'forgotten',
  'cancelled',
  'done',
]

function overallState(states: readonly PartState[]): PartState {
  const worst = ORDER.find((state) => states.includes(state)) ?? 'running'
  return worst === 'failed' && states.includes('done') ? 'problems' : worst
}

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
