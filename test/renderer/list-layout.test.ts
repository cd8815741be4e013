import { array, assert, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AppState } from '../../src/shared/model/app-state.ts'
import type { PartAt } from '../../src/shared/model/job.ts'
import { unfinishedJobs } from '../../src/shared/model/job-state.ts'
import { dateSection } from '../../src/renderer/store/dates.ts'
import {
  withContents,
  layOut,
  rowId,
  rowsBetween,
  type ListContent,
} from '../../src/renderer/list/list-layout.ts'
import { PAGE_SIZE } from '../../src/renderer/store/history.ts'
import { fixture, NOW, standard, withId } from './harness/fixtures.ts'
import { DAY_MS } from '../../src/shared/durations.ts'

const recordAt = (index: number, endedAt: number): PartAt<'history'> => {
  const [first] = standard.records
  if (first === undefined) throw new Error('The fixture has no record')
  return { ...withId(first, `record-${index}`), endedAt }
}

const pagesOf = (records: readonly PartAt<'history'>[]): ReadonlyMap<number, readonly PartAt<'history'>[]> =>
  new Map(
    Array.from({ length: Math.ceil(records.length / PAGE_SIZE) }, (_, page) => [
      page,
      records.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
    ]),
  )

type Others = Partial<Omit<ListContent, 'jobs'> & Pick<AppState, 'jobs' | 'outbox' | 'endedParts'>>

const content = (
  records: readonly PartAt<'history'>[],
  { jobs = [], outbox = [], endedParts = [], ...others }: Others = {},
): ListContent => ({
  jobs: unfinishedJobs({ jobs, outbox, endedParts }),
  history: { total: records.length, hasMore: false, pages: pagesOf(records), query: {}, version: 1 },
  onlyHistory: false,
  lead: 0,
  now: NOW,
  ...others,
})

const titles = (of: ListContent): readonly string[] => layOut(of).sections.map(({ title }) => title.kind)

describe('the combined list', () => {
  it('starts with items that need the user, followed by queue, outbox and history', () => {
    const { state } = fixture('queue-full').script
    const { outbox } = fixture('unsure').script.state
    const unsure = outbox.map((part) => withId(part, `unsure ${part.id}`))
    expect(
      titles(content(standard.records, { jobs: state.jobs, outbox: [...state.outbox, ...unsure] })),
    ).toEqual(['needsYou', 'now', 'waiting', 'today', 'yesterday', 'day'])
  })

  it('has one section for the jobs at the service and in the outbox, in the order in which they run', () => {
    const { jobs, outbox } = fixture('queue-full').script.state
    const { sections } = layOut(content([], { jobs, outbox }))
    const waiting = sections.find(({ title }) => title.kind === 'waiting')
    expect(waiting?.count).toBe(13)
    expect(waiting?.rows.map(rowId)).toEqual([...jobs.slice(1), ...outbox].map(({ id }) => id))
  })

  it('shows only the history while searching', () => {
    const { jobs } = fixture('busy').script.state
    expect(titles(content(standard.records, { jobs, onlyHistory: true }))).toEqual([
      'today',
      'yesterday',
      'day',
    ])
  })

  it('does not show a job twice if its record is already in the history', () => {
    const { jobs } = fixture('busy').script.state
    const [job] = jobs
    const record = withId(recordAt(0, NOW), String(job?.id))
    const { rows } = layOut(content([record], { jobs }))
    expect(rows.filter(({ key }) => key === job?.id)).toHaveLength(1)
  })

  it('reserves space for records that have not been loaded', () => {
    const records = Array.from({ length: PAGE_SIZE }, (_, index) => recordAt(index, NOW - index * 60_000))
    const { rows } = layOut(
      content(records, {
        history: { total: 10_000, hasMore: true, pages: new Map([[0, records]]), query: {}, version: 1 },
      }),
    )
    expect(rows).toHaveLength(10_000)
    expect(rows.at(-1)?.content.kind).toBe('blank')
  })

  it('has neither gaps nor overlaps, and one key for each row and section', () => {
    const age = integer({ min: 0, max: 400 * DAY_MS })
    assert(
      property(array(age, { maxLength: 300 }), (ages) => {
        const records = ages.map((old, index) => recordAt(index, NOW - old))
        const layout = layOut(content(records))
        let bottom = 0
        for (const section of layout.sections) {
          expect(section.top).toBe(bottom)
          bottom += section.height
          for (const [index, row] of section.rows.entries()) {
            const before = section.rows[index - 1]
            if (before) expect(row.top).toBe(before.top + before.height)
          }
        }
        expect(layout.height).toBe(bottom)
        expect(new Set(layout.rows.map(({ key }) => key)).size).toBe(records.length)
        expect(new Set(layout.sections.map(({ key }) => key)).size).toBe(layout.sections.length)
      }),
    )
  })

  it('finds exactly the rows that intersect a range', () => {
    const records = Array.from({ length: 500 }, (_, index) => recordAt(index, NOW - index * 3_600_000))
    const layout = layOut(content(records))
    const place = integer({ min: -100, max: layout.height + 100 })
    assert(
      property(place, integer({ min: 1, max: 2_000 }), (from, length) => {
        const to = from + length
        const found = rowsBetween(layout, from, to).flatMap(({ rows }) => rows.map(({ key }) => key))
        const expected = layout.sections.flatMap((section) =>
          section.rows
            .filter((row) => section.top + row.top < to && section.top + row.top + row.height > from)
            .map(({ key }) => key),
        )
        expect(found).toEqual(expected)
      }),
    )
  })

  it('keeps the order under the pointer and updates the rows’ content', () => {
    const { jobs } = fixture('busy').script.state
    const before = layOut(content(standard.records, { jobs }))
    const progressed = jobs.map((job) => ({ ...job, progress: { ...job.progress, share: 0.9 } }))
    const after = layOut(content(standard.records, { jobs: progressed.toReversed() }))
    const held = withContents(before, after)
    expect(held.rows.map(({ key }) => key)).toEqual(before.rows.map(({ key }) => key))
    const [first] = held.rows
    expect(first?.content).toMatchObject({ job: { parts: [{ progress: { share: 0.9 } }] } })
  })
})

describe('the sections of the history', () => {
  it.each([
    [0, 'today'],
    [-3_600_000, 'today'],
    [DAY_MS, 'yesterday'],
    [3 * DAY_MS, 'day'],
    [6 * DAY_MS, 'day'],
    [7 * DAY_MS, 'month'],
    [300 * DAY_MS, 'month'],
  ] as const)('%i ms ago is %s', (ago, kind) => {
    expect(dateSection(NOW - ago, NOW).kind).toBe(kind)
  })

  it('count calendar days, not spans of 24 hours', () => {
    const justAfterMidnight = new Date(2026, 10, 20, 0, 5).getTime()
    expect(dateSection(justAfterMidnight - 600_000, justAfterMidnight).kind).toBe('yesterday')
  })
})
