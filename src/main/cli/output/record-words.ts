import type { WindowTranslation } from '../../../shared/i18n/i18n.ts'
import { workName } from '../../../shared/i18n/names.ts'
import { lostWords, outcomeWord, presetName, replacedSentence } from '../../../shared/i18n/sentences.ts'
import { expectedResults } from '../../../shared/model/group-sections.ts'
import type { Outcome } from '../../../shared/model/outcome.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
import type { RecordSummary } from '../../../shared/model/work.ts'
import { plannedResults, wholeJobOf } from '../../../shared/model/work-item.ts'
import type { CliEvent } from './event.ts'

const IN_OUTBOX = {
  waiting: 'waiting in the outbox',
  sending: 'in progress',
  unknown: 'unconfirmed, see “outbox”',
  refused: 'refused',
  accepted: 'in progress',
} as const

/** A group is one job: its first line has the outcome of all parts, and each part has a line of its preset. */
export function recordLines(
  { record, outbox }: Extract<CliEvent, { event: 'record' }>,
  t: WindowTranslation,
): readonly string[] {
  const at = new Date(record.createdAt).toISOString().slice(0, 16).replace('T', ' ')
  const open = outbox === null ? 'in progress' : IN_OUTBOX[outbox]
  const whole = wholeJobOf(record)
  const { outcome, replaced } = whole
  const planned =
    record.parts.length === 0
      ? plannedResults(whole)
      : expectedResults({ parts: record.parts.map((part) => ({ kind: 'record', record: part })) })
  const lost = lostWords(outcome, t)
  const results = record.parts.reduce((sum, { outcome: own }) => sum + resultsIn(own), 0)
  const state =
    outcome === null
      ? `${open}${results === 0 ? '' : ` after ${countOf(results, planned, t)}`}`
      : [outcomeWord(outcome, planned, t), ...(lost === undefined ? [] : [lost])].join(', ')
  const presets = [...new Set([record, ...record.parts].map(({ preset }) => presetName(preset, t)))]
  const originals = replaced === null ? '' : `, ${replacedSentence(replaced, t)}`
  return [
    `${record.id}  ${at}  ${state}: ${workName(whole, t)}, ${presets.join(', ')}${originals}`,
    ...record.parts.map((part) => `  ${part.id}  ${presetName(part.preset, t)}: ${partState(part, t)}`),
  ]
}

function partState(part: RecordSummary, t: WindowTranslation): string {
  const { outcome, output, replaced } = part
  if (outcome === null) return 'not finished'
  const isReplacing = output?.kind === 'folder' && isInVault(output.path)
  const wait = isReplacing && replaced === null ? ', but not all of its originals are replaced yet' : ''
  return `${outcomeWord(outcome, plannedResults(part), t)}${wait}`
}

const resultsIn = (outcome: Outcome | null): number =>
  outcome !== null && 'results' in outcome ? outcome.results : 0

const countOf = (results: number, planned: number | null, t: WindowTranslation): string =>
  planned === null ? t.number(results) : `${t.number(results)} of ${t.number(planned)}`
