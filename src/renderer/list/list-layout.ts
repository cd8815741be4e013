/** Lays out the list: its sections, its rows and their positions. Rendering is done elsewhere. */
import type { Job } from '../../shared/model/job.ts'
import { idOf, jobOf, stateOf, type JobState } from '../../shared/model/job-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { PAGE_SIZE, type HistoryView } from '../store/history.ts'
import { dateSection, type DateSection } from '../store/dates.ts'

export type RowContent =
  /** `dated` is the section of an ended job; null for unfinished jobs. */
  | { readonly kind: 'job'; readonly job: Job; readonly dated: DateSection['kind'] | null }
  /** A record that hasn't been loaded yet. */
  | { readonly kind: 'blank' }

export type Row = {
  readonly key: string
  readonly content: RowContent
  /** px from the top of the section. */
  readonly top: number
  readonly height: number
  /** 0-based index in the whole list. */
  readonly index: number
  /** Index in the history; null for unfinished jobs. */
  readonly historyIndex: number | null
}

export type SectionTitle = { readonly kind: 'needsYou' | 'now' | 'waiting' | 'unknown' } | DateSection

export type Section = {
  readonly key: string
  readonly title: SectionTitle
  readonly count: number
  /** Whether all rows of the section have been loaded. If not, missing rows may belong to later sections. */
  readonly isLoaded: boolean
  /** px from the top of the list. */
  readonly top: number
  readonly height: number
  readonly rows: readonly Row[]
}

export type ListLayout = {
  readonly sections: readonly Section[]
  readonly rows: readonly Row[]
  readonly height: number
}

export const ROW_HEIGHT = { plain: 52, live: 64 } as const
export const HEAD_HEIGHT = 28
export const SECTION_GAP = 6

export type ListContent = {
  /** The unfinished jobs. */
  readonly jobs: readonly Job[]
  readonly history: HistoryView
  /** While searching or filtering, only the history is shown. */
  readonly onlyHistory: boolean
  /** Space above the first section, px. */
  readonly lead: number
  /** ms since 1970. */
  readonly now: number
}

export const rowId = ({ content }: Row): RecordId | null =>
  content.kind === 'job' ? idOf(content.job) : null

export function layOut(of: ListContent): ListLayout {
  const sections: (Section & {
    name: string
    count: number
    isLoaded: boolean
    height: number
    rows: Row[]
  })[] = []
  const rows: Row[] = []
  const times = new Map<string, number>()
  const bottom = (): number => {
    const last = sections.at(-1)
    return last === undefined ? of.lead : last.top + last.height
  }
  const add: Add = (title, key, content, historyIndex) => {
    const name = title.kind === 'month' || title.kind === 'day' ? `${title.kind}:${title.at}` : title.kind
    let section = sections.at(-1)
    if (section?.name !== name) {
      // A stale page can contain the same day again. Section keys must be unique.
      const before = times.get(name) ?? 0
      times.set(name, before + 1)
      section = {
        name,
        key: before === 0 ? name : `${name}:${before}`,
        title,
        count: 0,
        isLoaded: true,
        top: bottom(),
        height: HEAD_HEIGHT + SECTION_GAP,
        rows: [],
      }
      sections.push(section)
    }
    const top = section.height - SECTION_GAP
    const row = { key, content, top, height: heightOf(content), index: rows.length, historyIndex }
    section.rows.push(row)
    section.count += 1
    section.isLoaded &&= content.kind !== 'blank'
    section.height += row.height
    rows.push(row)
  }

  if (!of.onlyHistory) addUnfinished(of, add)
  addHistory(of, add)
  return { sections, rows, height: bottom() }
}

type Add = (title: SectionTitle, key: string, content: RowContent, historyIndex: number | null) => void

const heightOf = (content: RowContent): number => (isLive(content) ? ROW_HEIGHT.live : ROW_HEIGHT.plain)

/** Whether the row shows a progress bar. */
export const isLive = (content: RowContent): boolean =>
  content.kind === 'job' && content.dated === null && stateOf(content.job) === 'now'

/** The sections of unfinished jobs, from the top. Ended jobs are in the history. */
const SECTIONS = ['needsYou', 'now', 'waiting', 'today'] as const
const SECTION_OF: Partial<Readonly<Record<JobState, (typeof SECTIONS)[number]>>> = {
  refused: 'needsYou',
  unsure: 'needsYou',
  now: 'now',
  next: 'waiting',
  waiting: 'waiting',
  sending: 'waiting',
  uploading: 'today',
}

function addUnfinished({ jobs }: ListContent, add: Add): void {
  const bySection = Map.groupBy(jobs, (job) => SECTION_OF[stateOf(job)])
  for (const kind of SECTIONS) {
    for (const job of bySection.get(kind) ?? [])
      add({ kind }, idOf(job), { kind: 'job', job, dated: null }, null)
  }
}

function addHistory({ jobs, history: { total, pages }, now }: ListContent, add: Add): void {
  const elsewhere = new Set<string>(jobs.map(idOf))
  let title: SectionTitle = { kind: 'unknown' }
  for (let index = 0; index < (total ?? 0); index += 1) {
    const record = pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE]
    if (record === undefined) {
      add(title, `blank-${index}`, { kind: 'blank' }, index)
      continue
    }
    const { id } = record.place
    // Unfinished jobs already have a row above, and a stale page may repeat a record of a fresh page.
    if (elsewhere.has(id)) continue
    elsewhere.add(id)
    const dated = dateSection(record.endedAt ?? record.createdAt, now)
    title = dated
    add(dated, id, { kind: 'job', job: jobOf([record]), dated: dated.kind }, index)
  }
}

/** Returns the sections between `from` and `to`, in px from the top of the list, with only the rows that are between them. */
export function rowsBetween(layout: ListLayout, from: number, to: number): readonly Section[] {
  return layout.sections
    .filter((section) => section.top < to && section.top + section.height > from)
    .map((section) => ({
      ...section,
      rows: section.rows.slice(
        firstEndingAfter(section.rows, from - section.top),
        firstStartingFrom(section.rows, to - section.top),
      ),
    }))
}

const firstEndingAfter = (rows: readonly Row[], at: number): number =>
  partition(rows, (row) => row.top + row.height <= at)

const firstStartingFrom = (rows: readonly Row[], at: number): number => partition(rows, (row) => row.top < at)

/** Binary search: returns the number of leading rows that satisfy the condition. */
function partition(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row !== undefined && holds(row)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Combines the order of one layout with the contents of a newer one.
 * The list uses this while the pointer is over it, so that rows don't move under a click. A row that no longer exists keeps its
 * last content.
 */
export function withContents(order: ListLayout, latest: ListLayout): ListLayout {
  if (order === latest) return order
  const contents = new Map(latest.rows.map((row) => [row.key, row.content]))
  const renew = (row: Row): Row => {
    const content = contents.get(row.key)
    return content === undefined || content === row.content ? row : { ...row, content }
  }
  const sections = order.sections.map((section) => ({ ...section, rows: section.rows.map(renew) }))
  return { sections, rows: sections.flatMap(({ rows }) => rows), height: order.height }
}
