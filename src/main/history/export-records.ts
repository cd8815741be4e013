import { setImmediate as breathe } from 'node:timers/promises'
import type { EstimateRange } from '../../shared/model/estimate.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import type { reads } from './read-records.ts'

/** Records, newest first. They are read in pages to save memory. */
export type Records = AsyncIterable<PartDetails>

const PAGE = 200

/** Reads all records, newest first, and lets other work run in between. */
export async function* allRecords({
  detailsBefore,
}: Pick<ReturnType<typeof reads>, 'detailsBefore'>): AsyncGenerator<PartDetails> {
  let before: number | undefined = Number.MAX_SAFE_INTEGER
  while (before !== undefined) {
    const from: number = before
    const { records, next } = detailsBefore(from, PAGE)
    yield* records
    before = next
    await breathe()
  }
}

/** Exports the history as one JSON document, in chunks. */
export async function* exportJson(records: Records): AsyncGenerator<string> {
  yield '{"format":"mediatray-history","version":1,"records":['
  let separator = '\n'
  for await (const record of records) {
    yield separator + JSON.stringify(record)
    separator = ',\n'
  }
  yield '\n]}\n'
}

type Cell = string | number | null

/** The cells of a record, in the order of the columns. */
const COLUMNS: Readonly<Record<string, (record: PartDetails) => Cell>> = {
  id: ({ id }) => id,
  created: ({ createdAt }) => timeText(createdAt),
  ended: ({ endedAt }) => timeText(endedAt),
  origin: ({ origin }) => origin,
  outcome: ({ outcome }) => outcome?.kind ?? null,
  name: ({ name }) => name,
  files: ({ files }) => files,
  photos: ({ photos }) => photos,
  videos: ({ videos }) => videos,
  preset: ({ preset }) => preset,
  variations: ({ variations }) => variations,
  output: ({ output }) => (output === null ? null : outputText(output)),
  results: ({ results }) => results.length,
  problems: ({ problems }) => problems.length,
  reason: reasonOf,
  service: ({ facts }) => facts.baseUrl,
  job: ({ facts }) => facts.jobId,
  inputs: ({ inputs }) => inputs.map(({ path }) => path).join('\n'),
  resultFiles: ({ results }) => results.map(({ outputPath }) => outputPath).join('\n'),
  resultBytes: ({ resultBytes }) => resultBytes,
  forecastBytes: ({ forecast }) => forecast?.bytes.likely ?? null,
  forecastLow: ({ forecast }) => forecast?.bytes.low ?? null,
  forecastHigh: ({ forecast }) => forecast?.bytes.high ?? null,
  forecastSeconds: ({ forecast }) => secondsOf(forecast?.milliseconds),
  codes: codesOf,
  group: ({ place }) => (place.parts === 1 ? null : place.id),
  // As on the command line, the first part is 1.
  part: ({ place }) => (place.parts === 1 ? null : place.part + 1),
  parts: ({ place }) => (place.parts === 1 ? null : place.parts),
}

/** Exports one CSV line per record (RFC 4180), in chunks. A cell with a list contains one entry per line. */
export async function* exportCsv(records: Records): AsyncGenerator<string> {
  yield lineOf(Object.keys(COLUMNS))
  for await (const record of records) yield lineOf(Object.values(COLUMNS).map((cellOf) => cellOf(record)))
}

const secondsOf = (time: EstimateRange | null | undefined): Cell =>
  time === null || time === undefined ? null : time.likely / 1000

const outputText = (output: NonNullable<PartDetails['output']>): string =>
  output.kind === 'folder' ? output.path : `drive:${output.folderId}`

function reasonOf({ outcome, problems, facts }: PartDetails): string {
  if (outcome?.kind === 'failed') return outcome.reason
  return facts.serviceText ?? problems.map(({ file, error }) => `${file}: ${error}`).join('\n')
}

/** Returns the distinct failure codes of the record's reason and problems. */
function codesOf({ outcome, problems, facts }: PartDetails): string {
  const whole = outcome?.kind === 'failed' ? outcome.failure : facts.serviceFailure
  const failures = [whole, ...problems.map(({ failure }) => failure)]
  return [...new Set(failures.flatMap((failure) => failure?.code ?? []))].join('\n')
}

const timeText = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = withoutFormula(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Prevents CSV injection. Spreadsheets run a cell that starts with one of these characters as a formula, and anyone can choose a
 * file name. A leading apostrophe turns the cell into text.
 */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
