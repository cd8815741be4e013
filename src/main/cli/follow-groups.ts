/** Reports what happened to a job with several presets or folders once the command no longer waits for any of its parts. */
import type { RecordId } from '../../shared/model/ids.ts'
import { groupOutcome } from '../../shared/model/group-outcome.ts'
import type { WorkTitle } from '../../shared/model/work.ts'
import type { Line } from '../core/index.ts'
import type { CliEvent, GroupRef, OutcomeReport } from './output/event.ts'

/** Returns what the command line reports about the part's place in its group. */
export const groupRefOf = ({
  group,
  preset,
}: Pick<WorkTitle, 'group' | 'preset'>): { readonly group?: GroupRef } =>
  group === null ? {} : { group: { id: group.id, part: group.part + 1, parts: group.parts, preset } }

type Part = Extract<CliEvent, { event: 'group' }>['parts'][number]

export interface FollowedGroups {
  /** Returns the place of a submission in its group. */
  refOf(id: RecordId): { readonly group?: GroupRef }
  /** Reports the groups without open parts, each once. */
  report(open: ReadonlySet<RecordId>): void
}

/** @param submitted the submissions that the command follows */
export function followGroups(
  outcomes: OutcomeReport,
  core: Pick<Line, 'outbox' | 'history'>,
  submitted: readonly RecordId[],
): FollowedGroups {
  const refs = new Map<RecordId, GroupRef>()
  for (const id of submitted) noteGroup(id)
  const waiting = Map.groupBy(refs.keys(), (id) => refs.get(id)?.id ?? id)
  const single = new Set(submitted.filter((id) => !refs.has(id)))

  function noteGroup(id: RecordId): GroupRef | undefined {
    const { group } = titleOf(id)
    if (group !== undefined) refs.set(id, group)
    return group
  }

  function titleOf(id: RecordId): { readonly group?: GroupRef } {
    const title = core.outbox.get(id)?.title ?? core.history.details(id)
    return title === undefined ? {} : groupRefOf(title)
  }

  function stateOf(id: RecordId): Part['state'] {
    const unsent = core.outbox.get(id)?.state.kind
    if (unsent === 'refused' || unsent === 'unknown') return unsent
    if (unsent === 'waiting' || unsent === 'sending') return 'waiting'
    const record = core.history.details(id)
    if (record?.outcome) return record.outcome.kind
    return (record?.facts.jobId ?? null) === null ? 'removed' : 'accepted'
  }

  /** @param followed the group's parts that the command follows; an earlier run may have finished others */
  function reportGroup(group: RecordId, followed: readonly RecordId[]): void {
    const ids = [
      ...new Set([...followed.slice(0, 1).flatMap((id) => core.history.wholeJob(id)), ...followed]),
    ]
    for (const id of ids) noteGroup(id)
    const parts = ids.flatMap((id): Part[] => {
      const ref = refs.get(id)
      return ref === undefined ? [] : [{ ...ref, submission: id, state: stateOf(id) }]
    })
    const ended = ids.flatMap((id) => {
      const record = core.history.details(id)
      return record?.outcome ? [{ outcome: record.outcome, files: record.files }] : []
    })
    const [first, ...others] = ended
    const isOver = first !== undefined && ended.length === ids.length
    const outcome = isOver ? groupOutcome([first, ...others]) : null
    outcomes.say({ event: 'group', id: group, outcome, parts })
  }

  return {
    refOf(id) {
      const group = refs.get(id)
      return group === undefined ? {} : { group }
    },
    report(open) {
      for (const id of [...single].filter((one) => !open.has(one))) {
        single.delete(id)
        // If its service ended, what was finished has become a part.
        const group = noteGroup(id)
        if (group !== undefined) waiting.set(group.id, [id])
      }
      for (const [group, ids] of waiting) {
        if (ids.some((id) => open.has(id))) continue
        waiting.delete(group)
        reportGroup(group, ids)
      }
    },
  }
}
