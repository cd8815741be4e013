/** Keeps the summary of a group up to date: when all of its parts have ended, its first part stands for it in the list. */
import type { RecordId } from '../../shared/model/ids.ts'
import { groupOutcome } from '../../shared/model/group-outcome.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import { addedCounts } from '../../shared/model/replacement.ts'
import type { WorkTitle } from '../../shared/model/work.ts'
import { GroupIdRow, SummaryRow } from './record-row.ts'
import type { RecordStatements } from './record-statements.ts'
import type { SearchIndex } from './search-index.ts'

export type RecordGroups = ReturnType<typeof recordGroups>

type EndedRow = SummaryRow & { readonly outcome: Outcome }

export function recordGroups(sql: RecordStatements, index: SearchIndex) {
  /**
   * Updates the index entry of a record, or the summary of its group. While a group is running, its entry keeps the words of when its
   * parts were added, because reading all parts after each change would take too long.
   */
  function changed(seq: number, id: RecordId): void {
    const { group_id: group } = GroupIdRow.parse(sql.groupIdOf.get(id))
    if (group === null) return index.update(seq)
    if (sql.hasOpenPart.get(group) === undefined) return ended(group)
    if (sql.groupOpen.run(group).changes > 0) indexParts(group)
  }

  /** Indexes a new record, or all parts of its group once the last one is there. */
  function added(seq: number, { id, group }: Pick<WorkTitle, 'id' | 'group'>): void {
    changed(seq, id)
    if (group !== null && group.part === group.parts - 1) indexParts(group.id)
  }

  /** Indexes a record again after it was removed, with its whole group. */
  function restored(seq: number, id: RecordId): void {
    changed(seq, id)
    const { group_id: group } = GroupIdRow.parse(sql.groupIdOf.get(id))
    if (group !== null) indexParts(group)
  }

  function indexParts(group: string): void {
    const [first, ...others] = sql.inGroup.all(group).map((row) => SummaryRow.parse(row).seq)
    if (first !== undefined) index.update(first, others)
  }

  function ended(group: string): void {
    const rows = sql.inGroup.all(group).map((row) => SummaryRow.parse(row))
    const [first, ...others] = rows.filter(isEnded)
    if (first === undefined) return
    const outcome = groupOutcome([first, ...others])
    const ends = [first, ...others].map(({ ended_at: at }) => at ?? 0)
    const replaced = addedCounts(rows.map((row) => row.replaced))
    sql.groupEnded.run({
      seq: first.seq,
      replaced: replaced && JSON.stringify(replaced),
      kind: outcome.kind,
      outcome: JSON.stringify(outcome),
      endedAt: Math.max(...ends),
      unseen: isUnseen(first.origin, outcome) ? 1 : 0,
    })
    indexParts(group)
  }

  return { changed, added, restored }
}

const isEnded = (row: SummaryRow): row is EndedRow => row.outcome !== null

/** Whether the user should check a record: one of our own jobs with problems. */
export const isUnseen = (origin: SummaryRow['origin'], { kind }: Outcome): boolean =>
  origin === 'ours' && (kind === 'problems' || kind === 'failed')
