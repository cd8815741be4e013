import type { WindowTranslation } from '../../../shared/i18n/i18n.ts'
import { workName } from '../../../shared/i18n/names.ts'
import { lostWords, outcomeWord, presetName, replacedSentence } from '../../../shared/i18n/sentences.ts'
import { endOf, expectedResults, plannedResults } from '../../../shared/model/job-outcome.ts'
import type { PartAt } from '../../../shared/model/job.ts'
import { resultsSoFar } from '../../../shared/model/job-progress.ts'
import { jobOfDetails, titleOf } from '../../../shared/model/job-state.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
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
  const job = jobOfDetails(record)
  const whole = titleOf(job)
  const { outcome, replaced } = endOf(job)
  const planned = expectedResults(job)
  const lost = lostWords(outcome, t)
  const results = resultsSoFar(job)
  const state =
    outcome === null
      ? `${open}${results === 0 ? '' : ` after ${countOf(results, planned, t)}`}`
      : [outcomeWord(outcome, planned, t), ...(lost === undefined ? [] : [lost])].join(', ')
  const presets = [...new Set(job.parts.map(({ preset }) => presetName(preset, t)))]
  const originals = replaced === null ? '' : `, ${replacedSentence(replaced, t)}`
  return [
    `${record.id}  ${at}  ${state}: ${workName(whole, t)}, ${presets.join(', ')}${originals}`,
    ...record.parts.map((part) => `  ${part.id}  ${presetName(part.preset, t)}: ${partState(part, t)}`),
  ]
}

function partState(part: PartAt<'history'>, t: WindowTranslation): string {
  const { outcome, output, replaced } = part
  if (outcome === null) return 'not finished'
  const isReplacing = output?.kind === 'folder' && isInVault(output.path)
  const wait = isReplacing && replaced === null ? ', but not all of its originals are replaced yet' : ''
  return `${outcomeWord(outcome, plannedResults(part), t)}${wait}`
}

const countOf = (results: number, planned: number | null, t: WindowTranslation): string =>
  planned === null ? t.number(results) : `${t.number(results)} of ${t.number(planned)}`
