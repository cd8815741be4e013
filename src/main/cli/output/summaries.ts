/** Summarizes events if there are many, and reports what Mediatray keeps. */
import type { FileError } from '../../../shared/api/resources.ts'
import { t } from './language.ts'
import { type EventOf, type ListedEvent, type OutcomeEvent, wordsFor } from './events.ts'
import { notTakenSummaries } from './files.ts'
import { inFolders, lostLines, reasonOf } from './jobs.ts'
import { keptSummaries, problemLines } from './submissions.ts'
import { FEW, type Words } from './words.ts'

/** Renders a few events individually, and more of them as one summary per reason. @param isWhole renders all of them individually */
export function listWords(events: readonly ListedEvent[], isWhole: boolean): readonly Words[] {
  if (isWhole || events.length <= FEW) return events.map((event) => wordsFor(event))
  return [
    ...keptSummaries(events.filter((event) => event.event === 'kept')),
    ...notTakenSummaries(events.filter((event) => event.event === 'notTaken')),
  ]
}

/** Summarizes submissions that weren't reported individually. */
export function summaryLines(events: readonly OutcomeEvent[]): readonly string[] {
  const finished = finishedOf(events)
  const results = finished.flatMap((one) => one.results)
  const accepted = new Set(events.filter((one) => one.event === 'accepted').map(({ id }) => id))
  for (const { id } of finished) accepted.delete(id)
  const kinds = [...Map.groupBy(finished, ({ outcome }) => outcome.kind)].map(([kind, { length: count }]) =>
    t().jobsIn[kind]({ count }),
  )
  return [
    ...(finished.length === 0
      ? []
      : [t().sentence(t().labeled(t().count.jobs({ count: finished.length }), t().listed(kinds)))]),
    ...(results.length === 0
      ? []
      : [t().sentence(inFolders(t().count.results({ count: results.length }), finished))]),
    ...lostLines(results, false),
    ...problemLines(finished.flatMap(problemsIn), t().jobReport.problem, false),
    ...(accepted.size === 0 ? [] : [t().jobReport.accepted({ count: accepted.size })]),
  ]
}

/** Returns a job's problems, or the reason for its failure if it has none. */
const problemsIn = ({ outcome, problems }: EventOf<'finished'>): readonly FileError[] =>
  problems.length === 0 ? reasonOf(outcome) : problems

/** Explains what Mediatray keeps of unsuccessful submissions, and how to continue. */
export function keptLines(
  events: readonly OutcomeEvent[],
  { isSummary, canRepeat }: { readonly isSummary: boolean; readonly canRepeat: boolean },
): readonly string[] {
  const texts = t().jobReport
  const refused = { count: events.filter((one) => one.event === 'refused').length }
  const unknown = { count: events.filter((one) => one.event === 'unknown').length }
  return [
    ...(isSummary && unknown.count > 0 ? [texts.unconfirmed(unknown)] : []),
    ...(isSummary && refused.count > 0 ? [texts.refused(refused)] : []),
    ...(refused.count > 0 ? [texts.refusedStay(refused)] : []),
    ...(canRepeat ? repeatLines(finishedOf(events).filter(({ outcome }) => outcome.kind !== 'done')) : []),
  ]
}

function repeatLines(notDone: readonly EventOf<'finished'>[]): readonly string[] {
  const texts = t().jobReport
  const isCancel = notDone.every(({ outcome }) => outcome.kind === 'cancelled')
  const [id, ...more] = new Set(notDone.map((one) => one.group?.id ?? one.id))
  if (id === undefined) return []
  if (more.length > 0) return [isCancel ? texts.processOthersMany : texts.retryMany]
  return [isCancel ? texts.processOthers({ id }) : texts.retry({ id })]
}

const finishedOf = (events: readonly OutcomeEvent[]): readonly EventOf<'finished'>[] =>
  events.filter((one) => one.event === 'finished')
