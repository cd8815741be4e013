/** The jobs that the user sees: single submissions, jobs and records, and groups of them that belong together. */
import type { Outcome } from './outcome.ts'
import type { RecordId } from './ids.ts'
import type { ActiveJob, GroupPlace, OutboxEntry, RecordSummary, WorkTitle } from './work.ts'

/** A submission, a job or a record. */
export type PartItem =
  | {
      readonly kind: 'outbox'
      readonly entry: OutboxEntry
      /** 1 is sent next; 0 if the job isn't in the section Waiting. */
      readonly rank: number
      /** Number of jobs in the section Waiting. */
      readonly of: number
    }
  | { readonly kind: 'job'; readonly job: ActiveJob }
  /** A record of a finished group stands for the whole group. */
  | { readonly kind: 'record'; readonly record: RecordSummary }

/** Several submissions that the user sees as one job, at least one of them unfinished. */
export type GroupItem = {
  readonly kind: 'group'
  readonly place: Omit<GroupPlace, 'part'>
  /** In the order of the group. A part that is just leaving the outbox may be missing. Never empty. */
  readonly parts: readonly [PartItem, ...PartItem[]]
}

export type WorkItem = PartItem | GroupItem

export type WorkState =
  | 'now'
  | 'next'
  | 'waiting'
  | 'sending'
  | 'refused'
  | 'unsure'
  | 'uploading'
  | 'done'
  | 'problems'
  | 'failed'
  | 'cancelled'
  | 'forgotten'

/** The unfinished work, and the finished parts of unfinished groups. */
export type WorkLists = {
  readonly jobs: readonly ActiveJob[]
  readonly outbox: readonly OutboxEntry[]
  readonly endedParts: readonly RecordSummary[]
}

const titleOfPart = (item: PartItem): WorkTitle => {
  if (item.kind === 'outbox') return item.entry
  return item.kind === 'job' ? item.job : item.record
}

/** Returns what a row shows about the job. For a group, the counts cover all parts, and a preset of only some parts is null. */
export function titleOf(item: WorkItem): WorkTitle {
  if (item.kind !== 'group') {
    const title = titleOfPart(item)
    return item.kind === 'record' && item.record.members !== null ? titleOfGroup(title) : title
  }
  return titleOfGroup(titleOfPart(item.parts[0]))
}

function titleOfGroup(first: WorkTitle): WorkTitle {
  const { group } = first
  if (group === null) return first
  const { id, photos, videos, presets } = group
  return {
    ...first,
    id,
    photos,
    videos,
    files: first.driveInput === null ? photos + videos : first.files,
    preset: presets > 1 ? null : first.preset,
  }
}

export const idOf = (item: WorkItem): RecordId => titleOf(item).id

/** Returns the outcome of a record. For a group, that of all parts together. */
export const outcomeOfRecord = ({ members, outcome }: RecordSummary): Outcome | null =>
  members === null ? outcome : members.outcome

export const endOfRecord = ({ members, endedAt }: RecordSummary): number | null =>
  members === null ? endedAt : members.endedAt

export const isUnseen = ({ members, unseen }: RecordSummary): boolean =>
  members === null ? unseen : members.unseen

/** Returns a finished record as the user sees it: for the first part of a group, with the counts and the end of all parts. */
export const wholeJobOf = <R extends RecordSummary>(record: R): R => ({
  ...record,
  ...titleOf({ kind: 'record', record }),
  outcome: outcomeOfRecord(record),
  endedAt: endOfRecord(record),
  replaced: record.members === null ? record.replaced : record.members.replaced,
})

/** Returns the number of results without any problem; null until the files have been counted. */
export const plannedResults = ({
  files,
  variations,
}: Pick<WorkTitle, 'files' | 'variations'>): number | null => (files === null ? null : files * variations)

/** Whether the user must decide what happens to the submission. */
export const needsUser = (entry: OutboxEntry): boolean =>
  entry.state.kind === 'refused' || entry.state.kind === 'unknown'

export function stateOf(item: WorkItem): WorkState {
  switch (item.kind) {
    case 'outbox':
      return item.entry.state.kind === 'unknown' ? 'unsure' : item.entry.state.kind
    case 'job':
      if (item.job.stage.kind === 'queued') return 'next'
      return item.job.stage.kind === 'uploading' ? 'uploading' : 'now'
    case 'record':
      // The submission has left the outbox but isn't among the jobs yet.
      return outcomeOfRecord(item.record)?.kind ?? 'next'
    case 'group':
      return stateOfGroup(item)
  }
}

/** The most urgent state of a part is the group's state. */
const URGENCY: readonly WorkState[] = ['unsure', 'refused', 'now', 'next', 'sending', 'waiting', 'uploading']

function stateOfGroup({ parts }: GroupItem): WorkState {
  const states = parts.map(stateOf)
  const state = URGENCY.find((candidate) => states.includes(candidate)) ?? 'next'
  return state === 'next' && isBetweenParts(parts) ? 'now' : state
}

/** Whether a part has ended and the service starts the next one in a moment. The group's row would otherwise jump between sections. */
const isBetweenParts = (parts: readonly PartItem[]): boolean =>
  parts.some(hasEnded) &&
  parts.some(
    (part) => part.kind === 'job' && part.job.stage.kind === 'queued' && part.job.stage.position === 1,
  )

/** Returns the parts of a job, of which most have one. */
export const partsOf = (item: WorkItem): readonly [PartItem, ...PartItem[]] =>
  item.kind === 'group' ? item.parts : [item]

/** Returns the part that determines the job's state: the one that needs the user, runs or comes next. */
export function currentPart(item: WorkItem): PartItem {
  const parts = partsOf(item)
  for (const state of URGENCY) {
    const part = parts.find((candidate) => stateOf(candidate) === state)
    if (part !== undefined) return part
  }
  return parts[0]
}

/** Whether the built-in service has paused the job, or the part of it that would run. */
export function isHeld(item: WorkItem): boolean {
  const part = currentPart(item)
  return part.kind === 'job' && part.job.held !== undefined
}

export const hasEnded = (part: PartItem): boolean =>
  part.kind === 'record' && outcomeOfRecord(part.record) !== null

/**
 * Combines the parts of each group. The items are in the order of their first unfinished part: jobs first, then the outbox. Each
 * part is in exactly one item.
 */
export function foldWork({ jobs, outbox, endedParts }: WorkLists): readonly WorkItem[] {
  const groups = new Map<RecordId, PartItem[]>()
  const slots: (PartItem | readonly PartItem[])[] = []
  const add = (part: PartItem): void => {
    const { group } = titleOfPart(part)
    if (group === null) return void slots.push(part)
    const before = groups.get(group.id)
    if (before !== undefined) return void before.push(part)
    const parts = [part]
    groups.set(group.id, parts)
    slots.push(parts)
  }
  for (const job of jobs) add({ kind: 'job', job })
  for (const entry of outbox) add({ kind: 'outbox', entry, rank: 0, of: 0 })
  for (const record of endedParts) {
    // Without an unfinished part, the group is in the history.
    if (record.group !== null) groups.get(record.group.id)?.push(partOf(record))
  }
  return ranked(slots.map((slot) => ('kind' in slot ? slot : groupOf(slot))))
}

/** Returns the record of one part. The first part's record also describes the whole group. */
const partOf = (record: RecordSummary): PartItem => ({ kind: 'record', record: { ...record, members: null } })

/** @param parts at least one, in any order. If a part is listed twice, the first one counts. */
function groupOf(parts: readonly PartItem[]): WorkItem {
  const byPart = new Map<number, PartItem>()
  for (const part of parts) {
    const place = titleOfPart(part).group?.part ?? 0
    if (!byPart.has(place)) byPart.set(place, part)
  }
  const [first, ...others] = [...byPart].toSorted(([a], [b]) => a - b).map(([, part]) => part)
  const place = first === undefined ? null : titleOfPart(first).group
  if (first === undefined || place === null) throw new Error('A group without parts')
  return { kind: 'group', place, parts: [first, ...others] }
}

/** Numbers the waiting jobs. A group counts once. */
function ranked(items: readonly WorkItem[]): readonly WorkItem[] {
  const waiting = items.filter((item) => {
    const state = stateOf(item)
    return state === 'waiting' || state === 'sending'
  })
  const ranks = new Map(waiting.map((item, index) => [item, index + 1]))
  return items.map((item) => {
    const at = { rank: ranks.get(item) ?? 0, of: waiting.length }
    if (item.kind === 'outbox') return { ...item, ...at }
    if (item.kind !== 'group') return item
    const [first, ...others] = item.parts.map((part) => (part.kind === 'outbox' ? { ...part, ...at } : part))
    return first === undefined ? item : { ...item, parts: [first, ...others] }
  })
}

/**
 * Returns the group that its first part's record describes; undefined if the record is a single job.
 * @param open unfinished parts, which take precedence over their records
 */
export function groupOfRecords(
  parts: readonly RecordSummary[],
  open: readonly PartItem[] = [],
): GroupItem | undefined {
  const all = [...open, ...parts.map(partOf)]
  const found = all.length === 0 ? undefined : groupOf(all)
  return found?.kind === 'group' ? found : undefined
}

/** Returns the number of jobs that wait to be sent. A group counts once, and not if a part of it has been sent. */
export const countWaiting = (lists: WorkLists): number =>
  foldWork(lists).filter((item) => stateOf(item) === 'waiting').length
