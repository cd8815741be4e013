import { array, assert, constantFrom, double, integer, nat, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shareOf, timeLeftOf } from '../../../src/shared/model/job-progress.ts'
import { sectionsOf } from '../../../src/shared/model/job-sections.ts'
import type { Job, Outcome, Part, PartAt, PartTitle } from '../../../src/shared/model/job.ts'
import { idOf, jobOf, stateOf, titleOf, unfinishedJobs } from '../../../src/shared/model/job-state.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { entry, running, title } from '../../part-samples.ts'

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

type Lists = Pick<AppState, 'jobs' | 'outbox' | 'endedParts'>

type Sample = { readonly stage: Stage; readonly files: number; readonly share: number | null }

const titleAt = (id: string, files: number, place: PartTitle['place']): PartTitle => ({
  ...title(`${id}.jpg`, files),
  id: asRecordId(id),
  preset: `Preset ${place.part}`,
  place,
})

const done = (results: number): Outcome => ({ kind: 'done', results, uploaded: null })

/** Puts each part into the list of its stage. A job's ID is that of its first part. */
function listsOf(all: readonly (readonly Sample[])[]): Lists {
  const jobs: PartAt<'service'>[] = []
  const outbox: PartAt<'outbox'>[] = []
  const endedParts: PartAt<'history'>[] = []
  for (const [index, parts] of all.entries()) {
    for (const [part, { stage, files, share }] of parts.entries()) {
      const place: PartTitle['place'] = {
        id: asRecordId(`job ${index}`),
        part,
        parts: parts.length,
        photos: parts.reduce((sum, one) => sum + one.files, 0),
        videos: 0,
        presets: parts.length,
        folders: 1,
      }
      const id = part === 0 ? place.id : `job ${index} part ${part}`
      const work = titleAt(id, files, place)
      if (stage === 'ended') {
        const ended = { outcome: done(files), endedAt: 1, unseen: false, replaced: null }
        endedParts.push({ ...work, at: 'history', ...ended })
      } else if (stage === 'waiting' || stage === 'sending' || stage === 'refused' || stage === 'unsure') {
        outbox.push(entry(work, STATES[stage]))
      } else {
        jobs.push({
          ...running(work, share, share === null ? null : 60_000),
          stage: stage === 'queued' ? { kind: 'queued', position: 2 } : { kind: stage },
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

const partIds = ({ parts: own }: Job): readonly string[] => own.map(({ id }) => id)

const jobIn = (...stages: readonly (Stage | Sample)[]): Job => {
  const full = stages.map((stage) => (typeof stage === 'string' ? { stage, files: 10, share: 0.5 } : stage))
  const [item] = unfinishedJobs(listsOf([full]))
  if (item === undefined) throw new Error('Not a job')
  return item
}

describe('the list of jobs', () => {
  it('has each unfinished part once, each job once, and none without an unfinished part', () => {
    assert(
      property(array(parts, { maxLength: 8 }), (jobs) => {
        const lists = listsOf(jobs)
        const items = unfinishedJobs(lists)
        const open = [...lists.jobs, ...lists.outbox]
        const inOpenJobs = lists.endedParts.filter(({ place }) =>
          open.some((part) => part.place.id === place.id),
        )
        expect(items.flatMap(partIds).toSorted()).toEqual(
          [...open, ...inOpenJobs].map(({ id }) => id).toSorted(),
        )
        expect(new Set(items.map(idOf)).size).toBe(items.length)
      }),
    )
  })

  it('gives a job the same key wherever its parts are', () => {
    assert(
      property(parts, nat(), (all, at) => {
        const several = [...all, { stage: 'waiting', files: 3, share: 0 } as const]
        const moved = several.map((part, index) =>
          index === at % several.length ? ({ ...part, stage: 'queued' } as const) : part,
        )
        expect(unfinishedJobs(listsOf([moved])).map(idOf)).toEqual(
          unfinishedJobs(listsOf([several])).map(idOf),
        )
      }),
    )
  })

  it('numbers the waiting jobs without gaps', () => {
    assert(
      property(array(parts, { maxLength: 8 }), (jobs) => {
        const items = unfinishedJobs(listsOf(jobs))
        const waiting = items.filter((item) => ['next', 'waiting', 'sending'].includes(stateOf(item)))
        expect(waiting.map(({ turn }) => [turn?.place, turn?.of])).toEqual(
          waiting.map((_, index) => [index + 1, waiting.length]),
        )
        expect(items.every((item) => item.turn === null || waiting.includes(item))).toBe(true)
      }),
    )
  })

  it('numbers the jobs of each service, and runs the first that waits only for its turn next', () => {
    const { outbox } = listsOf(Array.from({ length: 5 }, () => [{ stage: 'waiting', files: 1, share: 0 }]))
    const reasons = ['editing', 'turn', 'turn', 'offline', 'queueFull'] as const
    const mixed = outbox.map((part, index) => ({
      ...part,
      state: { kind: 'waiting', because: reasons[index] ?? 'turn', notBefore: null } as const,
      ...(index < 3 ? {} : { service: 'http://127.0.0.1:3847/api' }),
    }))
    expect(unfinishedJobs({ jobs: [], outbox: mixed, endedParts: [] }).map(({ turn }) => turn)).toEqual([
      { place: 1, of: 3, isNext: false },
      { place: 2, of: 3, isNext: true },
      { place: 3, of: 3, isNext: false },
      { place: 1, of: 2, isNext: false },
      { place: 2, of: 2, isNext: true },
    ])
  })

  it('orders the parts of a job as chosen, in any order of the lists', () => {
    assert(
      property(parts, (all) => {
        const lists = listsOf([all])
        const reversed = {
          jobs: lists.jobs.toReversed(),
          outbox: lists.outbox.toReversed(),
          endedParts: lists.endedParts.toReversed(),
        }
        expect(unfinishedJobs(reversed).flatMap(partIds)).toEqual(unfinishedJobs(lists).flatMap(partIds))
      }),
    )
  })
})

describe('the state of a job', () => {
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
    expect(stateOf(jobIn(...stages))).toBe(state)
  })

  it('stays “now” between two parts, so that its row does not jump', () => {
    const [first, second] = jobIn('ended', 'queued').parts
    if (second?.at !== 'service') throw new Error('Not at the service')
    const next = { ...second, stage: { kind: 'queued', position: 1 } as const }
    expect(stateOf({ parts: [first, next] })).toBe('now')
    expect(stateOf({ parts: [next, next] })).toBe('next')
  })

  it('has the counts of all parts, and a preset only if all parts have it', () => {
    const job = jobIn('processing', 'waiting')
    expect(titleOf(job)).toMatchObject({ id: 'job 0', files: 20, photos: 20, preset: null })
    expect(titleOf(withPlace(job, { presets: 1 })).preset).toBe('Preset 0')
  })
})

function withPlace(job: Job, more: Partial<PartTitle['place']>): Job {
  const [first, ...others] = job.parts.map((part): Part => ({ ...part, place: { ...part.place, ...more } }))
  return first === undefined ? job : jobOf([first, ...others])
}

describe('the progress of a job', () => {
  it('is between 0 and 1, and never goes backward while its parts advance', () => {
    const ORDER: readonly Stage[] = ['waiting', 'sending', 'queued', 'processing', 'uploading', 'ended']
    const sizes = array(integer({ min: 1, max: 500 }), { minLength: 2, maxLength: 5 })
    const steps = array(record({ part: nat(4), share: double({ min: 0, max: 1, noNaN: true }) }), {
      maxLength: 40,
    })
    assert(
      property(sizes, steps, (files, moves) => {
        let before = 0
        const state: Sample[] = files.map((count) => ({ stage: 'waiting', files: count, share: 0 }))
        for (const { part, share } of moves) {
          const at = part % state.length
          const now = state[at]
          if (now === undefined) continue
          const isRunning = now.stage === 'processing' && (now.share ?? 0) < share
          const stage = isRunning ? now.stage : (ORDER[ORDER.indexOf(now.stage) + 1] ?? 'ended')
          state[at] = { ...now, stage, share: isRunning ? share : now.stage === 'queued' ? 0 : now.share }
          const [item] = unfinishedJobs(listsOf([state]))
          if (item === undefined) return
          const total = shareOf(item) ?? 0
          expect(total).toBeGreaterThanOrEqual(before - 1e-9)
          expect(total).toBeLessThanOrEqual(1)
          before = total
        }
      }),
    )
  })

  it('counts a waiting part as 0 and weights parts by their results', () => {
    const first = { stage: 'processing', files: 24, share: 0.29 } as const
    expect(shareOf(jobIn(first, { stage: 'queued', files: 24, share: null }))).toBeCloseTo(0.145)
    expect(shareOf(jobIn({ ...first, share: 0.5 }, { stage: 'waiting', files: 72, share: null }))).toBe(0.125)
    expect(shareOf(jobIn('ended', { stage: 'processing', files: 10, share: null }))).toBe(0.5)
  })

  it('is unknown while nothing is known', () => {
    expect(shareOf(jobIn({ stage: 'processing', files: 4, share: null }, 'waiting'))).toBeNull()
  })

  it('counts a part that is in no list yet', () => {
    expect(shareOf(withPlace(jobIn('ended', 'processing'), { parts: 3 }))).toBe(0.5)
  })

  it('counts a video like many photos', () => {
    const [first, second] = jobIn('processing', 'ended').parts
    if (second === undefined) throw new Error('Not a part')
    const [photos, video] = [60, 1]
    const job = jobOf([
      { ...first, files: video, photos: 0, videos: video },
      { ...second, files: photos, photos, videos: 0 },
    ])
    expect(shareOf(job)).toBeLessThan(0.9)
  })

  it('extrapolates the remaining time to the parts that follow', () => {
    expect(timeLeftOf(jobIn('processing', 'waiting'))).toBe(180_000)
    expect(timeLeftOf(jobIn('processing', 'ended'))).toBe(60_000)
    expect(timeLeftOf(jobIn('processing', 'refused'))).toBe(60_000)
    expect(timeLeftOf(jobIn('queued', 'waiting'))).toBeNull()
  })

  it('does not guess the time of videos from photos', () => {
    const [first, second] = jobIn('processing', 'queued').parts
    if (second === undefined) throw new Error('Not a part')
    expect(timeLeftOf(jobOf([first, { ...second, photos: 0, videos: 10 }]))).toBeNull()
  })
})

function sections(place: Partial<PartTitle['place']>, preset: (part: number) => string) {
  const [first, ...others] = jobIn('ended', 'processing', 'waiting').parts.map((part, index) => ({
    ...part,
    preset: preset(index),
    output: { kind: 'folder', path: `/out/${index % 2}` } as const,
    place: { ...part.place, ...place },
  }))
  return first === undefined
    ? []
    : sectionsOf({ parts: [first, ...others] }).map(({ by, parts: own }) => [by, own.map(({ id }) => id)])
}

describe('the sections of a job', () => {
  const ids = ['job 0', 'job 0 part 1', 'job 0 part 2']

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
