import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../../src/shared/api/limits.ts'
import type { MediaKind } from '../../../src/shared/media-types.ts'
import type { Recipe } from '../../../src/media/protocol.ts'
import { ImageRecipe, ResultRules, VariationRanges, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { createQueue, type JobPlan } from '../../../src/service/queue/index.ts'
import { type RunningFile, scriptedProcessing } from './scripted-processing.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-queue-'))
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'film.mp4', 'film2.mp4'])
    await writeFile(join(folder, name), 'x')
})
afterAll(() => rm(folder, { recursive: true }))

function planFor(names: readonly string[], batchCount = 1): JobPlan {
  return {
    type: names.length * batchCount === 1 ? 'single' : 'batch',
    presetName: 'basic',
    recipes: new Map<MediaKind, Recipe>([
      ['image', { kind: 'image', image: ImageRecipe.parse({}) }],
      ['video', { kind: 'video', video: VideoRecipe.parse({}) }],
    ]),
    ranges: VariationRanges.parse({}),
    rules: ResultRules.parse({}),
    subfolders: new Map(),
    source: {
      kind: 'files',
      inputs: names.map((name) => ({
        path: join(folder, name),
        kind: name.endsWith('.mp4') ? 'video' : 'image',
      })),
    },
    batchCount,
    target: { kind: 'folder', path: folder },
  }
}

function setUp({ parallel = 2, obedient = true, free = 1e12 } = {}) {
  const processing = scriptedProcessing(parallel, obedient)
  const clock = { time: Date.parse('2026-01-01T00:00:00Z') }
  const disk = { free }
  const logged: string[] = []
  let ids = 0
  const queue = createQueue({
    processing,
    now: () => clock.time,
    newId: () => `job-${++ids}`,
    freeBytes: () => Promise.resolve(disk.free),
    workFolders: {
      create: () => Promise.reject(new Error('local work needs none')),
      remove: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    log: (message) => logged.push(message),
  })
  const names = () => processing.running.map(({ task }) => task.inputPath.slice(folder.length + 1))
  const runs = async (count: number) => {
    while (processing.running.length !== count) await turn()
  }
  /** The file that is being processed under a name. */
  const file = (name: string): RunningFile => {
    const found = processing.running[names().indexOf(name)]
    if (!found) throw new Error(`${name} is not being processed`)
    return found
  }
  const ended = async (jobId: string) => {
    while (['queued', 'processing'].includes(queue.find(jobId)?.status ?? '')) await turn()
    return queue.find(jobId)
  }
  return { queue, processing, clock, disk, logged, names, runs, file, ended }
}

it('runs images of a batch side by side up to the parallelism, and a video alone', async () => {
  const { queue, names, runs, file, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg', 'c.jpg', 'film.mp4', 'film2.mp4', 'd.jpg']))
  await runs(2)
  expect(names()).toEqual(['a.jpg', 'b.jpg'])
  file('b.jpg').succeed()
  while (!names().includes('c.jpg')) await turn()
  file('a.jpg').succeed()
  await runs(1)
  expect(names()).toEqual(['c.jpg'])
  file('c.jpg').succeed()
  for (const name of ['film.mp4', 'film2.mp4', 'd.jpg']) {
    while (!names().includes(name)) await turn()
    expect(names()).toEqual([name])
    file(name).succeed()
  }
  expect((await ended(jobId))?.results).toHaveLength(6)
})

it('lists results in the order of the inputs, whichever was done first', async () => {
  const { queue, runs, file, ended } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg']))
  await runs(2)
  file('b.jpg').succeed()
  await runs(1)
  file('a.jpg').succeed()
  const job = await ended(jobId)
  expect(job?.results?.map((result) => result.file)).toEqual([join(folder, 'a.jpg'), join(folder, 'b.jpg')])
})

it('tells progress in percent that never goes back, and 100 only at the end', async () => {
  const { queue, runs, file, ended } = setUp()
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
  file('b.jpg').succeed()
  expect((await ended(jobId))?.progress).toMatchObject({ totalProgress: 100, completedFiles: 2 })
})

it('counts an input as completed when all its variations are over', async () => {
  const { queue, processing, runs, file } = setUp({ parallel: 1 })
  const { jobId } = queue.add(planFor(['a.jpg'], 2))
  await runs(1)
  file('a.jpg').succeed()
  while (processing.started.length < 2) await turn()
  expect(queue.find(jobId)?.progress).toMatchObject({ completedFiles: 0, totalFiles: 1, totalProgress: 50 })
  await queue.close()
})

it('the next job starts only when the files of a cancelled one have really ended', async () => {
  const { queue, processing, runs, file, names, ended } = setUp({ obedient: false })
  const first = queue.add(planFor(['a.jpg', 'b.jpg', 'c.jpg']))
  const second = queue.add(planFor(['d.jpg']))
  await runs(2)
  queue.cancel(first.jobId)
  expect(queue.find(first.jobId)?.status).toBe('cancelled')
  expect(queue.list()).toMatchObject({ processing: true, queueLength: 1 })
  file('a.jpg').succeed()
  await runs(1)
  expect(names()).toEqual(['b.jpg'])
  file('b.jpg').succeed()
  while (!names().includes('d.jpg')) await turn()
  expect(names()).toEqual(['d.jpg'])
  file('d.jpg').succeed()
  await ended(second.jobId)
  // What could not be stopped any more is there, and is told.
  expect(queue.find(first.jobId)).toMatchObject({ status: 'cancelled', results: [{}, {}], errors: [] })
  expect(processing.started.some((name) => name.includes('c.jpg'))).toBe(false)
})

it('a file that was stopped is neither a result nor an error', async () => {
  const { queue, runs } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg', 'b.jpg']))
  await runs(2)
  queue.cancel(jobId)
  await queue.close()
  expect(queue.find(jobId)).toMatchObject({ status: 'cancelled', results: [], errors: [] })
})

it('too little free space fails that file in plain words, and the next one is tried again', async () => {
  const { queue, disk, runs, file, ended } = setUp({ parallel: 1, free: 1_000_000 })
  const first = queue.add(planFor(['a.jpg']))
  const failed = await ended(first.jobId)
  expect(failed).toMatchObject({ status: 'failed' })
  expect(failed?.error).toContain('not enough free space')
  disk.free = 1e12
  const second = queue.add(planFor(['a.jpg']))
  await runs(1)
  file('a.jpg').succeed()
  expect(await ended(second.jobId)).toMatchObject({ status: 'completed' })
})

it('an original that is gone fails by name', async () => {
  const { queue, ended } = setUp()
  const { jobId } = queue.add(planFor(['gone.jpg']))
  expect((await ended(jobId))?.error).toContain('gone.jpg')
})

it('an unexpected failure is told without its inner words, and logged with them', async () => {
  const { queue, runs, file, ended, logged } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg']))
  await runs(1)
  file('a.jpg').crash()
  expect((await ended(jobId))?.error).toContain('internal error')
  expect(logged.join('\n')).toContain('something nobody thought of')
})

it('forgets a finished job one hour after it ended, not before, and never one in progress', async () => {
  const { queue, clock, runs, file, ended } = setUp()
  const done = queue.add(planFor(['a.jpg']))
  await runs(1)
  clock.time += 5_000
  file('a.jpg').succeed()
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

it('gives the same list while nothing changes, and a new one when something does', async () => {
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

it('closing cancels what waits and what runs, and starts nothing more', async () => {
  const { queue, processing, runs } = setUp()
  const jobs = [queue.add(planFor(['a.jpg'])), queue.add(planFor(['b.jpg']))]
  await runs(1)
  await queue.close()
  expect(jobs.map(({ jobId }) => queue.find(jobId)?.status)).toEqual(['cancelled', 'cancelled'])
  expect(processing.started).toHaveLength(1)
})

it('accepts a number of variations that no list could hold', async () => {
  const { queue, runs } = setUp()
  const { jobId } = queue.add(planFor(['a.jpg'], 2 ** 50))
  await runs(2)
  expect(queue.find(jobId)?.status).toBe('processing')
  await queue.close()
})

it('lets ten jobs wait, says the place of each, and takes the next one when there is room again', async () => {
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
    message: expect.stringContaining('10 jobs are waiting'),
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

it('lists the newest jobs first, no more than fifty, and clears those that are over', async () => {
  const { queue } = setUp()
  const { jobId: running } = queue.add(planFor(['a.jpg']))
  for (let count = 0; count < MAX_LISTED_JOBS + 1; count += 1)
    queue.cancel(queue.add(planFor(['b.jpg'])).jobId)
  const { jobs } = queue.list()
  expect(jobs).toHaveLength(MAX_LISTED_JOBS)
  expect([jobs.at(0)?.jobId, jobs.at(-1)?.jobId]).toEqual(['job-52', 'job-3'])
  expect(queue.clear()).toBe(MAX_LISTED_JOBS + 1)
  expect(queue.clear()).toBe(0)
  expect(queue.list().jobs.map(({ jobId }) => jobId)).toEqual([running])
  await queue.close()
})

const refusal = (status: number, message: string) => expect.objectContaining({ status, message })

it('cancels what is in progress, once, and nothing else', async () => {
  const { queue, runs, file, ended } = setUp()
  const done = queue.add(planFor(['a.jpg']))
  await runs(1)
  file('a.jpg').succeed()
  await ended(done.jobId)
  expect(() => queue.cancel('nobody')).toThrow(refusal(404, 'There is no such job'))
  expect(() => queue.cancel(done.jobId)).toThrow(
    refusal(400, "The job can't be cancelled any more: it is completed"),
  )
  const running = queue.add(planFor(['b.jpg']))
  queue.cancel(running.jobId)
  expect(() => queue.cancel(running.jobId)).toThrow(refusal(400, expect.stringContaining('it is cancelled')))
  expect(queue.activeJobs()).toBe(0)
  await queue.close()
})

it('holds on to the inputs of what runs and what waits', async () => {
  const { queue, runs, file, ended } = setUp()
  const first = queue.add(planFor(['a.jpg', 'b.jpg']))
  const second = queue.add(planFor(['b.jpg', 'c.jpg']))
  await runs(2)
  const inUse = () => [...queue.inputsInUse()].map((path) => path.slice(folder.length + 1))
  expect(inUse()).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
  for (const name of ['a.jpg', 'b.jpg']) file(name).succeed()
  await ended(first.jobId)
  while (queue.find(second.jobId)?.status !== 'processing') await turn()
  expect(inUse()).toEqual(['b.jpg', 'c.jpg'])
  await queue.close()
  expect(inUse()).toEqual([])
})

it('tells of a single job what became of its one file, with its times', async () => {
  const { queue, clock, runs, file, ended } = setUp()
  const { jobId } = queue.add(planFor(['film.mp4']))
  expect(queue.find(jobId)).toMatchObject({
    jobId: 'job-1',
    status: 'processing',
    type: 'single',
    preset: 'basic',
    fileType: 'video',
    fileName: 'film.mp4',
    totalFiles: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    startedAt: '2026-01-01T00:00:00.000Z',
    completedAt: null,
  })
  await runs(1)
  clock.time += 2_000
  file('film.mp4').succeed()
  const job = await ended(jobId)
  expect(job).toMatchObject({
    completedAt: '2026-01-01T00:00:02.000Z',
    result: { outputPath: `${folder}${join(folder, 'film.mp4')}-1` },
  })
  for (const field of ['error', 'results', 'errors', 'drive']) expect(job).not.toHaveProperty(field)
})

it('tells of a batch what became of each file in the order of the inputs, and fails none of it for one', async () => {
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
      { file: join(folder, 'a.jpg'), error: 'odder' },
      { file: join(folder, 'b.jpg'), error: 'odd' },
    ],
  })
  expect(job).not.toHaveProperty('error')
})

it('hands each file over with its recipe, its folder and its variation', async () => {
  const { queue, processing, runs } = setUp({ parallel: 1 })
  const plan = planFor(['a.jpg'], 3)
  queue.add(plan)
  await runs(1)
  expect(processing.running[0]?.task).toEqual({
    inputPath: join(folder, 'a.jpg'),
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

it('a file that the preset has nothing for fails with that reason', async () => {
  const { queue, ended } = setUp()
  const { jobId } = queue.add({ ...planFor(['a.jpg']), recipes: new Map() })
  expect((await ended(jobId))?.error).toBe('The preset "basic" has nothing for this kind of file')
})
