/** The one list: which rows there are, in which sections, and where each stands. No pixels are drawn here. */
import type { ActiveJob, OutboxEntry, RecordSummary } from '../../shared/model/work.ts'
import { needsPerson } from '../store/work-item.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { PAGE_SIZE, type HistoryView } from '../store/history.ts'
import { dateSection, type DateSection } from '../store/dates.ts'

export type RowContent =
  | { readonly kind: 'outbox'; readonly entry: OutboxEntry; /** 1 is sent next. */ readonly rank: number }
  | { readonly kind: 'job'; readonly job: ActiveJob }
  | { readonly kind: 'record'; readonly record: RecordSummary; readonly dated: DateSection['kind'] }
  /** A part of the history that has not been read yet. */
  | { readonly kind: 'blank' }
  /** Stands for the jobs that are folded away. */
  | { readonly kind: 'fold'; readonly count: number }

export type Row = {
  readonly key: string
  readonly content: RowContent
  /** px from the top of the section. */
  readonly top: number
  readonly height: number
  /** 0-based place in the whole list. */
  readonly index: number
  /** Place in the history; null for work that is not over. */
  readonly historyIndex: number | null
}

export type SectionTitle =
  | { readonly kind: 'needsYou' | 'now' | 'waiting' }
  | { readonly kind: 'next' }
  | DateSection
  | { readonly kind: 'unknown' }

export type Section = {
  readonly key: string
  readonly title: SectionTitle
  readonly count: number
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

export const ROW_HEIGHT = { plain: 52, live: 64, fold: 28 } as const
export const HEAD_HEIGHT = 28
export const SECTION_GAP = 6
/** More than these wait at the service: the rest is folded. */
const FOLD_FROM = 4
const FOLDED_TO = 2

export type ListParts = {
  readonly jobs: readonly ActiveJob[]
  readonly outbox: readonly OutboxEntry[]
  readonly history: HistoryView
  /** While searching or filtering, only the history is shown. */
  readonly onlyHistory: boolean
  readonly unfolded: boolean
  /** ms since 1970. */
  readonly now: number
}

export const rowId = (row: Row): RecordId | null => {
  switch (row.content.kind) {
    case 'outbox':
      return row.content.entry.id
    case 'job':
      return row.content.job.id
    case 'record':
      return row.content.record.id
    case 'blank':
    case 'fold':
      return null
  }
}

export function layOut(parts: ListParts): ListLayout {
  const sections: Section[] = []
  const rows: Row[] = []
  let top = 0
  const times = new Map<string, number>()
  let open: {
    name: string
    key: string
    title: SectionTitle
    top: number
    rows: Row[]
    filled: number
  } | null = null

  const close = (): void => {
    if (open === null) return
    const height = open.filled + SECTION_GAP
    sections.push({
      key: open.key,
      title: open.title,
      count: open.rows.length,
      top: open.top,
      height,
      rows: open.rows,
    })
    top = open.top + height
    open = null
  }
  const add = (title: SectionTitle, key: string, content: RowContent, historyIndex: number | null): void => {
    const section = title.kind === 'month' || title.kind === 'day' ? `${title.kind}:${title.at}` : title.kind
    if (open?.name !== section) {
      close()
      // A page that is out of date can bring a day twice; two sections must not have one key.
      const before = times.get(section) ?? 0
      times.set(section, before + 1)
      open = {
        name: section,
        key: before === 0 ? section : `${section}:${before}`,
        title,
        top,
        rows: [],
        filled: HEAD_HEIGHT,
      }
    }
    const row: Row = {
      key,
      content,
      top: open.filled,
      height: heightOf(content),
      index: rows.length,
      historyIndex,
    }
    open.rows.push(row)
    open.filled += row.height
    rows.push(row)
  }

  if (!parts.onlyHistory) addWork(parts, add)
  addHistory(parts, add)
  close()
  return { sections, rows, height: top }
}

type Add = (title: SectionTitle, key: string, content: RowContent, historyIndex: number | null) => void

const heightOf = (content: RowContent): number => {
  if (content.kind === 'fold') return ROW_HEIGHT.fold
  return content.kind === 'job' && isLive(content.job) ? ROW_HEIGHT.live : ROW_HEIGHT.plain
}

/** It carries a bar. */
export const isLive = (job: ActiveJob): boolean =>
  job.stage.kind === 'processing' || job.stage.kind === 'cancelling'

function addWork(parts: ListParts, add: Add): void {
  const waiting = parts.outbox.filter((entry) => !needsPerson(entry))
  const queued = parts.jobs.filter((job) => job.stage.kind === 'queued')
  const shown = parts.unfolded || queued.length <= FOLD_FROM ? queued : queued.slice(0, FOLDED_TO)

  for (const entry of parts.outbox.filter(needsPerson)) {
    add({ kind: 'needsYou' }, entry.id, { kind: 'outbox', entry, rank: 0 }, null)
  }
  for (const job of parts.jobs.filter(isLive)) add({ kind: 'now' }, job.id, { kind: 'job', job }, null)
  for (const job of shown) add({ kind: 'next' }, job.id, { kind: 'job', job }, null)
  if (shown.length < queued.length) {
    add({ kind: 'next' }, 'fold', { kind: 'fold', count: queued.length - shown.length }, null)
  }
  for (const [index, entry] of waiting.entries()) {
    add({ kind: 'waiting' }, entry.id, { kind: 'outbox', entry, rank: index + 1 }, null)
  }
  for (const job of parts.jobs.filter(({ stage }) => stage.kind === 'uploading')) {
    add({ kind: 'today' }, job.id, { kind: 'job', job }, null)
  }
}

function addHistory(parts: ListParts, add: Add): void {
  const { total, pages } = parts.history
  const elsewhere = new Set<string>([...parts.jobs, ...parts.outbox].map(({ id }) => id))
  let title: SectionTitle = { kind: 'unknown' }
  for (let index = 0; index < (total ?? 0); index += 1) {
    const record = pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE]
    if (record === undefined) {
      add(title, `blank-${index}`, { kind: 'blank' }, index)
      continue
    }
    // Work that is not over has its row above, and a stale page may repeat what a fresh one holds.
    if (elsewhere.has(record.id)) continue
    elsewhere.add(record.id)
    const dated = dateSection(record.endedAt ?? record.createdAt, parts.now)
    title = dated
    add(dated, record.id, { kind: 'record', record, dated: dated.kind }, index)
  }
}

/** The rows that touch the stretch from `from` to `to`, in px from the top of the list. */
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

/** How many rows at the front fulfil the condition, which none fulfils after the first that doesn't. */
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
 * The order of one layout with the contents of a newer one: what the list shows while the pointer is over it, so that
 * nothing moves away under a click. A row that is no longer anywhere keeps its last content.
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
