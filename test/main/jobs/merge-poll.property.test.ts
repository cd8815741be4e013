import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import { type JobEvent, type JobPhase, type Poll, type TrackerState } from '../../../src/main/jobs/index.ts'
import { emptyState, follow, mergePoll, missingFrom } from '../../../src/main/jobs/merge-poll.ts'
import type { DriveUploadResult, ServiceJob } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { aJob, aTitle } from './simulated-service.ts'
import { isLongSuite } from '../../faults/long-suite.ts'

const PHASES: readonly JobPhase[] = ['queued', 'processing', 'uploading', 'ended']
const IDS = ['a', 'b', 'c', 'd']

const number = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 50, 100, 101, -1, 1e9),
  fc.double({ min: -2, max: 120, noNaN: true }),
  fc.integer({ min: 0, max: 30 }),
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const uploaded: DriveUploadResult = { uploaded: 1, errors: [] }

/** Any response that the schema accepts, even if it makes no sense. */
const job: fc.Arbitrary<ServiceJob> = fc
  .record({
    jobId: fc.constantFrom(...IDS),
    status: fc.constantFrom('queued', 'processing', 'completed', 'failed', 'cancelled'),
    type: fc.constantFrom('single', 'batch', 'else'),
    preset: fc.constantFrom('Web', ''),
    createdAt: fc.constantFrom('2026-11-17T08:00:00Z', '2026-11-17T09:00:00Z', 'yesterday', '1789000000'),
    startedAt: fc.constantFrom(null, '2026-11-17T08:00:01Z', 'later', ''),
    completedAt: fc.constant(null),
    progress: fc.record({
      phase: maybe(fc.string({ maxLength: 80 })),
      phaseProgress: maybe(number),
      totalProgress: maybe(number),
      currentFile: maybe(fc.integer({ min: -2, max: 9 })),
      totalFiles: maybe(fc.constantFrom(null, 0, 1, 4, 8)),
      completedFiles: maybe(fc.integer({ min: -2, max: 9 })),
      fileName: maybe(fc.constantFrom('', '/in/x.jpg', 'C:\\in\\y.mov')),
    }),
    results: maybe(fc.array(fc.record({ file: fc.string(), outputPath: fc.string() }), { maxLength: 2 })),
    errors: maybe(fc.array(fc.record({ file: fc.string(), error: fc.string() }), { maxLength: 2 })),
    drive: maybe(
      fc.record({
        outputFolderId: maybe(fc.constantFrom(null, 'folder')),
        uploadError: maybe(fc.constantFrom(null, 'quota')),
        uploadResult: maybe(fc.constantFrom(null, uploaded)),
      }),
    ),
  })
  .map((fields) => aJob(fields.jobId, fields))

type Step =
  | {
      readonly kind: 'read'
      readonly jobs: ServiceJob[]
      readonly single: ServiceJob | 'gone' | undefined
      readonly passed: number
      readonly jumped: number
    }
  | { readonly kind: 'follow'; readonly jobId: string; readonly drive: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      jobs: fc.array(job, { maxLength: 6 }),
      /** The response for a job that the list doesn't contain. Undefined if the request fails. */
      single: maybe(fc.oneof(fc.constant('gone' as const), job)),
      passed: fc.integer({ min: 0, max: 100_000 }),
      jumped: fc.integer({ min: -10_000_000, max: 10_000_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      jobId: fc.constantFrom(...IDS),
      drive: fc.boolean(),
    }),
  },
)

/** Plays the steps and passes every state, with its events, to the check. */
function play(
  steps: readonly Step[],
  check: (state: TrackerState, events: readonly JobEvent[]) => void,
): void {
  let state = emptyState
  let ids = 0
  let monotonic = 0
  let wall = Date.UTC(2026, 10, 17, 8)
  const options = { newId: () => asRecordId(`other-${++ids}`), mayBeOurs: () => false }
  for (const one of steps) {
    if (one.kind === 'follow') {
      const title = aTitle(`ours-${++ids}`, one.drive ? { output: { kind: 'drive', folderId: 'f' } } : {})
      const followed = follow(state, { title, jobId: one.jobId })
      state = followed.state
      check(state, followed.events)
      continue
    }
    monotonic += one.passed
    wall += one.passed + one.jumped
    const list = { jobs: one.jobs, queueLength: 0, processing: false }
    const fetched = new Map<string, ServiceJob | 'gone'>()
    for (const jobId of missingFrom(state, list)) {
      if (one.single === 'gone') fetched.set(jobId, 'gone')
      else if (one.single) fetched.set(jobId, { ...one.single, jobId })
    }
    const reading: Poll = { list, fetched }
    const now = { wall, monotonic }
    const merged = mergePoll(state, reading, now, options)
    check(merged.state, merged.events)
    state = merged.state
  }
}

const always = (check: (steps: readonly Step[]) => void) =>
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), check), {
    numRuns: isLongSuite ? 500 : 100,
    seed: 1847,
  })

function insist(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

describe('for any responses, in any order', () => {
  it('progress is within 0..1 and never decreases', () => {
    always((steps) => {
      const highest = new Map<string, number>()
      play(steps, (state) => {
        for (const { id, progress } of state.shown) {
          if (progress.share === null) continue
          insist(progress.share >= 0 && progress.share <= 1, `share ${progress.share}`)
          insist(
            progress.share >= (highest.get(id) ?? 0),
            `fell to ${progress.share} from ${highest.get(id)}`,
          )
          highest.set(id, progress.share)
        }
      })
    })
  })

  it('a job’s state only moves forward, and each job ends once, with one outcome', () => {
    always((steps) => {
      const phases = new Map<string, JobPhase | null>()
      play(steps, (_, events) => {
        for (const event of events) {
          if (event.kind === 'adopted') {
            insist(!phases.has(event.id), 'adopted twice')
            phases.set(event.id, phases.get(event.foreignId) ?? null)
            phases.delete(event.foreignId)
            continue
          }
          const before = phases.get(event.id) ?? null
          insist(before !== 'ended', `${event.id} moves after it was over`)
          insist(event.from === before, `${event.id} comes from ${event.from}, was ${before}`)
          insist(
            PHASES.indexOf(event.to) > (before === null ? -1 : PHASES.indexOf(before)),
            `${event.id}: ${before} → ${event.to}`,
          )
          insist(
            (event.outcome !== null) === (event.to === 'ended'),
            `${event.to} with ${event.outcome?.kind}`,
          )
          phases.set(event.id, event.to)
        }
      })
    })
  })

  it('every listed job remains listed until it ends, and has one outcome if the service disappears', () => {
    always((steps) => {
      const shown = new Set<string>()
      const over: string[] = []
      const goneForGood: Step = { kind: 'read', jobs: [], single: 'gone', passed: 2_000, jumped: 0 }
      play([...steps, goneForGood], (state, events) => {
        for (const event of events) {
          if (event.kind === 'adopted') shown.delete(event.foreignId)
          else if (event.outcome) over.push(event.id)
        }
        for (const { id } of state.shown) shown.add(id)
        const now = new Set<string>(state.shown.map(({ id }) => id))
        insist(now.size === state.shown.length, 'an id is shown twice')
        for (const id of shown) insist(now.has(id) !== over.includes(id), `${id} is lost or doubled`)
      })
      insist(new Set(over).size === over.length, 'two outcomes')
      for (const id of shown) insist(over.includes(id), `${id} has no outcome`)
    })
  })

  it('a repeated reading changes nothing', () => {
    always((steps) => {
      const still = steps.map((one): Step => (one.kind === 'read' ? { ...one, single: undefined } : one))
      const twice = still.flatMap((one): Step[] =>
        one.kind === 'read' ? [one, { ...one, passed: 0, jumped: 0 }] : [one],
      )
      let before: TrackerState | undefined
      let index = 0
      play(twice, (state, events) => {
        const [last, now] = [twice[index - 1], twice[index]]
        const repeated = last?.kind === 'read' && now?.kind === 'read' && last.jobs === now.jobs
        if (repeated && before) {
          insist(events.length === 0, 'an event for nothing')
          insist(state.shown === before.shown, 'a new list for nothing')
        }
        before = state
        index++
      })
    })
  })
})
