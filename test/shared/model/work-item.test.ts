import { array, assert, constantFrom, double, integer, nat, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shareOf, timeLeftOf } from '../../../src/shared/model/group-progress.ts'
import { sectionsOf } from '../../../src/shared/model/group-sections.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome } from '../../../src/shared/model/outcome.ts'
import type {
  ActiveJob,
  GroupPlace,
  OutboxEntry,
  RecordSummary,
  WorkTitle,
} from '../../../src/shared/model/work.ts'
import {
  foldWork,
  groupOfRecords,
  idOf,
  stateOf,
  titleOf,
  type GroupItem,
  type WorkItem,
  type WorkLists,
} from '../../../src/shared/model/work-item.ts'

const STAGES = [
  'waiting',
  'sending',
  'refused',
  'unsure',
  'queued',
  'processing',
  'cancelling',
  'uploading',
  'ended',
] as const
type Stage = (typeof STAGES)[number]

type Part = { readonly stage: Stage; readonly files: number; readonly share: number | null }

const title = (id: string, files: number, group: GroupPlace | null): WorkTitle => ({
  id: asRecordId(id),
  name: `${id}.jpg`,
  firstPath: `/in/${id}.jpg`,
  photos: files,
  videos: 0,
  files,
  preset: `Preset ${group?.part ?? 0}`,
  variations: 1,
  output: { kind: 'folder', path: '/out' },
  driveInput: null,
  group,
  origin: 'ours',
  createdAt: 0,
})

const done = (results: number): Outcome => ({ kind: 'done', results, uploaded: null })

/** Puts each part into the list of its stage. A group's name is the ID of its first part. */
function listsOf(groups: readonly (readonly Part[])[]): WorkLists {
  const jobs: ActiveJob[] = []
  const outbox: OutboxEntry[] = []
  const endedParts: RecordSummary[] = []
  for (const [index, parts] of groups.entries()) {
    for (const [part, { stage, files, share }] of parts.entries()) {
      const place: GroupPlace = {
        id: asRecordId(`group ${index}`),
        part,
        parts: parts.length,
        photos: parts.reduce((sum, one) => sum + one.files, 0),
        videos: 0,
        presets: parts.length,
        folders: 1,
      }
      const id = part === 0 ? place.id : `group ${index} part ${part}`
      const work = title(id, files, parts.length > 1 ? place : null)
      if (stage === 'ended') {
        endedParts.push({
          ...work,
          members: null,
          replaced: null,
          outcome: done(files),
          endedAt: 1,
          unseen: false,
        })
      } else if (stage === 'waiting' || stage === 'sending' || stage === 'refused' || stage === 'unsure') {
        outbox.push({ ...work, state: STATES[stage] })
      } else {
        jobs.push({
          ...work,
          jobId: `job ${id}`,
          stage: stage === 'queued' ? { kind: 'queued', position: 2 } : { kind: stage },
          progress: {
            share,
            phase: null,
            currentFile: null,
            totalFiles: null,
            completedFiles: null,
            fileName: null,
            timeLeft: share === null ? null : 60_000,
          },
          startedAt: null,
          doneFiles: [],
          problems: [],
        })
      }
    }
  }
  return { jobs, outbox, endedParts }
}

const STATES = {
  waiting: { kind: 'waiting', because: 'turn', notBefore: null },
  sending: { kind: 'sending', upload: null },
  refused: { kind: 'refused', message: '', why: 'invalid', skipped: [] },
  unsure: { kind: 'unknown', candidates: [], checking: false },
} as const

const parts = array(
  record({
    stage: constantFrom(...STAGES),
    files: integer({ min: 1, max: 500 }),
    share: double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 6 },
)

const partIds = (item: WorkItem): readonly string[] =>
  item.kind === 'group' ? item.parts.map(idOf) : [idOf(item)]

const groupOf = (...stages: readonly (Stage | Part)[]): GroupItem => {
  const full = stages.map((stage) => (typeof stage === 'string' ? { stage, files: 10, share: 0.5 } : stage))
  const [item] = foldWork(listsOf([full]))
  if (item?.kind !== 'group') throw new Error('Not a group')
  return item
}

describe('the list of jobs', () => {
  it('has each unfinished part once, each group once, and no group without an unfinished part', () => {
    assert(
      property(array(parts, { maxLength: 8 }), (groups) => {
        const lists = listsOf(groups)
        const items = foldWork(lists)
        const open = [...lists.jobs, ...lists.outbox]
        const inOpenGroups = lists.endedParts.filter(({ group }) =>
          open.some((work) => group !== null && work.group?.id === group.id),
        )
        expect(items.flatMap(partIds).toSorted()).toEqual(
          [...open, ...inOpenGroups].map(({ id }) => id).toSorted(),
        )
        expect(new Set(items.map(idOf)).size).toBe(items.length)
      }),
    )
  })

  it('gives a group the same key wherever its parts are', () => {
    assert(
      property(parts, nat(), (all, at) => {
        const several = [...all, { stage: 'waiting', files: 3, share: 0 } as const]
        const moved = several.map((part, index) =>
          index === at % several.length ? ({ ...part, stage: 'queued' } as const) : part,
        )
        expect(foldWork(listsOf([moved])).map(idOf)).toEqual(foldWork(listsOf([several])).map(idOf))
      }),
    )
  })

  it('numbers the waiting jobs without gaps, a group as one', () => {
    assert(
      property(array(parts, { maxLength: 8 }), (groups) => {
        const items = foldWork(listsOf(groups))
        const waiting = items.filter((item) => ['waiting', 'sending'].includes(stateOf(item)))
        const ranks = waiting.map((item) => {
          const part = item.kind === 'group' ? item.parts.find(({ kind }) => kind === 'outbox') : item
          return part?.kind === 'outbox' ? [part.rank, part.of] : undefined
        })
        expect(ranks).toEqual(waiting.map((_, index) => [index + 1, waiting.length]))
      }),
    )
  })

  it('orders the parts of a group as chosen, in any order of the lists', () => {
    assert(
      property(parts, (all) => {
        const lists = listsOf([all])
        const reversed = {
          jobs: lists.jobs.toReversed(),
          outbox: lists.outbox.toReversed(),
          endedParts: lists.endedParts.toReversed(),
        }
        expect(foldWork(reversed).flatMap(partIds)).toEqual(foldWork(lists).flatMap(partIds))
      }),
    )
  })
})

describe('the state of a group', () => {
  it.each([
    [['processing', 'refused'], 'refused'],
    [['refused', 'unsure'], 'unsure'],
    [['waiting', 'queued', 'processing'], 'now'],
    [['ended', 'cancelling'], 'now'],
    [['waiting', 'queued'], 'next'],
    [['ended', 'queued'], 'next'],
    [['sending', 'waiting'], 'sending'],
    [['ended', 'waiting'], 'waiting'],
    [['ended', 'uploading'], 'uploading'],
  ] as const)('%j is %s', (stages, state) => {
    expect(stateOf(groupOf(...stages))).toBe(state)
  })

  it('stays “now” between two parts, so that its row does not jump', () => {
    const group = groupOf('ended', 'queued')
    const [first, second] = group.parts
    if (second?.kind !== 'job') throw new Error('Not a job')
    const next = { ...second, job: { ...second.job, stage: { kind: 'queued', position: 1 } as const } }
    expect(stateOf({ ...group, parts: [first, next] })).toBe('now')
    expect(stateOf({ ...group, parts: [next, next] })).toBe('next')
  })

  it('has the counts of the whole group, and a preset only if all parts have it', () => {
    const group = groupOf('processing', 'waiting')
    expect(titleOf(group)).toMatchObject({ id: 'group 0', files: 20, photos: 20, preset: null })
    const one = { ...group, parts: group.parts.map(onePreset) } as unknown as GroupItem
    expect(titleOf(one).preset).toBe('Preset 0')
  })
})

const onePreset = (part: GroupItem['parts'][number]) =>
  part.kind === 'job' && part.job.group !== null
    ? { ...part, job: { ...part.job, group: { ...part.job.group, presets: 1 } } }
    : part

describe('the progress of a group', () => {
  it('is between 0 and 1, and never goes backward while its parts advance', () => {
    const ORDER: readonly Stage[] = ['waiting', 'sending', 'queued', 'processing', 'uploading', 'ended']
    const sizes = array(integer({ min: 1, max: 500 }), { minLength: 2, maxLength: 5 })
    const steps = array(record({ part: nat(4), share: double({ min: 0, max: 1, noNaN: true }) }), {
      maxLength: 40,
    })
    assert(
      property(sizes, steps, (files, moves) => {
        let before = 0
        const state: Part[] = files.map((count) => ({ stage: 'waiting', files: count, share: 0 }))
        for (const { part, share } of moves) {
          const at = part % state.length
          const now = state[at]
          if (now === undefined) continue
          const isRunning = now.stage === 'processing' && (now.share ?? 0) < share
          const stage = isRunning ? now.stage : (ORDER[ORDER.indexOf(now.stage) + 1] ?? 'ended')
          state[at] = { ...now, stage, share: isRunning ? share : now.stage === 'queued' ? 0 : now.share }
          const [item] = foldWork(listsOf([state]))
          if (item?.kind !== 'group') return
          const total = shareOf(item) ?? 0
          expect(total).toBeGreaterThanOrEqual(before - 1e-9)
          expect(total).toBeLessThanOrEqual(1)
          before = total
        }
      }),
    )
  })

  it('counts a waiting part as 0 and weights parts by their results', () => {
    const running = { stage: 'processing', files: 24, share: 0.29 } as const
    expect(shareOf(groupOf(running, { stage: 'queued', files: 24, share: null }))).toBeCloseTo(0.145)
    expect(shareOf(groupOf({ ...running, share: 0.5 }, { stage: 'waiting', files: 72, share: null }))).toBe(
      0.125,
    )
    expect(shareOf(groupOf('ended', { stage: 'processing', files: 10, share: null }))).toBe(0.5)
  })

  it('is unknown while nothing is known', () => {
    expect(shareOf(groupOf({ stage: 'processing', files: 4, share: null }, 'waiting'))).toBeNull()
  })

  it('counts a part that is in no list yet', () => {
    const group = groupOf('ended', 'processing')
    expect(shareOf({ ...group, place: { ...group.place, parts: 3 } })).toBe(0.5)
  })

  it('extrapolates the remaining time to the parts that follow', () => {
    expect(timeLeftOf(groupOf('processing', 'waiting'))).toBe(180_000)
    expect(timeLeftOf(groupOf('processing', 'ended'))).toBe(60_000)
    expect(timeLeftOf(groupOf('processing', 'refused'))).toBe(60_000)
    expect(timeLeftOf(groupOf('queued', 'waiting'))).toBeNull()
  })

  it('does not guess the time of videos from photos', () => {
    const group = groupOf('processing', 'queued')
    const [first, second] = group.parts
    if (second?.kind !== 'job') throw new Error('Not a job')
    const video = { ...second, job: { ...second.job, photos: 0, videos: 10 } }
    expect(timeLeftOf({ ...group, parts: [first, video] })).toBeNull()
  })
})

const sections = (place: Partial<GroupPlace>, preset: (part: number) => string) => {
  const group = groupOf('ended', 'processing', 'waiting')
  const parts = listsOf([
    [
      { stage: 'ended', files: 1, share: 0 },
      { stage: 'ended', files: 1, share: 0 },
      { stage: 'ended', files: 1, share: 0 },
    ],
  ]).endedParts.map((part, index) => ({
    ...part,
    preset: preset(index),
    output: { kind: 'folder', path: `/out/${index % 2}` } as const,
    group: { ...group.place, part: index, ...place },
  }))
  const found = groupOfRecords(parts)
  return found === undefined ? [] : sectionsOf(found).map(({ by, parts: own }) => [by, own.map(idOf)])
}

describe('the sections of a group', () => {
  const ids = ['group 0', 'group 0 part 1', 'group 0 part 2']

  it('are one for each preset, otherwise one for each folder, otherwise one for each part', () => {
    expect(sections({ presets: 2 }, (part) => (part === 1 ? 'Mail' : 'Web'))).toEqual([
      ['preset', [ids[0], ids[2]]],
      ['preset', [ids[1]]],
    ])
    expect(sections({ presets: 1, folders: 2 }, () => 'Web')).toEqual([
      ['folder', [ids[0], ids[2]]],
      ['folder', [ids[1]]],
    ])
    expect(sections({ presets: 1, folders: 1 }, () => 'Web')).toEqual(ids.map((id) => ['part', [id]]))
  })
})
