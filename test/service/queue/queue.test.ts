import { reported } from '../../../src/shared/api/reported.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { RESERVE_BYTES } from '../../../src/node/free-space.ts'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../../src/shared/api/limits.ts'
import { outcomeOf, problemsOf } from '../../../src/shared/model/outcome.ts'
import { createLine } from '../../../src/service/queue/run-operations.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { planOf, queueBelow } from './queue-below.ts'
import { odd, type RunningFile, scriptedProcessing } from './scripted-processing.ts'

let folder: string
beforeEach(async () => {
  folder = temporaryFolder()
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'video.mp4', 'video2.mp4'])
    await writeFile(join(folder, name), 'x')
})

const planFor = (names: readonly string[], batchCount = 1) => planOf(folder, names, { batchCount })

function setUp({ parallel = 2, obedient = true, free = 1e12 } = {}) {
  const processing = scriptedProcessing(parallel, obedient)
  const clock = { time: Date.parse('2026-01-01T00:00:00Z') }
  const disk = { free }
  const logged: string[] = []
  let ids = 0
  const endings: unknown[] = []
  const queue = queueBelow(folder, {
    processing,
    now: () => clock.time,
    newId: () => `job-${++ids}`,
    freeBytes: () => Promise.resolve(disk.free),
    onJobEnded: () => endings.push(queue.list()),
    log: (message) => logged.push(message),
  })
  const names = () => processing.running.map(({ task }) => task.inputPath.slice(folder.length + 1))
  const runs = async (count: number) => {
    while (processing.running.length !== count) await turn()
  }
  /** Returns the running file with this name. */
  const file = (name: string): RunningFile => {
    const found = processing.running[names().indexOf(name)]
    if (!found) throw new Error(`${name} is not being processed`)
    return found
  }
  const succeed = (...finished: readonly string[]) => {
    for (const name of finished) file(name).succeed()
  }
  const ended = async (jobId: string) => {
    while (['queued', 'processing'].includes(queue.find(jobId)?.status ?? '')) await turn()
    return queue.find(jobId)
  }
  return { queue, processing, clock, disk, logged, endings, names, runs, file, succeed, ended }
}

it('runs photos of a batch in parallel up to the limit, then its videos up to theirs', async () => {
  const { queue, processing, names, runs, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['video.mp4', 'a.jpg', 'b.jpg', 'c.jpg', 'video2.mp4', 'd.jpg']))
  await runs(2)
  expect(names().toSorted()).toEqual(['a.jpg', 'b.jpg'])
  succeed('b.jpg')
  while (!names().includes('c.jpg')) await turn()
  succeed('a.jpg')
  await runs(3)
  expect(names().toSorted()).toEqual(['c.jpg', 'd.jpg', 'video.mp4'])
  succeed('c.jpg', 'd.jpg')
  await runs(1)
  succeed('video.mp4')
  while (!names().includes('video2.mp4')) await turn()
  expect(names()).toEqual(['video2.mp4'])
  expect(processing.running.map(({ task }) => task.left)).toEqual([1])
  succeed('video2.mp4')
  expect((await ended(jobId))?.results).toHaveLength(6)
})

it('queues files in their order, but waits only a second for one that can’t be prepared', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const line = createLine()
  const turns = [line.join(), line.join(), line.join()] as const
  const come: number[] = []
  const comes = async (index: 0 | 1 | 2) => {
    await turns[index].comes()
    come.push(index)
    turns[index].pass()
  }
  const last = comes(2)
  // Left the line, because it has failed.
  turns[1].pass()
  await turn()
  expect(come).toEqual([])
  vi.advanceTimersByTime(1_000)
  await last
  expect(come).toEqual([2])
  await comes(0)
  const [next, afterNext] = [line.join(), line.join()]
  const second = afterNext.comes().then(() => come.push(4))
  await next.comes()
  come.push(3)
  next.pass()
  await second
  expect(come).toEqual([2, 0, 3, 4])
})

it('starts no file while processing is paused, and continues where it was', async () => {
  const { queue, processing, names, runs, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']))
  await runs(2)
  processing.steer({ hold: true, lowPriority: false })
  succeed('a.jpg', 'b.jpg')
  while ((queue.find(jobId)?.results?.length ?? 0) < 2) await turn()
  await turn()
  expect(names()).toEqual([])
  processing.steer({ hold: false, lowPriority: false })
  await runs(2)
  expect(names()).toEqual(['c.jpg', 'd.jpg'])
  succeed('c.jpg', 'd.jpg')
  expect((await ended(jobId))?.results).toHaveLength(4)
})

it('cancels a job that is paused', async () => {
  const { queue, processing, runs, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg', 'c.jpg']))
  await runs(2)
  processing.steer({ hold: true, lowPriority: false })
  succeed('a.jpg', 'b.jpg')
  await runs(0)
  queue.cancel(jobId)
  expect((await ended(jobId))?.status).toBe('cancelled')
  expect(processing.started).toHaveLength(2)
})

it('lists results in input order, even if they finish in another order', async () => {
  const { queue, runs, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg']))
  await runs(2)
  succeed('b.jpg')
  await runs(1)
  succeed('a.jpg')
  const job = await ended(jobId)
  expect(job?.results?.map((result) => result.file)).toEqual([join(folder, 'a.jpg'), join(folder, 'b.jpg')])
})

it.each([['video.mp4'], ['video.mp4', 'video2.mp4']])(
  'keeps a result that lacks a part of its input, and is done with problems: %s %s',
  async (...given) => {
    const { queue, names, file, ended } = setUp()
    const { jobId } = queue.add(planFor(given))
    for (const [index, name] of given.entries()) {
      while (!names().includes(name)) await turn()
      file(name).succeed([], index === 0 ? odd('36 of 60 seconds') : undefined)
    }
    const job = await ended(jobId)
    if (job === undefined) throw new Error('the job isn’t listed')
    expect(job.status).toBe('completed')
    expect(problemsOf(job, [])).toMatchObject([
      { file: expect.stringContaining('video.mp4'), error: 'Couldn’t process the file: “36 of 60 seconds”' },
    ])
    const results = given.length
    expect(outcomeOf(job)).toEqual({ kind: 'problems', results, problems: 1, uploaded: null })
  },
)

it('reports progress in percent that never decreases, and 100 only at the end', async () => {
  const { queue, runs, file, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg']))
  const progress = () => queue.find(jobId)?.progress
  await runs(2)
  expect(progress()).toMatchObject({ phase: 'Starting', totalProgress: 0, completedFiles: 0, totalFiles: 2 })
  file('a.jpg').control.onProgress({ phase: 'Encoding', share: 0.5 })
  expect(progress()).toMatchObject({
    phase: 'Encoding',
    phaseProgress: 50,
    totalProgress: 25,
    currentFile: 1,
    fileName: 'a.jpg',
  })
  file('a.jpg').control.onProgress({ phase: 'Encoding', share: 0.2 })
  expect(progress()).toMatchObject({ phaseProgress: 50 })
  file('b.jpg').control.onProgress({ phase: 'Encoding', share: 7 })
  expect(progress()).toMatchObject({ totalProgress: 75, currentFile: 1 })
  file('a.jpg').fail('too odd')
  await runs(1)
  expect(progress()).toMatchObject({
    totalProgress: 99,
    completedFiles: 1,
    currentFile: 2,
    fileName: 'b.jpg',
  })
  succeed('b.jpg')
  expect((await ended(jobId))?.progress).toMatchObject({ totalProgress: 100, completedFiles: 2 })
})

it('ends a canceled job and starts the next one only when none of its files is still being processed', async () => {
  const { queue, processing, names, runs, succeed, ended } = setUp({ obedient: false })
  const first = queue.add(planFor(['a.jpg', 'b.jpg', 'c.jpg']))
  const second = queue.add(planFor(['d.jpg']))
  await runs(2)
  queue.cancel(first.jobId)
  const shown = () => queue.find(first.jobId)
  expect(shown()).toMatchObject({ status: 'processing', completedAt: null, progress: { phase: 'Stopping' } })
  expect(queue.list()).toMatchObject({ processing: true, queueLength: 1 })
  succeed('a.jpg')
  await runs(1)
  expect(names()).toEqual(['b.jpg'])
  expect(shown()?.status).toBe('processing')
  succeed('b.jpg')
  while (!names().includes('d.jpg')) await turn()
  expect(names()).toEqual(['d.jpg'])
  succeed('d.jpg')
  await ended(second.jobId)
  // A result that was finished before it could be stopped is kept and reported.
  expect(shown()).toMatchObject({ status: 'cancelled', results: [{}, {}], errors: [] })
  expect(processing.started.some((name) => name.includes('c.jpg'))).toBe(false)
})

it('lets no photo of a later job pass a video, even if jobs arrive all the time', async () => {
  const { queue, processing, names, runs, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'video.mp4']))
  await runs(2)
  for (const name of ['b.jpg', 'c.jpg', 'd.jpg']) queue.add(planFor([name]))
  succeed('a.jpg')
  await runs(1)
  expect(names()).toEqual(['video.mp4'])
  succeed('video.mp4')
  await ended(jobId)
  await runs(1)
  expect(processing.started.map((path) => path.slice(folder.length + 1))).toEqual([
    'a.jpg:1',
    'video.mp4:1',
    'b.jpg:1',
  ])
})

it('counts a stopped file as neither a result nor an error', async () => {
  const { queue, runs } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg']))
  await runs(2)
  queue.cancel(jobId)
  await queue.close()
  expect(queue.find(jobId)).toMatchObject({ status: 'cancelled', results: [], errors: [] })
})

it('fails a file with a plain message if there is too little free space, and checks again for the next file', async () => {
  const { queue, disk, runs, succeed, ended } = setUp({ parallel: 1, free: 1_000_000 })
  const first = queue.add(planFor(['a.jpg']))
  const failed = await ended(first.jobId)
  expect(failed).toMatchObject({ status: 'failed' })
  expect(failed?.error).toContain('enough free space')
  disk.free = 1e12
  const second = queue.add(planFor(['a.jpg']))
  await runs(1)
  succeed('a.jpg')
  expect(await ended(second.jobId)).toMatchObject({ status: 'completed' })
})

/** Starts a job whose second file waits for the space of the first one. */
async function setUpTwo() {
  const at = setUp({ free: RESERVE_BYTES + 1 })
  const { jobId } = at.queue.add(planFor(['a.jpg', 'b.jpg']))
  await at.runs(1)
  const [first] = at.names()
  if (first === undefined) throw new Error('no file runs')
  at.file(first).control.onProgress({ phase: 'Encoding', share: 0.1 })
  const progress = () => at.queue.find(jobId)?.progress
  await expect.poll(progress).toMatchObject({ phase: 'Encoding', waitsForDiskSpace: true })
  expect(progress()).not.toHaveProperty('filesInProgress')
  return { ...at, jobId, progress, first }
}

describe('files that don’t fit on the disk together', () => {
  it('are processed one after the other, even after a pause', async () => {
    const { processing, names, first, runs, succeed, ended, jobId } = await setUpTwo()
    processing.steer({ hold: true, lowPriority: false })
    processing.steer({ hold: false, lowPriority: false })
    succeed(first)
    while (names()[0] === first) await turn()
    await runs(1)
    succeed(...names())
    expect((await ended(jobId))?.results).toHaveLength(2)
  })

  it('fail if they don’t even fit alone', async () => {
    const { disk, first, succeed, ended, jobId } = await setUpTwo()
    disk.free = RESERVE_BYTES
    succeed(first)
    const job = await ended(jobId)
    expect(job).toMatchObject({ status: 'completed', results: [{}] })
    expect(job?.errors).toMatchObject([{ failure: { code: 'tooLittleSpace' } }])
  })

  it('stop waiting when the job is canceled', async () => {
    const { queue, processing, ended, jobId } = await setUpTwo()
    queue.cancel(jobId)
    expect(await ended(jobId)).toMatchObject({ status: 'cancelled', results: [], errors: [] })
    expect(processing.started).toHaveLength(1)
  })

  it('stop waiting when the queue is closed', async () => {
    const { queue, processing } = await setUpTwo()
    await queue.close()
    expect(processing.started).toHaveLength(1)
  })
})

it('reports a missing original by name', async () => {
  const { queue, ended } = setUp()
  const { jobId } = queue.add(planFor(['gone.jpg']))
  expect(await ended(jobId)).toMatchObject({
    fileName: 'gone.jpg',
    error: 'Couldn’t read the file: it doesn’t exist.',
  })
})

it('reports an unexpected failure without its internal message, which is logged', async () => {
  const { queue, logged, runs, file, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg']))
  await runs(1)
  file('a.jpg').crash()
  expect((await ended(jobId))?.error).toContain('internal error')
  expect(logged.join('\n')).toContain('something unexpected')
})

it('forgets a finished job exactly one hour after it ended, and never one in progress', async () => {
  const { queue, clock, runs, succeed, ended } = setUp()
  const done = queue.add(planFor(['a.jpg']))
  await runs(1)
  clock.time += 5_000
  succeed('a.jpg')
  await ended(done.jobId)
  const running = queue.add(planFor(['b.jpg']))
  clock.time += RETENTION_MS - 1
  expect(queue.sweep()).toBe(0)
  clock.time += 1
  expect(queue.sweep()).toBe(1)
  expect(queue.find(done.jobId)).toBeUndefined()
  clock.time += 10 * RETENTION_MS
  expect(queue.sweep()).toBe(0)
  expect(queue.find(running.jobId)?.status).toBe('processing')
  await queue.close()
})

it('returns the same list while nothing changes, and a new one when something does', async () => {
  const { queue, runs, file } = setUp()
  queue.add(planFor(['a.jpg']))
  await runs(1)
  const list = queue.list()
  expect(queue.list()).toBe(list)
  file('a.jpg').control.onProgress({ phase: 'Encoding', share: 0.5 })
  expect(queue.list()).not.toBe(list)
  expect(queue.list().queueLength).toBe(0)
  queue.add(planFor(['b.jpg']))
  expect(queue.list().queueLength).toBe(1)
  await queue.close()
})

it('announces the end of a job when lists show it, before the next one starts', async () => {
  const { queue, endings, runs, succeed, ended } = setUp()
  const first = queue.add(planFor(['a.jpg']))
  const second = queue.add(planFor(['b.jpg']))
  await runs(1)
  succeed('a.jpg')
  await ended(first.jobId)
  while (queue.find(second.jobId)?.status !== 'processing') await turn()
  expect(endings).toMatchObject([
    { jobs: [{ status: 'queued' }, { status: 'completed' }], queueLength: 1, processing: false },
  ])
  await queue.close()
})

it('when closed, interrupts jobs without ending them, waits for running files, and starts nothing more', async () => {
  const { queue, processing, runs, succeed } = setUp({ obedient: false })
  const jobs = [queue.add(planFor(['a.jpg'])), queue.add(planFor(['b.jpg']))]
  await runs(1)
  let isClosed = false
  const closing = queue.close().then(() => (isClosed = true))
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(isClosed).toBe(false)
  succeed('a.jpg')
  await closing
  queue.add(planFor(['c.jpg']))
  expect(jobs.map(({ jobId }) => queue.find(jobId)?.status)).toEqual(['processing', 'queued'])
  expect(processing.started).toHaveLength(1)
})

it('queues ten jobs, reports the position of each, and accepts another as soon as there is room', async () => {
  const { queue, runs } = setUp()
  const places = Array.from({ length: MAX_WAITING_JOBS + 1 }, () => queue.add(planFor(['a.jpg'])).position)
  expect(places).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(queue.find('job-2')).toMatchObject({
    status: 'queued',
    fileType: 'image',
    fileName: 'a.jpg',
    totalFiles: 1,
    progress: { phase: 'Waiting', totalFiles: 1 },
  })
  await runs(1)
  const full = expect.objectContaining({
    status: 429,
    message: expect.stringContaining('10 jobs are already waiting'),
  })
  expect(() => queue.requireSpace()).toThrow(full)
  expect(() => queue.add(planFor(['b.jpg']))).toThrow(full)
  expect(queue.list()).toMatchObject({ queueLength: 10, processing: true })
  expect(queue.activeJobs()).toBe(11)
  queue.cancel('job-6')
  expect(queue.list()).toMatchObject({ queueLength: 9 })
  expect(queue.add(planFor(['b.jpg'])).position).toBe(10)
  expect(queue.find('job-6')).toMatchObject({ status: 'cancelled', completedAt: '2026-01-01T00:00:00.000Z' })
  await queue.close()
})

it('lists the newest jobs first, at most fifty, still knows the others, and clears finished ones', async () => {
  const { queue } = setUp()
  const { jobId: running } = queue.add(planFor(['a.jpg']))
  for (let count = 0; count < MAX_LISTED_JOBS + 1; count += 1)
    queue.cancel(queue.add(planFor(['b.jpg'])).jobId)
  const { jobs } = queue.list()
  expect(jobs).toHaveLength(MAX_LISTED_JOBS)
  expect([jobs.at(0)?.jobId, jobs.at(-1)?.jobId]).toEqual(['job-52', 'job-3'])
  expect(queue.find('job-2')).toMatchObject({ status: 'cancelled', startedAt: null })
  expect(queue.clear()).toBe(MAX_LISTED_JOBS + 1)
  expect(queue.clear()).toBe(0)
  expect(queue.list().jobs.map(({ jobId }) => jobId)).toEqual([running])
  await queue.close()
})

const refusal = (status: number, message: string) => expect.objectContaining({ status, message })

it('cancels a job in progress once, and nothing else', async () => {
  const { queue, runs, succeed, ended } = setUp({ obedient: false })
  const done = queue.add(planFor(['a.jpg']))
  await runs(1)
  succeed('a.jpg')
  await ended(done.jobId)
  expect(() => queue.cancel('missing')).toThrow(refusal(404, 'There is no such job.'))
  expect(() => queue.cancel(done.jobId)).toThrow(
    refusal(400, 'The job can’t be canceled anymore: it has ended.'),
  )
  const running = queue.add(planFor(['b.jpg']))
  await runs(1)
  queue.cancel(running.jobId)
  // Its file hasn't stopped, so asking again isn't an error.
  queue.cancel(running.jobId)
  expect(queue.activeJobs()).toBe(1)
  succeed('b.jpg')
  await ended(running.jobId)
  expect(() => queue.cancel(running.jobId)).toThrow(refusal(400, expect.stringContaining('it has ended')))
  expect(queue.activeJobs()).toBe(0)
  await queue.close()
})

it('retains the inputs of running and waiting jobs', async () => {
  const { queue, runs, succeed, ended } = setUp()
  const first = queue.add(planFor(['a.jpg', 'b.jpg']))
  const second = queue.add(planFor(['b.jpg', 'c.jpg']))
  await runs(2)
  const inUse = () => [...queue.inputsInUse()].map((path) => path.slice(folder.length + 1))
  expect(inUse()).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
  succeed('a.jpg', 'b.jpg')
  await ended(first.jobId)
  while (queue.find(second.jobId)?.status !== 'processing') await turn()
  expect(inUse()).toEqual(['b.jpg', 'c.jpg'])
  await queue.close()
  expect(inUse()).toEqual([])
})

it('reports the outcome of a single job’s file, with its times', async () => {
  const { queue, clock, runs, succeed, ended } = setUp()
  const { jobId } = queue.add(planFor(['video.mp4']))
  expect(queue.find(jobId)).toMatchObject({
    jobId: 'job-1',
    status: 'processing',
    type: 'single',
    preset: 'basic',
    fileType: 'video',
    fileName: 'video.mp4',
    totalFiles: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    startedAt: '2026-01-01T00:00:00.000Z',
    completedAt: null,
  })
  await runs(1)
  clock.time += 2_000
  succeed('video.mp4')
  const job = await ended(jobId)
  expect(job).toMatchObject({
    completedAt: '2026-01-01T00:00:02.000Z',
    result: { outputPath: `${folder}${join(folder, 'video.mp4')}-1` },
  })
  for (const field of ['error', 'results', 'errors', 'drive']) expect(job).not.toHaveProperty(field)
})

it('reports the outcome of each file of a batch in input order, and one failure doesn’t fail the others', async () => {
  const { queue, runs, file, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg']))
  expect(queue.find(jobId)).not.toHaveProperty('fileName')
  await runs(2)
  file('b.jpg').fail('odd')
  file('a.jpg').fail('odder')
  const job = await ended(jobId)
  expect(job).toMatchObject({
    status: 'completed',
    results: [],
    errors: [
      { file: join(folder, 'a.jpg'), ...reported(odd('odder')) },
      { file: join(folder, 'b.jpg'), ...reported(odd('odd')) },
    ],
  })
  expect(job).not.toHaveProperty('error')
})

it('passes each file with its recipe, folder and variation', async () => {
  const { queue, processing, runs } = setUp({ parallel: 1 })
  const plan = planFor(['a.jpg'], 3)
  queue.add(plan)
  await runs(1)
  expect(processing.running[0]?.task).toEqual({
    inputPath: join(folder, 'a.jpg'),
    left: 3,
    inputName: 'a.jpg',
    outputFolder: folder,
    presetName: 'basic',
    recipe: plan.recipes.get('image'),
    ranges: plan.ranges,
    rules: plan.rules,
    subfolder: [],
    number: 1,
    inputs: 1,
    variation: 1,
    variations: 3,
  })
  await queue.close()
})

it('fails a file that the preset doesn’t cover, with that reason', async () => {
  const { queue, ended } = setUp()
  const { jobId } = queue.add({ ...planFor(['a.jpg']), recipes: new Map() })
  expect((await ended(jobId))?.error).toBe('The preset “basic” isn’t for photos.')
})
