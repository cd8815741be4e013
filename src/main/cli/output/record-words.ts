import type { WindowTranslation } from '../../../shared/i18n/i18n.ts'
import { workName } from '../../../shared/i18n/names.ts'
import { lostWords, outcomeWord, presetName, replacedSentence } from '../../../shared/i18n/sentences.ts'
import { expectedResults } from '../../../shared/model/group-sections.ts'
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
  const state =
    outcome === null
      ? open
      : [outcomeWord(outcome, planned, t), ...(lost === undefined ? [] : [lost])].join(', ')
  const presets = [...new Set([record, ...record.parts].map(({ preset }) => presetName(preset, t)))]
  const originals = replaced === null ? '' : `, ${replacedSentence(replaced, t)}`
  return [
    `${record.id}  ${at}  ${state}: ${workName(whole, t)}, ${presets.join(', ')}${originals}`,
    ...record.parts.map(
      (part) =>
        `  ${part.id}  ${presetName(part.preset, t)}: ${part.outcome === null ? 'not finished' : outcomeWord(part.outcome, plannedResults(part), t)}`,
    ),
  ]
}
