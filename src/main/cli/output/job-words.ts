/** Texts about jobs and their parts: their states, results and problems, and what Mediatray keeps. */
import { dirname, isAbsolute } from 'node:path'
import type { FileError } from '../../../shared/api/resources.ts'
import { describeLoss } from '../../../shared/i18n/losses.ts'
import { jobName } from '../../../shared/i18n/names.ts'
import {
  lostWords,
  noteSentence,
  outcomeWord,
  presetName,
  reasonWords,
  replacedSentence,
} from '../../../shared/i18n/sentences.ts'
import { endOf, expectedResults, plannedResults } from '../../../shared/model/job-outcome.ts'
import { resultsSoFar } from '../../../shared/model/job-progress.ts'
import { jobOfDetails, titleOf } from '../../../shared/model/job-state.ts'
import type { Outcome, PartAt } from '../../../shared/model/job.ts'
import { isInVault } from '../../../shared/model/replacement.ts'
import { t } from './english.ts'
import type { EventOf, OutcomeEvent, SubmissionFields } from './event.ts'
import { FEW, someOf } from './some-of.ts'

/** ", Web 2048, part 1 of 2" */
export const partName = ({ group }: Pick<SubmissionFields, 'group'>): string =>
  group === undefined
    ? ''
    : `, ${presetName(group.preset, t)}, ${t.parts.part({ part: group.part, parts: group.parts })}`

/** "Web 2048: " */
const presetOf = ({ group }: Pick<SubmissionFields, 'group'>): string =>
  group === undefined ? '' : `${presetName(group.preset, t)}: `

const OUTCOMES: Readonly<Record<Outcome['kind'], string>> = {
  done: 'done',
  problems: 'done with problems',
  failed: 'failed',
  cancelled: 'canceled',
  forgotten: 'no longer known to the service',
}

const PART_STATES: Readonly<Record<EventOf<'group'>['parts'][number]['state'], string>> = {
  ...OUTCOMES,
  accepted: 'accepted',
  waiting: 'kept in the outbox',
  refused: 'refused',
  unknown: 'unconfirmed',
  removed: 'removed from the outbox',
}

/** The job as a whole, and what happened to each part, or to how many if there are many. */
export function groupLines({ id, outcome, parts }: EventOf<'group'>, isWhole: boolean): readonly string[] {
  const head =
    outcome === null
      ? `job of ${parts[0]?.parts ?? parts.length} parts`
      : [
          outcomeWord(outcome, null, t),
          ...('results' in outcome ? [t.count.results({ count: outcome.results })] : []),
        ].join(', ')
  if (!isWhole && parts.length > FEW) {
    const states = [...Map.groupBy(parts, ({ state }) => state)]
    return [
      `${id}  ${head}`,
      `  ${states.map(([state, some]) => `${t.number(some.length)} parts ${PART_STATES[state]}`).join(', ')}`,
    ]
  }
  return [
    `${id}  ${head}`,
    ...parts.map((part) => {
      const name = t.parts.part({ part: part.part, parts: part.parts })
      return `  ${name}, ${presetName(part.preset, t)}: ${PART_STATES[part.state]}`
    }),
  ]
}

const IN_OUTBOX = {
  waiting: 'waiting in the outbox',
  sending: 'in progress',
  unknown: 'unconfirmed, see “outbox”',
  refused: 'refused',
  accepted: 'in progress',
} as const

/** The first line has the outcome of the whole job. If it has several parts, each one has a line with its preset. */
export function recordLines({ record, outbox }: EventOf<'record'>): readonly string[] {
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
      ? `${open}${results === 0 ? '' : ` after ${countOf(results, planned)}`}`
      : [outcomeWord(outcome, planned, t), ...(lost === undefined ? [] : [lost])].join(', ')
  const presets = [...new Set(job.parts.map(({ preset }) => presetName(preset, t)))]
  const originals = replaced === null ? '' : `, ${replacedSentence(replaced, t)}`
  return [
    `${record.id}  ${at}  ${state}: ${jobName(whole, t)}, ${presets.join(', ')}${originals}`,
    ...record.parts.map((part) => `  ${part.id}  ${presetName(part.preset, t)}: ${partState(part)}`),
  ]
}

function partState(part: PartAt<'history'>): string {
  const { outcome, output, replaced } = part
  if (outcome === null) return 'not finished'
  const isReplacing = output?.kind === 'folder' && isInVault(output.path)
  const wait = isReplacing && replaced === null ? ', but not all of its originals are replaced yet' : ''
  return `${outcomeWord(outcome, plannedResults(part), t)}${wait}`
}

const countOf = (results: number, planned: number | null): string =>
  planned === null ? t.number(results) : `${t.number(results)} of ${t.number(planned)}`

/** @param isWhole whether to list every result and problem, however many there are */
export function finishedLines(event: EventOf<'finished'>, isWhole: boolean): readonly string[] {
  const { id, jobId, outcome, results, problems, notes, inputs } = event
  const count = results.length === 0 ? '' : `, ${t.count.results({ count: results.length })}`
  const isListed = isWhole || results.length <= FEW
  const lost = lostLines(results, isWhole)
  const words = lost.length === 0 ? '' : `, ${lostWords(outcome, t) ?? ''}:`
  return [
    `${jobId ?? id}  ${presetOf(event)}${outcomeWord(outcome, plannedResults(event), t)}${count}${isListed ? '' : inFolders([event])}${words}`,
    ...(isListed ? results.map(({ outputPath }) => `  ${outputPath}`) : []),
    ...lost,
    ...problemLines(problems, 'problem', isWhole),
    ...(outcome.kind === 'failed' && problems.length === 0 && inputs.files.length > 0
      ? [`  not processed: ${someOf(inputs.files)}`]
      : []),
    ...notes.map((note) => `  ${noteSentence(note, t)}`),
  ]
}

/** What each result lost and why. Many are grouped by what they lost. */
function lostLines(results: EventOf<'finished'>['results'], isWhole: boolean): readonly string[] {
  const lost = results.flatMap(({ file, losses = [] }) =>
    losses.map((loss) => ({ file, sentence: describeLoss(loss, t) })),
  )
  if (isWhole || lost.length <= FEW) return lost.map(({ file, sentence }) => `  ${file}: ${sentence}`)
  return [...Map.groupBy(lost, ({ sentence }) => sentence)].map(([sentence, some]) => {
    const files = [...new Set(some.map(({ file }) => file))]
    return `  ${t.count.files({ count: files.length })}: ${sentence} (${someOf(files)})`
  })
}

/** Results in a drive have no folder here. */
function inFolders(events: readonly EventOf<'finished'>[]): string {
  const paths = events.flatMap(({ results }) => results.map(({ outputPath }) => outputPath))
  const folders = new Set(paths.filter((path) => isAbsolute(path)).map(dirname))
  return folders.size === 0 ? '' : ` in ${someOf([...folders])}`
}

const reasonOf = (one: FileError): string => reasonWords(one.error, one, t)

/** Several variations of a file may have the same problem, which is listed once. Many problems are grouped by reason. */
export function problemLines(
  problems: readonly FileError[],
  what: string,
  isWhole: boolean,
): readonly string[] {
  const lines = new Set(
    problems.map((one) => `  ${what}: ${one.file === '' ? '' : `${one.file}: `}${reasonOf(one)}`),
  )
  if (isWhole || lines.size <= FEW) return [...lines]
  return [...Map.groupBy(problems, reasonOf)].map(([reason, some]) => {
    const files = [...new Set(some.map(({ file }) => file).filter((file) => file !== ''))]
    return files.length === 0
      ? `  ${what}: ${reason}`
      : `  ${what}: ${t.count.files({ count: files.length })}: ${reason} (${someOf(files)})`
  })
}

/** Sums up many submissions that weren't reported one by one. */
export function summaryLines(events: readonly OutcomeEvent[]): readonly string[] {
  const finished = finishedOf(events)
  const kinds = [...Map.groupBy(finished, ({ outcome }) => outcome.kind)]
  const results = finished.reduce((sum, one) => sum + one.results.length, 0)
  const accepted = new Set(events.flatMap((one) => (one.event === 'accepted' ? [one.id] : [])))
  for (const { id } of finished) accepted.delete(id)
  return [
    ...(finished.length === 0
      ? []
      : [
          `${t.count.jobs({ count: finished.length })}: ${kinds.map(([kind, some]) => `${t.number(some.length)} ${OUTCOMES[kind]}`).join(', ')}.`,
        ]),
    ...(results === 0 ? [] : [`${t.count.results({ count: results })}${inFolders(finished)}.`]),
    ...lostLines(
      finished.flatMap((one) => one.results),
      false,
    ),
    ...problemLines(finished.flatMap(problemsIn), 'problem', false),
    ...(accepted.size === 0
      ? []
      : [`${t.count.jobs({ count: accepted.size })} accepted. “history” shows their outcome.`]),
  ]
}

/** The reason of a failed job may not be among its problems. */
const problemsIn = ({ outcome, problems }: EventOf<'finished'>): readonly FileError[] =>
  outcome.kind === 'failed' && problems.length === 0 && outcome.reason !== ''
    ? [{ file: '', error: outcome.reason, failure: outcome.failure }]
    : problems

/** Says what Mediatray keeps of the submissions that didn't succeed, and how to continue. */
export function keptLines(
  events: readonly OutcomeEvent[],
  { isSummary, canRepeat }: { readonly isSummary: boolean; readonly canRepeat: boolean },
): readonly string[] {
  const refused = events.filter((one) => one.event === 'refused')
  const unknown = events.filter((one) => one.event === 'unknown')
  const notDone = finishedOf(events).filter(({ outcome }) => outcome.kind !== 'done')
  const failed = new Set(notDone.map(({ id, group }) => group?.id ?? id))
  const [first] = failed
  const isCancel = notDone.every(({ outcome }) => outcome.kind === 'cancelled')
  return [
    ...(isSummary && unknown.length > 0
      ? [
          `${t.number(unknown.length)} unconfirmed: the service may have received them, so they stay in the outbox and are not sent again. “outbox” lists them, “outbox resolve” decides.`,
        ]
      : []),
    ...(isSummary && refused.length > 0
      ? [`${t.number(refused.length)} refused. “outbox” shows the reasons.`]
      : []),
    ...(refused.length === 0
      ? []
      : [
          `The refused ${refused.length === 1 ? 'submission stays' : 'submissions stay'} in the outbox until “outbox resolve ID remove”. The originals are unchanged.`,
        ]),
    ...(first === undefined || !canRepeat
      ? []
      : failed.size === 1
        ? [
            `The history keeps it. ${isCancel ? 'Process the other files' : 'Retry its failed files'}: mediatray-cli retry ${first}`,
          ]
        : [
            isCancel
              ? 'The history keeps them. To process the other files, run the same command with --skip-done.'
              : 'The history keeps them. “history --outcome problems failed cancelled” lists the IDs for “retry ID”.',
          ]),
  ]
}

const finishedOf = (events: readonly OutcomeEvent[]): readonly EventOf<'finished'>[] =>
  events.filter((one) => one.event === 'finished')
