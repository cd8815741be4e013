import type { Expected } from '../../shared/model/forecast.ts'
import type { RecordDetails } from '../../shared/model/work.ts'

/** In the order of their creation, the newest first, without holding all of them in memory. */
export type Records = AsyncIterable<RecordDetails>

/** The history as one JSON document, in pieces. */
export async function* exportJson(records: Records): AsyncGenerator<string> {
  yield '{"format":"mediatray-history","version":1,"records":['
  let separator = '\n'
  for await (const record of records) {
    yield separator + JSON.stringify(record)
    separator = ',\n'
  }
  yield '\n]}\n'
}

const COLUMNS = [
  'id',
  'created',
  'ended',
  'origin',
  'outcome',
  'name',
  'files',
  'photos',
  'videos',
  'preset',
  'variations',
  'output',
  'results',
  'problems',
  'reason',
  'service',
  'job',
  'inputs',
  'resultFiles',
  'resultBytes',
  'forecastBytes',
  'forecastLow',
  'forecastHigh',
  'forecastSeconds',
] as const

/** One line for each piece of work (RFC 4180), in pieces. Lists stand in one cell, an entry a line. */
export async function* exportCsv(records: Records): AsyncGenerator<string> {
  yield lineOf(COLUMNS)
  for await (const record of records) yield lineOf(cellsOf(record))
}

type Cell = string | number | null

function cellsOf(record: RecordDetails): readonly Cell[] {
  const cells: Record<(typeof COLUMNS)[number], Cell> = {
    id: record.id,
    created: timeText(record.createdAt),
    ended: timeText(record.endedAt),
    origin: record.origin,
    outcome: record.outcome?.kind ?? null,
    name: record.name,
    files: record.files,
    photos: record.photos,
    videos: record.videos,
    preset: record.preset,
    variations: record.variations,
    output: record.output === null ? null : outputText(record.output),
    results: record.results.length,
    problems: record.problems.length,
    reason: reasonOf(record),
    service: record.facts.baseUrl,
    job: record.facts.jobId,
    inputs: record.inputs.map(({ path }) => path).join('\n'),
    resultFiles: record.results.map(({ outputPath }) => outputPath).join('\n'),
    resultBytes: record.resultBytes,
    forecastBytes: record.forecast?.bytes.likely ?? null,
    forecastLow: record.forecast?.bytes.low ?? null,
    forecastHigh: record.forecast?.bytes.high ?? null,
    forecastSeconds: secondsOf(record.forecast?.milliseconds),
  }
  return COLUMNS.map((column) => cells[column])
}

const secondsOf = (time: Expected | null | undefined): Cell =>
  time === null || time === undefined ? null : time.likely / 1000

const outputText = (output: NonNullable<RecordDetails['output']>): string =>
  output.kind === 'folder' ? output.path : `drive:${output.folderId}`

const reasonOf = ({ outcome, problems, facts }: RecordDetails): string | null =>
  outcome?.kind === 'failed'
    ? outcome.reason
    : (facts.serviceText ?? problems.map(({ file, error }) => `${file}: ${error}`).join('\n'))

const timeText = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = withoutFormula(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet takes a cell that begins like this for a formula and runs it, and a file's name is anybody's to choose.
 * An apostrophe in front makes it text.
 */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
