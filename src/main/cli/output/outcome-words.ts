/** Texts about what became of a command's submissions: results, problems, and what Mediatray keeps. */
import { dirname, isAbsolute } from 'node:path'
import type { FileError } from '../../../shared/api/resources.ts'
import type { WindowTranslation } from '../../../shared/i18n/i18n.ts'
import { describeLoss } from '../../../shared/i18n/losses.ts'
import { lostWords, noteSentence, outcomeWord, reasonWords } from '../../../shared/i18n/sentences.ts'
import type { OutcomeKind } from '../../../shared/model/job.ts'
import { plannedResults } from '../../../shared/model/job-outcome.ts'
import type { FinishedEvent, OutcomeEvent } from './event.ts'
import { presetOf } from './group-words.ts'
import { FEW, someOf } from './some-of.ts'

/** @param isWhole whether to list every result and problem, however many there are */
export function finishedLines(
  event: FinishedEvent,
  isWhole: boolean,
  t: WindowTranslation,
): readonly string[] {
  const { id, jobId, outcome, results, problems, notes, inputs } = event
  const count = results.length === 0 ? '' : `, ${t.count.results({ count: results.length })}`
  const isListed = isWhole || results.length <= FEW
  const lost = lostLines(results, isWhole, t)
  const words = lost.length === 0 ? '' : `, ${lostWords(outcome, t) ?? ''}:`
  return [
    `${jobId ?? id}  ${presetOf(event, t)}${outcomeWord(outcome, plannedResults(event), t)}${count}${isListed ? '' : inFolders([event], t)}${words}`,
    ...(isListed ? results.map(({ outputPath }) => `  ${outputPath}`) : []),
    ...lost,
    ...problemLines(problems, 'problem', isWhole, t),
    ...(outcome.kind === 'failed' && problems.length === 0 && inputs.files.length > 0
      ? [`  not processed: ${someOf(inputs.files, t)}`]
      : []),
    ...notes.map((note) => `  ${noteSentence(note, t)}`),
  ]
}

/** What each result lost and why. Many are grouped by what they lost. */
function lostLines(
  results: FinishedEvent['results'],
  isWhole: boolean,
  t: WindowTranslation,
): readonly string[] {
  const lost = results.flatMap(({ file, losses = [] }) =>
    losses.map((loss) => ({ file, sentence: describeLoss(loss, t) })),
  )
  if (isWhole || lost.length <= FEW) return lost.map(({ file, sentence }) => `  ${file}: ${sentence}`)
  return [...Map.groupBy(lost, ({ sentence }) => sentence)].map(([sentence, some]) => {
    const files = [...new Set(some.map(({ file }) => file))]
    return `  ${t.count.files({ count: files.length })}: ${sentence} (${someOf(files, t)})`
  })
}

/** Results in a drive have no folder here. */
function inFolders(events: readonly FinishedEvent[], t: WindowTranslation): string {
  const paths = events.flatMap(({ results }) => results.map(({ outputPath }) => outputPath))
  const folders = new Set(paths.filter((path) => isAbsolute(path)).map(dirname))
  return folders.size === 0 ? '' : ` in ${someOf([...folders], t)}`
}

/** Several variations of a file may have the same problem, which is listed once. Many problems are grouped by reason. */
export function problemLines(
  problems: readonly FileError[],
  what: string,
  isWhole: boolean,
  t: WindowTranslation,
): readonly string[] {
  const reasonOf = (one: FileError) => reasonWords(one.error, one, t)
  const lines = new Set(
    problems.map((one) => `  ${what}: ${one.file === '' ? '' : `${one.file}: `}${reasonOf(one)}`),
  )
  if (isWhole || lines.size <= FEW) return [...lines]
  return [...Map.groupBy(problems, reasonOf)].map(([reason, some]) => {
    const files = [...new Set(some.map(({ file }) => file).filter((file) => file !== ''))]
    return files.length === 0
      ? `  ${what}: ${reason}`
      : `  ${what}: ${t.count.files({ count: files.length })}: ${reason} (${someOf(files, t)})`
  })
}

const KINDS: Readonly<Record<OutcomeKind, string>> = {
  done: 'done',
  problems: 'done with problems',
  failed: 'failed',
  cancelled: 'canceled',
  forgotten: 'no longer known to the service',
}

/** Sums up many submissions that weren't reported one by one. */
export function summaryLines(events: readonly OutcomeEvent[], t: WindowTranslation): readonly string[] {
  const finished = finishedOf(events)
  const kinds = [...Map.groupBy(finished, ({ outcome }) => outcome.kind)]
  const results = finished.reduce((sum, one) => sum + one.results.length, 0)
  const accepted = new Set(events.flatMap((one) => (one.event === 'accepted' ? [one.id] : [])))
  for (const { id } of finished) accepted.delete(id)
  return [
    ...(finished.length === 0
      ? []
      : [
          `${t.count.jobs({ count: finished.length })}: ${kinds.map(([kind, some]) => `${t.number(some.length)} ${KINDS[kind]}`).join(', ')}.`,
        ]),
    ...(results === 0 ? [] : [`${t.count.results({ count: results })}${inFolders(finished, t)}.`]),
    ...lostLines(
      finished.flatMap((one) => one.results),
      false,
      t,
    ),
    ...problemLines(finished.flatMap(problemsIn), 'problem', false, t),
    ...(accepted.size === 0
      ? []
      : [`${t.count.jobs({ count: accepted.size })} accepted. “history” shows their outcome.`]),
  ]
}

/** The reason of a failed job may not be among its problems. */
const problemsIn = ({ outcome, problems }: FinishedEvent): readonly FileError[] =>
  outcome.kind === 'failed' && problems.length === 0 && outcome.reason !== ''
    ? [{ file: '', error: outcome.reason, failure: outcome.failure }]
    : problems

/** Says what Mediatray keeps of the submissions that didn't succeed, and how to continue. */
export function keptLines(
  events: readonly OutcomeEvent[],
  { isSummary, canRepeat }: { readonly isSummary: boolean; readonly canRepeat: boolean },
  t: WindowTranslation,
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

const finishedOf = (events: readonly OutcomeEvent[]): readonly FinishedEvent[] =>
  events.filter((one) => one.event === 'finished')
