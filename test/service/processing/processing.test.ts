import { fork } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { ImageRecipe, ResultRules, VariationRanges, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import type { Confinement } from '../../../src/node/confinement.ts'
import { ProcessingError } from '../../../src/media/protocol.ts'
import { startJobWorker } from '../../../src/media/start-worker.ts'
import type { ConfinedWorkerStart } from '../../../src/node/confined-worker.ts'
import { JOB_WORKER } from '../../entries.ts'
import {
  createProcessing,
  type Processing,
  type ProcessingOptions,
  type ProcessingTask,
} from '../../../src/service/processing/processing.ts'

let outputFolder: string
let processing: Processing
let started: number
let ended: number
const logged: string[] = []

const countingStart = (start: ConfinedWorkerStart) => {
  started++
  const worker = startJobWorker(start)
  worker.onExit(() => ended++)
  return worker
}

function create(options: Partial<ProcessingOptions> = {}): Processing {
  return createProcessing({
    workerPath: fileURLToPath(new URL('./odd-worker.ts', import.meta.url)),
    cores: 2,
    log: (message) => logged.push(message),
    startWorker: countingStart,
    ...options,
  })
}

/** As native code is that has taken over a decoder. */
const UNHELD: Confinement = {
  kind: 'permissions',
  startFor: () => ({ wrapper: [], nodeOptions: [], env: {} }),
}

beforeEach(async () => {
  outputFolder = await mkdtemp(path.join(tmpdir(), 'mediatray-pool-'))
  started = 0
  ended = 0
  logged.length = 0
  processing = create()
})
afterEach(async () => {
  await processing.close()
  await rm(outputFolder, { recursive: true, force: true })
})

const task = (name: string, more: Partial<ProcessingTask> = {}): ProcessingTask => ({
  inputPath: `/nowhere/${name}.jpg`,
  inputName: `${name}.jpg`,
  outputFolder,
  presetName: 'Web 2048',
  recipe: { kind: 'image', image: ImageRecipe.parse({}) },
  ranges: VariationRanges.parse({}),
  rules: ResultRules.parse({}),
  subfolder: [],
  number: 1,
  inputs: 1,
  variation: 1,
  variations: 1,
  ...more,
})

function run(name: string, signal = new AbortController().signal, onProgress = () => {}, more = {}) {
  return processing.run(task(name, more), { signal, onProgress })
}

const rules = (given: z.input<typeof ResultRules>) => ({ rules: ResultRules.parse(given) })

const hidden = async () => (await readdir(outputFolder)).filter((name) => name.startsWith('.'))

describe('the date of a result', () => {
  const SUMMER = new Date('2019-07-14T18:30:05Z')
  const dateOf = async (more: Partial<ProcessingTask>) => {
    const inputPath = path.join(outputFolder, 'ok.jpg')
    await writeFile(inputPath, 'x')
    await utimes(inputPath, SUMMER, SUMMER)
    const { outputPath } = await run('ok', undefined, undefined, { inputPath, ...more })
    return (await stat(outputPath)).mtime
  }

  it('is that of its original, or today’s where the preset says so', async () => {
    expect(await dateOf({})).toEqual(SUMMER)
    expect((await dateOf(rules({ dates: 'now' }))).getTime()).toBeGreaterThan(SUMMER.getTime())
  })
})

const place = (subfolder: readonly string[], name = '{name}-{width}x{height}') =>
  run('ok', undefined, undefined, { subfolder, ...rules({ name }) })

describe('the place of a result', () => {
  it('is the folder below that its input has, made when missing, under the name of the template', async () => {
    const places = [await place(['trip', 'day 1']), await place(['trip', 'day 1']), await place([])]
    expect(places.map(({ outputPath }) => path.relative(outputFolder, outputPath).split(path.sep))).toEqual([
      ['trip', 'day 1', 'ok-4x3.txt'],
      ['trip', 'day 1', 'ok-4x3-2.txt'],
      ['ok-4x3.txt'],
    ])
    expect(await hidden()).toEqual([])
  })

  it('is never behind a link, which could lead anywhere, nor in the place of a file', async () => {
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'mediatray-elsewhere-'))
    await symlink(elsewhere, path.join(outputFolder, 'trip'))
    await expect(place(['trip'])).rejects.toThrow(/belongs into .*trip, and that is no folder of its own/)
    await expect(place(['trip', 'day 1'])).rejects.toThrow(ProcessingError)
    await writeFile(path.join(outputFolder, 'note'), 'x')
    await expect(place(['note'])).rejects.toThrow(ProcessingError)
    expect(await readdir(elsewhere)).toEqual([])
    expect(await hidden()).toEqual([])
    await rm(elsewhere, { recursive: true })
  })
})

describe('workers', () => {
  it('are started when there is work, and no more of them than cores', async () => {
    expect(started).toBe(0)
    await Promise.all(Array.from({ length: 12 }, () => run('ok')))
    expect(started).toBe(2)
    expect(await readdir(outputFolder)).toHaveLength(12)
  })

  it.each(['image', 'video'] as const)(
    'are started before there is work where an %s is expected, and then have it first',
    async (media) => {
      await processing.expectFiles(media, outputFolder)
      expect(started).toBe(1)
      const recipe =
        media === 'image'
          ? ({ kind: 'image', image: ImageRecipe.parse({}) } as const)
          : ({ kind: 'video', video: VideoRecipe.parse({}) } as const)
      await processing.run(task('ok', { recipe }), {
        signal: new AbortController().signal,
        onProgress: () => {},
      })
      expect(started).toBe(1)
    },
  )

  it('that were expected leave when no photo comes', async () => {
    const impatient = create({ idleMs: 1 })
    await impatient.expectFiles('image', outputFolder)
    await expect.poll(() => ended).toBe(1)
    await impatient.close()
  })

  it('start when it is known what holds them', async () => {
    const known = Promise.withResolvers<Confinement>()
    const waiting = create({ confinement: known.promise })
    const running = waiting.run(task('ok'), { signal: new AbortController().signal, onProgress: () => {} })
    await new Promise(setImmediate)
    expect(started).toBe(0)
    known.resolve(UNHELD)
    await running
    expect(started).toBe(1)
    await waiting.close()
  })

  it('write to one folder only: another folder takes another worker, and one that is idle makes room for it', async () => {
    const others = await Promise.all(['a', 'b'].map((name) => mkdtemp(path.join(outputFolder, name))))
    for (const folder of [outputFolder, ...others, outputFolder])
      await run('ok', undefined, undefined, { outputFolder: folder })
    expect(started).toBe(4)
    await expect.poll(() => ended).toBe(2)
    expect(await Promise.all(others.map((folder) => readdir(folder)))).toEqual([
      ['ok-web-2048.txt'],
      ['ok-web-2048.txt'],
    ])
  })

  it('leave when there is nothing to do, and come back for the next task', async () => {
    await processing.close()
    processing = create({ idleMs: 20 })
    await run('ok')
    await expect.poll(() => ended).toBe(1)
    await run('ok')
    expect(started).toBe(2)
  })

  it.each([
    ['crash', /crashed.*exit code 139/],
    ['kill', /memory ran out/],
  ])('that end by themselves (%s) fail one file only and are replaced', async (name, reason) => {
    const results = await Promise.allSettled(['ok', name, 'ok', 'ok'].map((file) => run(file)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    const failure = await run(name).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ProcessingError)
    expect(String(failure)).toMatch(reason)
    expect(await hidden()).toEqual([])
  })

  it('have their last words logged with the file', async () => {
    await run('crash').catch(() => {})
    expect(logged.join()).toMatch(/crash\.jpg.*the decoder fell over/)
  })

  it.each(['stray', 'sibling', 'way', 'link'])(
    'that call something else their result (%s) move no file of anybody’s',
    async (name) => {
      const folder = await mkdtemp(path.join(outputFolder, 'in-'))
      const inputPath = path.join(folder, `${name}.jpg`)
      await writeFile(inputPath, 'mine')
      await processing.close()
      processing = create({ confinement: UNHELD })
      await writeFile(path.join(outputFolder, 'mine.txt'), 'mine')
      await expect(run(name, undefined, undefined, { inputPath })).rejects.toThrow(
        'something else than its result',
      )
      expect(await readdir(folder)).toEqual([`${name}.jpg`])
      expect((await readdir(outputFolder)).toSorted()).toEqual([path.basename(folder), 'mine.txt'])
    },
  )

  it('that can not be started are a plain error', async () => {
    await processing.close()
    processing = create({ workerPath: path.join(outputFolder, 'missing.js') })
    await expect(run('ok')).rejects.toBeInstanceOf(ProcessingError)
  })

  it('pass on a reason in plain words and go on', async () => {
    await expect(run('bad')).rejects.toThrow('The file is odd.')
    await run('ok')
    expect(started).toBe(1)
    expect(await hidden()).toEqual([])
  })

  it('all end at close, whatever they do', async () => {
    await processing.close()
    processing = create({ graceMs: 50 })
    const results = Promise.allSettled(['ok', 'slow', 'hang', 'ok'].map((name) => run(name)))
    await expect.poll(hidden).toHaveLength(2)
    await processing.close()
    const reasons = (await results).map((result) =>
      result.status === 'rejected' ? result.reason.message : 'ok',
    )
    expect(reasons.slice(1, 3)).toEqual(['The service is shutting down.', 'The service is shutting down.'])
    expect(ended).toBe(started)
    expect(await hidden()).toEqual([])
    await expect(run('ok')).rejects.toThrow('shutting down')
  })
})

it('a real worker ends when its parent has gone', async () => {
  const worker = fork(JOB_WORKER, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(worker, 'spawn')
  worker.disconnect()
  expect(await once(worker, 'exit')).toEqual([0, null])
})

describe('stopping', () => {
  const reason = new Error('cancelled by the user')

  it.each(['slow', 'hang'])('ends a task that is %s, with nothing left behind', async (name) => {
    await processing.close()
    // One that hears it ends by itself, however late; one that does not is ended.
    processing = create({ graceMs: name === 'slow' ? 60_000 : 100 })
    const stop = new AbortController()
    await expect(run(name, stop.signal, () => stop.abort(reason))).rejects.toBe(reason)
    expect(await readdir(outputFolder)).toEqual([])
    await run('ok')
    expect(started).toBe(name === 'slow' ? 1 : 2)
  })

  it('leaves nothing on the signal of a job, however many files it has', async () => {
    const job = new AbortController()
    await Promise.all([
      run('ok', job.signal),
      run('ok', job.signal),
      run('bad', job.signal).catch(() => undefined),
    ])
    for (let n = 0; n < 5; n += 1) await run('ok', job.signal)
    expect(getEventListeners(job.signal, 'abort')).toEqual([])
  })

  it('takes a waiting task out of the line without starting it', async () => {
    const [first, second, waiting] = [new AbortController(), new AbortController(), new AbortController()]
    const running = [run('slow', first.signal), run('slow', second.signal)]
    await expect.poll(hidden).toHaveLength(2)
    const third = run('ok', waiting.signal)
    waiting.abort(reason)
    await expect(third).rejects.toBe(reason)
    first.abort(reason)
    second.abort(reason)
    await Promise.allSettled(running)
    expect(await readdir(outputFolder)).toEqual([])
  })

  it('before the start starts nothing', async () => {
    await expect(run('ok', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(started).toBe(0)
  })
})

describe('outputs', () => {
  it('are called by input, preset and variation', async () => {
    const one = await run('My photo.v2')
    const two = await run('a', undefined, undefined, { variation: 2, variations: 3 })
    expect([one, two].map(({ outputPath }) => path.basename(outputPath))).toEqual([
      'My photo.v2-web-2048.txt',
      'a-web-2048-v2.txt',
    ])
  })

  it('never replace a file, also when many race for one name', async () => {
    await writeFile(path.join(outputFolder, 'a-web-2048.txt'), 'precious')
    const paths = await Promise.all(Array.from({ length: 8 }, () => run('a')))
    expect(new Set(paths.map(({ outputPath }) => outputPath)).size).toBe(8)
    expect(await readFile(path.join(outputFolder, 'a-web-2048.txt'), 'utf8')).toBe('precious')
    expect((await readdir(outputFolder)).toSorted()).toEqual(
      ['', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'].map((n) => `a-web-2048${n}.txt`).toSorted(),
    )
  })

  it('have names that fit a file system, without cutting a character in half', async () => {
    const { outputPath } = await run('🌸'.repeat(60), undefined, undefined, { presetName: 'ü'.repeat(80) })
    const name = path.basename(outputPath)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(name).toMatch(/^(🌸)+-ü+\.txt$/u)
  })

  it('in a folder that is gone are a plain error', async () => {
    await rm(outputFolder, { recursive: true })
    await expect(run('ok')).rejects.toThrow(/folder .* is not there/)
  })
})
