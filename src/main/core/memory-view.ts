import type { AppState } from '../../shared/model/app-state.ts'
import type { RecordSummary } from '../../shared/model/work.ts'
import type { History } from '../history/index.ts'

type MemoryView = Pick<AppState, 'historyVersion' | 'unseen' | 'lastProblem' | 'lastResult'>

/** Problems that nobody has seen are among the newest ones; an older one than that is found in the list. */
const NEWEST = 50

/** What of the history the tray and the badge show. Unchanged parts stay the same objects. */
export function memoryView(history: History, before: MemoryView | undefined): MemoryView {
  const unseen = history.unseenCount()
  const newestProblems =
    unseen === 0
      ? []
      : history.page({ outcomes: ['problems', 'failed'] }, { offset: 0, limit: NEWEST }).records
  const results = history.page({ outcomes: ['done', 'problems'] }, { offset: 0, limit: 1 }).records
  return {
    historyVersion: history.version,
    unseen,
    lastProblem: sameAs(before?.lastProblem, newestProblems.find((record) => record.unseen) ?? null),
    lastResult: sameAs(before?.lastResult, results[0] ?? null),
  }
}

const sameAs = (before: RecordSummary | null | undefined, now: RecordSummary | null): RecordSummary | null =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
