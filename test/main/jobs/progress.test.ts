import { describe, expect, it } from 'vitest'
import { type TrackerState } from '../../../src/main/jobs/index.ts'
import { emptyState, follow, mergePoll } from '../../../src/main/jobs/merge-poll.ts'
import type { ServiceJob, Progress } from '../../../src/shared/api/resources.ts'
import type { ProgressScale } from '../../../src/main/jobs/progress-scale.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { aJob, following } from './simulated-service.ts'

const options = { newId: () => asRecordId('other'), mayBeOurs: () => false }

/** Reads a processing job every two seconds and returns what is shown each time. */
function watch(
  readings: readonly Progress[],
  job: Partial<ServiceJob> = {},
  more: readonly ServiceJob[] = [],
  scale?: ProgressScale,
) {
  let state: TrackerState = follow(emptyState, following('r', 'a')).state
  return readings.map((progress, index) => {
    const list = {
      jobs: [aJob('a', { status: 'processing', ...job, progress }), ...more],
      queueLength: 0,
      processing: true,
    }
    const now = { wall: index * 2_000, monotonic: index * 2_000 }
    state = mergePoll(state, { list, fetched: new Map() }, now, { ...options, scale }).state
    return state.shown[0]?.progress
  })
}
const shares = (
  values: readonly (number | undefined)[],
  job?: Partial<ServiceJob>,
  more?: readonly ServiceJob[],
) =>
  watch(
    values.map((totalProgress) => (totalProgress === undefined ? {} : { totalProgress })),
    job,
    more,
  ).map((progress) => progress?.share)

const done = (value: number) => [aJob('z', { status: 'completed', progress: { totalProgress: value } })]

describe('the displayed progress', () => {
  it('reads numbers above one as percent, even after small ones', () => {
    expect(shares([0, 0.4, 12, 50, 100])).toEqual([null, null, 0.12, 0.5, 1])
  })

  it('clamps slightly higher values to 100%', () => {
    expect(shares([50, 100.4])).toEqual([0.5, 1])
    expect(shares([50, 101])).toEqual([0.5, 0.5])
  })

  it('reads small numbers as fractions once their scale is clear', () => {
    expect(shares([0, 0.1, 0.2, 0.9, 1])).toEqual([null, null, 0.2, 0.9, 1])
  })

  it('learns the scale from completed jobs', () => {
    expect(shares([0.1], {}, done(1))).toEqual([0.1])
    expect(shares([1], {}, done(100))).toEqual([0.01])
  })

  it('reads a small number as a fraction if the finished files imply that', () => {
    expect(watch([{ totalProgress: 0.6, totalFiles: 4, completedFiles: 2 }])).toMatchObject([{ share: 0.6 }])
  })

  it('does not mistake the first hundredths of a percent for fractions', () => {
    expect(shares([0.01, 0.02, 0.04, 0.04])).toEqual([null, null, null, null])
  })

  it('does not guess the scale from a single number', () => {
    expect(shares([1, 1, 1])).toEqual([null, null, null])
  })

  it('is unknown when the scale turns out to differ, until the progress exceeds the value already shown', () => {
    expect(shares([0.3, 0.6, 1.2, 30, 70])).toEqual([null, 0.6, null, null, 0.7])
  })

  it('is computed from the file count if the number isn’t plausible', () => {
    const files = { totalFiles: 4, completedFiles: 1 }
    expect(watch([{ ...files, totalProgress: 4711 }, { ...files, totalProgress: -3 }, files])).toMatchObject([
      { share: 0.25 },
      { share: 0.25 },
      { share: 0.25 },
    ])
  })

  it('has the number of files that are processed at the same time, if it is plausible', () => {
    const counts = [2, 1, 5, undefined].map((filesInProgress) => ({ totalFiles: 4, filesInProgress }))
    expect(watch(counts).map((progress) => progress?.filesInProgress)).toEqual([
      2,
      undefined,
      undefined,
      undefined,
    ])
  })

  it.each(['waitsForMemory', 'waitsForDiskSpace'] as const)('includes whether files wait: %s', (waits) => {
    const found = watch([{ [waits]: true }, {}]).map((progress) => progress?.[waits])
    expect(found).toEqual([true, undefined])
  })

  it('ignores invalid values', () => {
    expect(
      watch([
        { totalFiles: 4, completedFiles: 9 },
        { totalFiles: 1, completedFiles: 0 },
        { totalFiles: null, completedFiles: 3 },
      ]).map((progress) => progress?.share),
    ).toEqual([null, null, null])
  })

  it('never decreases, and keeps its value while the service reports nothing', () => {
    expect(shares([50, 20, undefined, 51])).toEqual([0.5, 0.5, 0.5, 0.51])
  })

  it('decreases if the built-in service processes a file again, and the remaining time is that of the whole file', () => {
    const values = [...Array.from({ length: 10 }, (_, n) => n * 10), 0, undefined, 10]
    const readings = values.map((totalProgress) => (totalProgress === undefined ? {} : { totalProgress }))
    const shown = watch(readings, {}, [], 'percent').slice(-4)
    expect(shown.map((progress) => progress?.share)).toEqual([0.9, 0, 0, 0.1])
    expect(shown.map((progress) => progress?.timeLeft)).toMatchObject([2_000, 20_000, {}, {}])
    expect(shown.at(-1)?.timeLeft).toBeGreaterThan(18_000)
  })
})

describe('the remaining time', () => {
  it('approaches the real value for a job that advances file by file', () => {
    // One of 20 files is done every 10 s, so half are done at 100 s.
    const readings = Array.from({ length: 51 }, (_, index) => ({
      totalFiles: 20,
      completedFiles: Math.floor((index * 2) / 10),
    }))
    const left = watch(readings).at(-1)?.timeLeft ?? 0
    expect(left).toBeGreaterThan(75_000)
    expect(left).toBeLessThan(125_000)
  })
})

describe('the description of the current step', () => {
  it('is one line of at most 40 characters', () => {
    const phases = ['  Encoding\n\tvideo ', 'x'.repeat(60), '', '\u0000\u200b', '🙂'.repeat(45)]
    const shown = watch(phases.map((phase) => ({ phase }))).map((progress) => progress?.phase ?? null)
    expect(shown).toEqual(['Encoding video', `${'x'.repeat(39)}…`, null, null, `${'🙂'.repeat(39)}…`])
  })

  it('leaves out invalid values', () => {
    const nonsense = { currentFile: 9, totalFiles: 4, completedFiles: -1, fileName: '' }
    const sense = { currentFile: 2, totalFiles: 4, completedFiles: 1, fileName: 'C:\\in\\b.jpg' }
    expect(watch([nonsense, sense])).toMatchObject([
      { currentFile: null, totalFiles: 4, completedFiles: null, fileName: null },
      { currentFile: 2, totalFiles: 4, completedFiles: 1, fileName: 'b.jpg' },
    ])
  })
})

const positions = (jobs: readonly ServiceJob[]) => {
  const list = { jobs: [...jobs], queueLength: 0, processing: true }
  const merged = mergePoll(
    emptyState,
    { list, fetched: new Map() },
    { wall: 0, monotonic: 0 },
    {
      ...options,
      newId: (() => {
        let next = 0
        return () => asRecordId(`${++next}`)
      })(),
    },
  )
  return Object.fromEntries(
    merged.state.shown.map(({ jobId, stage }) => [
      jobId,
      stage.kind === 'queued' ? stage.position : stage.kind,
    ]),
  )
}
const at = (jobId: string, createdAt: string, status: ServiceJob['status'] = 'queued') =>
  aJob(jobId, { createdAt, status })

describe('the queue position', () => {
  it('follows the creation time, regardless of the list’s order', () => {
    const jobs = [
      at('b', '2026-11-17T08:00:02Z'),
      at('c', '2026-11-17T08:00:03Z'),
      at('a', '2026-11-17T08:00:01Z'),
    ]
    expect(positions(jobs)).toEqual({ a: 1, b: 2, c: 3 })
  })

  it('follows the list’s order if the times don’t determine it, assuming that the running job is the oldest', () => {
    const [x, y] = [at('x', 'today'), at('y', 'today')]
    const running = at('r', 'today', 'processing')
    expect(positions([x, y, running])).toEqual({ r: 'processing', y: 1, x: 2 })
    expect(positions([running, x, y])).toEqual({ r: 'processing', x: 1, y: 2 })
    expect(positions([x, y])).toEqual({ y: 1, x: 2 })
  })
})
