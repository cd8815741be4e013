import { EXIT } from '../../../shared/command-end.ts'
import { terminalLocale } from '../../../node/terminal-locale.ts'
import { inLanguage } from '../../../shared/i18n/sentences.ts'
import type { HistoryQuery } from '../../../shared/model/history-page.ts'
import type { PartDetails, ResultFile } from '../../../shared/model/job.ts'
import { endOf } from '../../../shared/model/job-outcome.ts'
import { jobOfDetails } from '../../../shared/model/job-state.ts'
import type { Line } from '../../core/index.ts'
import { exportCsv } from '../../history/index.ts'
import type { CliCommand } from '../context.ts'
import type { EventOf } from '../output/events.ts'
import { inLanguageOf } from '../output/language.ts'
import { presetsMeant } from '../preset-names.ts'
import { bringUpToDate, settled } from '../reach-service.ts'

const PAGE = 200

/** Prints the totals of all results, including those of deleted history records. */
export const stats: CliCommand = async ({ line, report }) => {
  report.say({ event: 'stats', ...line.history.totals() })
  return EXIT.done
}

/** Lists the history, newest first, after updating the records of unfinished jobs. */
export const history: CliCommand<{
  readonly query: HistoryQuery
  /** Maximum number of records; undefined for no limit. */
  readonly limit: number | undefined
  readonly csv: boolean
}> = async (context, { query: asked, limit, csv }) => {
  const { report, service, environment, line: core } = context
  const [preset] = await presetsMeant(context, [asked.preset ?? []].flat())
  // Doesn't use the command's `t`, because that is English with `--json`.
  const t = inLanguageOf(terminalLocale(environment.env, environment.platform))
  const query = inLanguage({ ...asked, preset }, t)
  await core.replacing.recover()
  await settled(context)
  if (service.kind === 'external') await bringUpToDate(context)
  if (csv) {
    for await (const lines of exportCsv(eachPart(core, records(core, query, limit))))
      environment.stdout.write(lines)
    return EXIT.done
  }
  let shown = 0
  for await (const first of records(core, query, limit)) {
    const outbox = core.outbox.get(first.id)?.state.kind ?? null
    const parts = [first, ...otherParts(core, first)]
    const record = { ...first, ...endOf(jobOfDetails(first)) }
    report.say({ event: 'record', record, outbox, problems: problemsOf(parts), results: resultsOf(parts) })
    shown++
  }
  report.say({ event: 'found', shown, total: core.history.countAll(query) })
  return EXIT.done
}

async function* records(
  core: Line,
  query: HistoryQuery,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<PartDetails> {
  let before: number | undefined
  for (let read = 0; read < limit; read += PAGE) {
    const page = core.history.page(query, { before, limit: Math.min(PAGE, limit - read), unfinished: true })
    for (const { id } of page.records) {
      const record = core.history.details(id)
      if (record !== undefined) yield record
    }
    if (page.records.length < PAGE || page.last === null) return
    before = page.last
  }
}

type Problem = EventOf<'record'>['problems'][number]

async function* eachPart(core: Line, firsts: AsyncIterable<PartDetails>): AsyncGenerator<PartDetails> {
  for await (const first of firsts) yield* [first, ...otherParts(core, first)]
}

const otherParts = (core: Line, { id, parts }: PartDetails): readonly PartDetails[] =>
  parts.flatMap((part) => (part.id === id ? [] : (core.history.details(part.id) ?? [])))

/** Returns the problems of all parts, each once. */
function problemsOf(parts: readonly PartDetails[]): readonly Problem[] {
  const all = parts.flatMap(({ preset, problems }) => problems.map((problem) => ({ preset, ...problem })))
  return [...new Map(all.map((problem) => [JSON.stringify(problem), problem])).values()]
}

/** Returns the results of all parts, each once. */
const resultsOf = (parts: readonly PartDetails[]): readonly ResultFile[] => [
  ...new Map(parts.flatMap(({ results }) => results.map((result) => [result.outputPath, result]))).values(),
]
