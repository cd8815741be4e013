import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { cpus } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { ImageRecipe, ResultRules, VariationRanges, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Confinement, findConfinement, PERMISSIONS } from '../../../src/node/confinement.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import type { Placing } from '../../../src/node/placement-notes.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { startWorker } from '../../../src/media/start-worker.ts'
import { messageOf } from '../../../src/node/errors.ts'
import { lowPriorityWrapper } from '../../../src/node/low-priority.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { canMakeForeignLinks, makeForeignLink } from '../../foreign-link.ts'
import { childrenOf } from '../../child-processes.ts'
import { evenTimes, makeClip } from '../../media/video/make-clip.ts'
import { bundled } from '../../bundled.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { WORKER } from '../../entries.ts'
import {
  createProcessing,
  type Processing,
  type ProcessingTask,
} from '../../../src/service/processing/processing.ts'
import type { TaskControl } from '../../../src/service/processing/worker-pool.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { planOf, queueBelow } from '../queue/queue-below.ts'

const ODD_WORKER = await bundled(fileURLToPath(new URL('./odd-worker.ts', import.meta.url)))
const strongest = await findConfinement({ platform: process.platform, log: () => undefined })
const FORMATS = ['jpeg', 'png', 'webp', 'tiff'] as const

let outputFolder: string
let inputFolder: string
let processing: Processing
/** An object of each test's own: a worker of an earlier test may exit late. */
let workers = { started: 0, ended: 0 }
const logged: string[] = []

const countingStart: typeof startWorker = (kind, start) => {
  const counts = workers
  counts.started++
  const worker = startWorker(kind, start)
  void worker.ended.then(() => counts.ended++)
  // Other tests mount disks meanwhile, which would replace sandboxed workers.
  return { ...worker, mayMissDisk: () => false }
}

function create(options: Partial<Parameters<typeof createProcessing>[0]> = {}): Processing {
  return createProcessing({
    workerPath: ODD_WORKER,
    cores: 2,
    log: (message) => logged.push(message),
    startWorker: countingStart,
    ...options,
  })
}

async function restart(options: Partial<Parameters<typeof createProcessing>[0]>): Promise<void> {
  await processing.close()
  processing = create(options)
}

/** Doesn't confine workers, as if native code in a decoder had been taken over. */
const UNHELD: Confinement = {
  kind: 'permissions',
  startFor: () => ({ wrapper: [], nodeOptions: [], env: {} }),
}

/** Gives workers only a little more memory than Node needs. */
const CRAMPED: Confinement = {
  kind: 'permissions',
  startFor: (reach) => ({
    ...PERMISSIONS.startFor(reach),
    wrapper: ['/bin/sh', '-c', 'ulimit -d 950000; exec "$@"', 'sh'],
  }),
}

beforeEach(() => {
  outputFolder = temporaryFolder()
  inputFolder = temporaryFolder()
  workers = { started: 0, ended: 0 }
  logged.length = 0
  processing = create()
})
afterEach(() => processing.close())

/** Creates an input. Its name tells the odd worker what to do. */
function inputNamed(name: string): string {
  const file = path.join(inputFolder, `${name}.jpg`)
  writeFileSync(file, 'x')
  return file
}

const draw = (file: string) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } }).toFile(file)

const task = (name: string, more: Partial<ProcessingTask> = {}): ProcessingTask => ({
  inputPath: more.inputPath ?? inputNamed(name),
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
  left: 1,
  ...more,
})

type Changes = Partial<ProcessingTask> & {
  readonly signal?: AbortSignal
  /** Called when the task is queued. */
  readonly onQueued?: () => unknown
  /** Called with the progress of the worker. */
  readonly onWork?: () => unknown
}

function run(
  name: string,
  { signal = new AbortController().signal, onQueued = () => {}, onWork = () => {}, ...more }: Changes = {},
) {
  const onProgress: TaskControl['onProgress'] = ({ phase }) => (phase === 'Starting' ? onQueued() : onWork())
  return processing.run(task(name, more), { signal, onProgress })
}

const videoWith = (recipe: z.input<typeof VideoRecipe>) => ({
  recipe: { kind: 'video' as const, video: VideoRecipe.parse(recipe) },
})
const rules = (given: z.input<typeof ResultRules>) => ({ rules: ResultRules.parse(given) })

const hidden = async () => (await readdir(outputFolder)).filter((name) => name.startsWith('.'))
/** Whether each of these files was processed, if all are processed at once. */
const fatesOf = async (...names: readonly string[]) => {
  const results = await Promise.allSettled(names.map((name) => run(name)))
  return results.map(({ status }) => status === 'fulfilled')
}
/** Names of the files that workers are writing. A task that still waits for a worker has only a folder. */
const unfinished = async () =>
  (await readdir(outputFolder, { recursive: true })).filter((name) => name.includes('.part.'))

describe('the date of a result', () => {
  const SUMMER = new Date('2019-07-14T18:30:05Z')
  const dateOf = async (more: Partial<ProcessingTask>) => {
    const inputPath = path.join(outputFolder, 'ok.jpg')
    await writeFile(inputPath, 'x')
    await utimes(inputPath, SUMMER, SUMMER)
    const { outputPath } = await run('ok', { inputPath, ...more })
    return (await stat(outputPath)).mtime
  }

  it('is that of its original, or today’s if the preset requires it', async () => {
    expect(await dateOf({})).toEqual(SUMMER)
    expect((await dateOf(rules({ dates: 'now' }))).getTime()).toBeGreaterThan(SUMMER.getTime())
  })
})

const place = (subfolder: readonly string[], name = '{name}-{width}x{height}') =>
  run('ok', { subfolder, ...rules({ name }) })

describe('the location of a result', () => {
  it('is the subfolder of its input, created if missing, with the name from the template', async () => {
    const places = [await place(['trip', 'day 1']), await place(['trip', 'day 1']), await place([])]
    expect(places.map(({ outputPath }) => path.relative(outputFolder, outputPath).split(path.sep))).toEqual([
      ['trip', 'day 1', 'ok-4x3.png'],
      ['trip', 'day 1', 'ok-4x3-2.png'],
      ['ok-4x3.png'],
    ])
    expect(await hidden()).toEqual([])
  })

  it('never follows a link, which could lead anywhere, and never replaces a file', async () => {
    const elsewhere = temporaryFolder()
    await symlink(elsewhere, path.join(outputFolder, 'trip'))
    await expect(place(['trip'])).rejects.toThrow(/trip/)
    await expect(place(['trip', 'day 1'])).rejects.toThrow(FailureError)
    await writeFile(path.join(outputFolder, 'note'), 'x')
    await expect(place(['note'])).rejects.toThrow(FailureError)
    expect(await readdir(elsewhere)).toEqual([])
    expect(await hidden()).toEqual([])
    await rm(elsewhere, { recursive: true })
  })
})

it.runIf(canMakeForeignLinks)('another user’s link to the output folder isn’t followed', async () => {
  const elsewhere = temporaryFolder()
  await rm(outputFolder, { recursive: true })
  makeForeignLink(elsewhere, outputFolder)
  await expect(run('ok')).rejects.toThrow('a link on its path belongs to another user')
  expect(await readdir(elsewhere)).toEqual([])
})

describe.skipIf(process.platform !== 'linux')('while another user exchanges the folder of a result', () => {
  it.each(firstOf(['day 1', 'trip']))('it isn’t created behind a link: %s', async (exchanged) => {
    const elsewhere = temporaryFolder()
    await mkdir(path.join(elsewhere, 'day 1'))
    const at = exchanged === 'trip' ? 'trip' : 'trip/day 1'
    const onPlacing = async () => {
      renameSync(path.join(outputFolder, at), path.join(outputFolder, 'away'))
      symlinkSync(elsewhere, path.join(outputFolder, at))
    }
    await run('ok', { subfolder: ['trip', 'day 1'], onPlacing })
    expect(await readdir(elsewhere, { recursive: true })).toEqual(['day 1'])
    expect(await readdir(path.join(outputFolder, 'away'), { recursive: true })).toContainEqual(
      expect.stringMatching(/\.png$/),
    )
  })
})

it('a result gets its name only when the note about it is on disk', async () => {
  const noted = Promise.withResolvers<void>()
  let shown: readonly string[] | undefined
  const onPlacing = async ({ path: target }: Placing) => {
    await noted.promise
    shown = await readdir(path.dirname(target))
  }
  const running = run('ok', { onPlacing })
  noted.resolve()
  const { outputPath } = await running
  expect(shown).not.toContain(path.basename(outputPath))
  expect(await readdir(outputFolder)).toContain(path.basename(outputPath))
})

/** Niceness of all threads of the only worker. */
const nice = async () => {
  const [pid = 0] = childrenOf(process.pid, WORKER)
  const threads = await readdir(`/proc/${pid}/task`)
  const all = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8')))
  // The name may contain spaces. Niceness is the 19th field, the name the second.
  return new Set(all.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])))
}

describe('workers', () => {
  it('are started when there are tasks, one per core at most', async () => {
    expect(workers.started).toBe(0)
    await Promise.all(Array.from({ length: 12 }, () => run('ok')))
    expect(workers.started).toBe(2)
    expect(await readdir(outputFolder)).toHaveLength(12)
  })

  itInLongSuite('are no more than there are files', async () => {
    await restart({ cores: 16 })
    await Promise.all(['ok', 'ok', 'ok'].map((name) => run(name)))
    expect(workers.started).toBe(3)
  })

  itInLongSuite('start once the available confinement is known', async () => {
    const known = Promise.withResolvers<Confinement>()
    const waiting = create({ confinement: known.promise })
    const running = waiting.run(task('ok'), { signal: new AbortController().signal, onProgress: () => {} })
    await expect.poll(() => workers.started).toBe(1)
    expect(childrenOf(process.pid, ODD_WORKER)).toEqual([])
    known.resolve(UNHELD)
    await running
    await waiting.close()
  })

  it('finish the photo in progress when processing pauses, and start no other until it continues', async () => {
    await restart({ cores: 1 })
    const starting = Promise.withResolvers<void>()
    const first = run('ok', { onWork: () => starting.resolve() })
    await starting.promise
    processing.steer({ hold: true, lowPriority: false })
    const second = run('ok')
    await first
    // The private folder of the second may exist by now.
    expect((await readdir(outputFolder)).filter((name) => !name.startsWith('.'))).toEqual(['ok-web-2048.png'])
    expect(await unfinished()).toEqual([])
    processing.steer({ hold: false, lowPriority: false })
    await second
    expect(workers.started).toBe(1)
  })

  it('stop waiting for the end of a pause when a task is stopped', async () => {
    processing.steer({ hold: true, lowPriority: false })
    const stopping = new AbortController()
    const queued = Promise.withResolvers<void>()
    const running = run('ok', { signal: stopping.signal, onQueued: () => queued.resolve() })
    await queued.promise
    stopping.abort(new Error('canceled'))
    await expect(running).rejects.toThrow('canceled')
    expect(workers.started).toBe(0)
  })

  itInLongSuite(
    'run at low priority with all their threads, and are replaced when priority returns to normal',
    async ({ skip }) => {
      skip(process.platform !== 'linux')
      await restart({ workerPath: WORKER, cores: 1 })
      const inputPath = path.join(outputFolder, 'in.png')
      await draw(inputPath)
      await run('in', { inputPath })
      const normal = [...(await nice())]
      expect(normal).toHaveLength(1)
      processing.steer({ hold: false, lowPriority: true })
      await run('in', { inputPath })
      expect(workers.started).toBe(2)
      await expect.poll(async () => [...(await nice())]).toEqual([10])
      const [pid = 0] = childrenOf(process.pid, WORKER)
      if (lowPriorityWrapper().length > 0)
        expect(execFileSync('ionice', ['-p', String(pid)], { encoding: 'utf8' })).toContain(
          'best-effort: prio 7',
        )
      processing.steer({ hold: false, lowPriority: false })
      await run('in', { inputPath })
      expect(workers.started).toBe(3)
      await expect.poll(async () => [...(await nice())]).toEqual(normal)
    },
  )

  itInLongSuite(
    'write to one folder only: another folder requires another worker, which replaces an idle one',
    async () => {
      const others = await Promise.all(['a', 'b'].map((name) => mkdtemp(path.join(outputFolder, name))))
      for (const folder of [outputFolder, ...others, outputFolder]) await run('ok', { outputFolder: folder })
      expect(workers.started).toBe(4)
      await expect.poll(() => workers.ended).toBe(2)
      expect(await Promise.all(others.map((folder) => readdir(folder)))).toEqual([
        ['ok-web-2048.png'],
        ['ok-web-2048.png'],
      ])
    },
  )

  describeInLongSuite.runIf(strongest.kind === 'bubblewrap')('confined by bubblewrap', () => {
    it.each(['image', 'video'] as const)(
      'are replaced if another folder has taken the place of the one for %s results',
      async (media) => {
        const recipe = media === 'image' ? {} : videoWith({})
        await restart({ confinement: strongest, cores: 1 })
        let reports = 0
        const process = () => run('ok', { onWork: () => reports++, ...recipe })
        await process()
        const ofOne = reports
        await process()
        expect(workers.started).toBe(1)
        renameSync(outputFolder, `${outputFolder}.earlier`)
        await mkdir(outputFolder)
        await process()
        expect([workers.started, await readdir(outputFolder)]).toEqual([2, [expect.stringMatching(/^ok/)]])
        // The new folder may get the same inode.
        rmSync(outputFolder, { recursive: true })
        mkdirSync(outputFolder)
        await process()
        expect([workers.started, await readdir(outputFolder)]).toEqual([3, [expect.stringMatching(/^ok/)]])
        expect(reports).toBe(4 * ofOne)
      },
    )

    it('are replaced if the folder is replaced while they process a photo, which is processed again', async () => {
      await restart({ confinement: strongest, cores: 1 })
      const starting = Promise.withResolvers<void>()
      const running = run('late', { onWork: () => starting.resolve() })
      await starting.promise
      renameSync(outputFolder, `${outputFolder}.earlier`)
      await mkdir(outputFolder)
      await writeFile(path.join(inputFolder, 'moved'), '')
      await running
      expect([workers.started, await readdir(outputFolder)]).toEqual([2, [expect.stringMatching(/^late/)]])
    })

    it.each([
      ['photo', 'a.png', {}],
      ['video', 'a.mp4', videoWith({})],
    ] as const)(
      'that can’t write to the folder name it and the reason, after a second attempt: a %s',
      async (media, name, recipe) => {
        // Only in the sandbox, the folder is read-only.
        const startFor: Confinement['startFor'] = (reach) => ({
          ...strongest.startFor(reach),
          wrapper: strongest.startFor({ ...reach, writable: [] }).wrapper,
        })
        await restart({ confinement: { ...strongest, startFor }, workerPath: WORKER, cores: 1 })
        const inputPath = path.join(inputFolder, name)
        if (media === 'video') await makeClip(inputPath, { width: 64, height: 48, times: evenTimes(3, 25) })
        else await draw(inputPath)
        const error = await run('a', { inputPath, ...recipe }).catch((e: unknown) => e)
        expect(error instanceof FailureError && error.failure).toEqual(
          failure('resultNotSavedIn', { folder: outputFolder, reason: reason('readOnly') }),
        )
        expect(workers.started).toBe(2)
      },
    )
  })

  itInLongSuite.runIf(strongest.kind === 'bubblewrap')(
    'are all replaced if they can’t see a photo, because its disk was mounted after they had started',
    async () => {
      const disk = temporaryFolder()
      const startFor: Confinement['startFor'] = (reach) => {
        const start = strongest.startFor(reach)
        const hidden = workers.started < 2 ? ['--tmpfs', disk] : []
        return { ...start, wrapper: [...start.wrapper.slice(0, -1), ...hidden, '--'] }
      }
      await restart({ confinement: { ...strongest, startFor }, workerPath: WORKER, cores: 2 })
      const photo = async (name: string) => {
        const inputPath = path.join(name === 'there' ? disk : inputFolder, `${name}.png`)
        await draw(inputPath)
        return run(name, { inputPath })
      }
      await Promise.all(['a', 'b'].map(photo))
      expect(workers.started).toBe(2)
      expect((await photo('there')).outputPath).toMatch(/there/)
      expect(workers.started).toBe(3)
    },
  )

  it('exit when idle, and restart for the next task', async () => {
    await restart({ idleMs: 20 })
    await run('ok')
    await expect.poll(() => workers.ended).toBe(workers.started)
    const before = workers.started
    await run('ok')
    expect(workers.started).toBe(before + 1)
  })

  const deaths = [
    ['crash', /crashed.*SIGSEGV/],
    ['kill', /memory ran out/],
  ] as const
  it.each(firstOf(deaths))(
    'that exit unexpectedly (%s) fail only one file and are replaced',
    async (name, reason) => {
      expect(await fatesOf('ok', name, 'ok', 'ok')).toEqual([true, false, true, true])
      const failure = await run(name).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(FailureError)
      expect(String(failure)).toMatch(reason)
      expect(await hidden()).toEqual([])
    },
  )

  itInLongSuite.each(['interrupted-once', 'killed-once'])(
    'that a signal ended repeat their file once (%s)',
    async (name) => {
      expect(await run(name)).toHaveProperty('outputPath')
      expect(await hidden()).toEqual([])
    },
  )

  itInLongSuite.each(['killed-once', 'interrupted-once'])(
    'that were ended from outside report their file as starting until it is processed again (%s)',
    async (name) => {
      const reports: (string | number)[] = []
      const control: TaskControl = {
        signal: new AbortController().signal,
        onProgress: ({ phase, share }) => reports.push(phase, share),
      }
      await processing.run(task(name), control)
      expect(reports).toEqual(['Starting', 0, 'Processing', 0.5, 'Starting', 0, 'Processing', 0.5])
    },
  )

  itInLongSuite('that the system killed next to others repeat their file alone', async () => {
    expect(await fatesOf('large', 'large', 'ok', 'large')).toEqual([true, true, true, true])
  })

  const unrepeated = [
    ['kill', 2, /memory ran out/],
    ['oversized', 1, /more memory than one file may use/],
  ] as const
  it.each(firstOf(unrepeated))(
    'repeat a file that ends them (%s) only if that may help',
    async (name, attempts, reason) => {
      await expect(run(name)).rejects.toThrow(reason)
      expect(logged.filter((line) => line.includes('A worker ended'))).toHaveLength(attempts)
    },
  )

  it('that lack memory are replaced and repeat their file once', async () => {
    await restart({ cores: 1 })
    for (const name of ['ok', 'cramped', 'cramped', 'outgrowing']) await run(name)
    expect(workers.started).toBe(4)
    let attempts = 0
    const starved = run('starved', { onWork: () => attempts++ })
    await expect(starved).rejects.toThrow(/isn’t enough memory/)
    expect(attempts).toBe(2)
  })

  itInLongSuite.runIf(process.platform === 'linux')(
    'that lack memory report that, even if their encoder doesn’t',
    async () => {
      await restart({ workerPath: WORKER, confinement: CRAMPED })
      const inputPath = path.join(inputFolder, 'large.mp4')
      await makeClip(inputPath, { width: 3840, height: 2160, times: evenTimes(20, 25) })
      const large = { inputPath, ...videoWith({ rotate: 90 }) }
      await expect(run('large', large)).rejects.toThrow(/more memory than one file may use/)
      expect(workers.started).toBe(2)
      // If the worker has processed another file before, the large one is repeated in a new worker.
      const small = path.join(inputFolder, 'small.mp4')
      await makeClip(small, { width: 64, height: 48, times: evenTimes(2, 25) })
      await run('small', { ...large, inputPath: small })
      await expect(run('large', large)).rejects.toThrow(/more memory than one file may use/)
      expect(workers.started).toBe(4)
    },
  )

  itInLongSuite('run together only while their photos fit in the memory, and one always does', async () => {
    await restart({ cores: 4, available: () => 1 })
    await Promise.all(['ok', 'ok', 'ok'].map((name) => run(name)))
    expect(workers.started).toBe(1)
  })

  it('process the files of a job in order, regardless of how long it takes to prepare each', async () => {
    const asked: string[] = []
    await restart({
      cores: 1,
      startWorker(kind, options) {
        const worker = countingStart(kind, options)
        return {
          ...worker,
          send(message) {
            if (message.kind === 'ask' && message.name === 'make') asked.push(message.input.inputPath)
            worker.send(message)
          },
        }
      },
    })
    const inputs = ['photo', 'photo', 'long', 'short'].map((kind, index) => ({
      path: inputNamed(`${kind} ${index}`),
      kind: kind === 'photo' ? ('image' as const) : ('video' as const),
      work: kind === 'long' ? 2 : 1,
    }))
    let prepared = 0
    const queue = queueBelow(outputFolder, {
      processing,
      now: Date.now,
      newId: () => 'job',
      freeBytes: () => setTimeout(prepared++ === 0 ? 100 : 0, 1e12),
    })
    queue.add(planOf(outputFolder, [], { source: { kind: 'files', inputs } }))
    await expect.poll(() => queue.find('job')?.status).toBe('completed')
    const order = [0, 1, 3, 2].map((index) => inputs[index]?.path)
    expect(asked).toEqual(order)
  })

  describe('of videos', () => {
    const video = videoWith({})
    let asked: number[] = []
    let engines: (string | undefined)[] = []
    let held: boolean[] = []
    const capturing: typeof startWorker = (kind, options) => {
      const worker = countingStart(kind, options)
      return {
        ...worker,
        send(message) {
          if (message.kind === 'ask' && message.name === 'make') {
            const { cores, recipe } = message.input
            asked.push(cores ?? cpus().length)
            engines.push(recipe.kind === 'video' ? recipe.video.engine : undefined)
          }
          if (message.kind === 'hold') held.push(message.isHeld)
          worker.send(message)
        },
      }
    }
    beforeEach(async () => {
      asked = []
      engines = []
      held = []
      await restart({ cores: 8, startWorker: capturing })
    })

    it.each(
      firstOf([
        [6, [3, 3]],
        [7, [4, 4]],
        [8, [4, 4]],
        [5, [5]],
      ] as const),
    )('share %d cores without leaving one idle: %j', async (cores, threads) => {
      await restart({ cores, startWorker: capturing })
      const stop = new AbortController()
      const all = Array.from({ length: 4 }, () => run('slow', { signal: stop.signal, ...video, left: 4 }))
      await expect.poll(() => asked).toEqual(threads)
      expect(workers.started).toBe(threads.length)
      stop.abort()
      await Promise.allSettled(all)
    })

    it.each(
      firstOf([
        ['more threads, if memory is too scarce for two', 'software', 6, [7]],
        ['as many more threads as fit', 'software', 4.7, [6]],
        ['no more threads, if none fit', 'software', 1, [4]],
        ['more threads, if the trial of an encoder leaves too little memory for two', 'auto', 8, [7]],
      ] as const),
    )('use %s', async (_, engine, gigabytes, threads) => {
      await restart({ cores: 7, startWorker: capturing, available: () => gigabytes * 1e9 })
      const stop = new AbortController()
      const changes = { signal: stop.signal, ...videoWith({ engine }), left: 4 }
      const queued = new Set<number>()
      const all = Array.from({ length: 4 }, (_task, index) => {
        const onQueued = () => queued.add(index)
        return run('slow', { ...changes, onQueued, onWork: onQueued })
      })
      await expect.poll(() => asked.length > 0 && queued.size === all.length).toBe(true)
      stop.abort()
      await Promise.allSettled(all)
      expect(asked).toEqual(threads)
    })

    it('don’t wait for memory only because they could use more threads', async () => {
      await restart({ cores: 7, startWorker: capturing, available: () => 8e9 })
      const stop = new AbortController()
      const changes = { signal: stop.signal, ...videoWith({ engine: 'software' }) }
      const first = run('slow', { ...changes, left: 2 })
      await expect.poll(() => asked).toEqual([4])
      const last = run('slow', { ...changes, left: 1 })
      await expect.poll(() => asked).toEqual([4, 5])
      stop.abort()
      await Promise.allSettled([first, last])
    })

    it('leave the hardware encoder to one of them at a time', async () => {
      const stop = new AbortController()
      const first = run('slow', { signal: stop.signal, ...video, left: 2 })
      await expect.poll(() => engines).toEqual(['auto'])
      await run('ok', { ...video, left: 2 })
      stop.abort()
      await Promise.allSettled([first])
      await run('ok', videoWith({ engine: 'hardware' }))
      await run('ok', videoWith({ engine: 'software' }))
      expect(engines).toEqual(['auto', 'software', 'hardware', 'software'])
    })

    it('are all paused and resumed together', async () => {
      const stop = new AbortController()
      const all = Array.from({ length: 3 }, () => run('slow', { signal: stop.signal, ...video, left: 3 }))
      await expect.poll(() => asked.length).toBe(2)
      processing.steer({ hold: true, lowPriority: false })
      expect(held).toEqual([true, true])
      processing.steer({ hold: false, lowPriority: false })
      expect(held.slice(2)).toEqual([false, false])
      stop.abort()
      await Promise.allSettled(all)
    })

    itInLongSuite('use all cores for a job’s last video, and share them between its last two', async () => {
      await restart({ cores: 16, startWorker: capturing })
      await run('ok', { ...video, left: 1 })
      await run('ok', { ...video, left: 2 })
      expect(asked).toEqual([16, 8])
      await restart({ cores: 6, startWorker: capturing })
      await run('ok', { ...video, left: 1 })
      expect(asked.slice(2)).toEqual([6])
    })

    itInLongSuite('wait until photos have left enough cores', async () => {
      const stop = new AbortController()
      const photos = Array.from({ length: 5 }, () => run('slow', { signal: stop.signal }))
      await expect.poll(() => asked.length).toBe(5)
      const last = run('ok', video)
      await run('ok')
      expect(asked).toHaveLength(6)
      stop.abort()
      await Promise.allSettled([...photos, last])
      expect(asked).toHaveLength(7)
    })
  })

  itInLongSuite('that a signal to all processes ended twice fail their file', async () => {
    await expect(run('interrupted')).rejects.toThrow(/SIGINT/)
    expect(await hidden()).toEqual([])
  })

  itInLongSuite.each(['garbage', 'half a message'])(
    'that send %s are killed and replaced, and lose only their current file',
    async (name) => {
      expect(await fatesOf(name, 'ok')).toEqual([false, true])
      await expect(run(name)).rejects.toThrow(/Couldn’t start the worker process for this file/)
      await run('ok')
      expect(await hidden()).toEqual([])
    },
  )

  it.runIf(process.platform === 'linux')(
    'that exceed their memory limit fail only their current file',
    async () => {
      await restart({ memory: 512 * 2 ** 20 })
      expect(await fatesOf('ok', 'greedy', 'ok')).toEqual([true, false, true])
      await expect(run('greedy')).rejects.toThrow(/needs more memory .* original is unchanged/)
      expect(await hidden()).toEqual([])
    },
  )

  it('have the end of their stderr logged with the file', async () => {
    await run('crash').catch(() => {})
    expect(logged.join()).toMatch(/crash\.jpg.*the decoder fell over/)
  })

  it.each(firstOf(['link', 'lending', 'stray', 'sibling', 'way', 'program'], 2))(
    'that report a different file as their result (%s) can’t move anyone’s file',
    async (name) => {
      const folder = await mkdtemp(path.join(outputFolder, 'in-'))
      const inputPath = path.join(folder, `${name}.jpg`)
      await writeFile(inputPath, 'mine')
      await restart({ confinement: UNHELD })
      await writeFile(path.join(outputFolder, 'mine.txt'), 'mine')
      await expect(run(name, { inputPath })).rejects.toThrow('an invalid result')
      expect(await readdir(folder)).toEqual([`${name}.jpg`])
      expect((await readdir(outputFolder)).toSorted()).toEqual([path.basename(folder), 'mine.txt'])
    },
  )

  it('receive a private folder with an unguessable name for each task', async () => {
    const stop = new AbortController()
    const running = Promise.allSettled([
      run('slow', { signal: stop.signal }),
      run('slow', { signal: stop.signal }),
    ])
    await expect.poll(hidden).toHaveLength(2)
    const names = await hidden()
    const folders = await Promise.all(names.map((name) => stat(path.join(outputFolder, name))))
    expect(folders.map((found) => found.isDirectory() && found.mode & 0o777)).toEqual([0o700, 0o700])
    expect(new Set(names.map((name) => name.slice(-16))).size).toBe(2)
    stop.abort(new Error('enough'))
    await running
    expect(await hidden()).toEqual([])
  })

  // Only root can change the owner of a file.
  it.runIf(process.getuid?.() === 0)(
    'return nothing from a folder that another user has swapped in',
    async () => {
      await restart({ confinement: UNHELD })
      await expect(run('swap')).rejects.toThrow('an invalid result')
      expect((await readdir(outputFolder)).filter((name) => !name.startsWith('.'))).toEqual([])
    },
  )

  it('that can’t be started cause a plain error', async () => {
    await restart({ workerPath: path.join(outputFolder, 'missing.js') })
    await expect(run('ok')).rejects.toBeInstanceOf(FailureError)
  })

  itInLongSuite(
    'that make no progress for too long are killed, and the next file gets another one',
    async () => {
      await restart({ tickMs: 10 })
      await expect(run('hang')).rejects.toThrow('took far longer')
      await run('ok')
      expect(workers.started).toBe(2)
      expect(await hidden()).toEqual([])
    },
  )

  it('report a failure’s reason in plain words and continue', async () => {
    await expect(run('bad')).rejects.toThrow('odd')
    await run('ok')
    expect(workers.started).toBe(1)
    expect(await hidden()).toEqual([])
  })

  it('all exit on close, even during a task', async () => {
    await restart({ graceMs: 50 })
    const results = Promise.allSettled(['ok', 'slow', 'hang', 'ok'].map((name) => run(name)))
    await expect.poll(unfinished).toHaveLength(2)
    await processing.close()
    const closing = (await results).slice(1, 3).map((result) => 'reason' in result && result.reason.message)
    expect(closing).toEqual(['The service is shutting down.', 'The service is shutting down.'])
    expect(workers.ended).toBe(workers.started)
    expect(await hidden()).toEqual([])
    await expect(run('ok')).rejects.toThrow('shutting down')
  })

  it('exit on close without being killed, whether idle or stopped during a task', async () => {
    await restart({ graceMs: 200_000 })
    const both = [run('slow').catch(messageOf), run('ok')]
    await both[1]
    await processing.close()
    expect([await both[0], workers.ended]).toEqual(['The service is shutting down.', 2])
  })
})

itInLongSuite('a real worker reports what is missing in the result of a truncated video', async () => {
  const folder = path.join(outputFolder, 'in')
  await mkdir(folder)
  const whole = path.join(folder, 'whole.mkv')
  await makeClip(whole, { width: 64, height: 48, times: evenTimes(250, 25) })
  const bytes = await readFile(whole)
  const cut = path.join(folder, 'cut.mkv')
  await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length * 0.7)))
  await restart({ workerPath: WORKER })
  const made = await run('cut', { inputPath: cut, ...videoWith({ speed: 'ultrafast' }) })
  expect(made.problem && inEnglish(made.problem)).toMatch(/\d of 10 seconds are missing/)
  expect(await readdir(outputFolder)).toContain(path.basename(made.outputPath))
})

const OTHERS = [
  [{ codec: 'none', audio: 'aac' }, 'm4a'],
  [{ codec: 'none', audio: 'opus' }, 'opus'],
  [{ codec: 'gif', container: 'gif' }, 'gif'],
] as const
it.each(firstOf(OTHERS))(
  'a confined worker makes other results of a video, named by their date: %o',
  async (recipe, extension) => {
    const clip = path.join(temporaryFolder(), 'clip.mkv')
    const tags = { 'com.apple.quicktime.creationdate': '2024-05-06T07:08:09+0200' }
    await makeClip(clip, { width: 64, height: 48, times: evenTimes(25, 25), sound: 1, tags })
    await restart({ workerPath: WORKER })
    await run('clip', { inputPath: clip, ...rules({ name: '{taken} {name}' }), ...videoWith(recipe) })
    expect(await readdir(outputFolder)).toEqual([`2024-05-06 07.08.09 clip.${extension}`])
  },
)

it('a real worker exits when its parent is gone', async () => {
  const worker = spawn(process.execPath, [WORKER], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
  await once(worker, 'spawn')
  worker.stdin?.end()
  expect(await once(worker, 'exit')).toEqual([0, null])
})

describe('stopping', () => {
  const reason = new Error('cancelled by the user')

  it.each(['slow', 'hang'])('ends a task and leaves nothing behind: %s', async (name) => {
    // A worker that reacts to the request stops on its own, however late; one that doesn't is killed.
    await restart({ graceMs: name === 'slow' ? 60_000 : 100 })
    const stop = new AbortController()
    await expect(run(name, { signal: stop.signal, onWork: () => stop.abort(reason) })).rejects.toBe(reason)
    expect(await readdir(outputFolder)).toEqual([])
    expect(logged).toEqual([])
    await run('ok')
    expect(workers.started).toBe(name === 'slow' ? 1 : 2)
  })

  it('removes a waiting task from the queue without starting it', async () => {
    const [first, second, waiting] = [new AbortController(), new AbortController(), new AbortController()]
    const running = [run('slow', { signal: first.signal }), run('slow', { signal: second.signal })]
    await expect.poll(hidden).toHaveLength(2)
    const queued = Promise.withResolvers<void>()
    const third = run('ok', { signal: waiting.signal, onQueued: () => queued.resolve() })
    await queued.promise
    waiting.abort(reason)
    await expect(third).rejects.toBe(reason)
    expect(workers.started).toBe(2)
    first.abort(reason)
    second.abort(reason)
    await Promise.allSettled(running)
    expect(await readdir(outputFolder)).toEqual([])
  })

  it('starts nothing if the task was stopped before it started', async () => {
    await expect(run('ok', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(workers.started).toBe(0)
  })
})

describe('outputs', () => {
  it('are not written to the mount point of a disk that was removed', async () => {
    const gone = { message: `The disk with the folder ${outputFolder} isn’t connected.` }
    await expect(run('fine', { mount: outputFolder })).rejects.toMatchObject(gone)
    expect([workers.started, await readdir(outputFolder)]).toEqual([0, []])
    await run('fine', { mount: '/proc' })
    expect(await readdir(outputFolder)).toHaveLength(1)
  })

  it('never replace a file, even when many compete for one name', async () => {
    await writeFile(path.join(outputFolder, 'a-web-2048.png'), 'precious')
    const paths = await Promise.all(Array.from({ length: 8 }, () => run('a')))
    expect(new Set(paths.map(({ outputPath }) => outputPath)).size).toBe(8)
    expect(await readFile(path.join(outputFolder, 'a-web-2048.png'), 'utf8')).toBe('precious')
    const names = ['', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'].map((n) => `a-web-2048${n}.png`)
    expect((await readdir(outputFolder)).toSorted()).toEqual(names.toSorted())
  })

  it('in a missing folder cause a plain error', async () => {
    await rm(outputFolder, { recursive: true })
    await expect(run('ok')).rejects.toThrow(/Couldn’t write to the folder .*: it doesn’t exist/)
  })
})

describe('the reason when a real worker can’t write or read', () => {
  let photo: string

  beforeEach(async () => {
    photo = path.join(outputFolder, 'harbor.png')
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    await sharp({ create: { width: 900, height: 900, channels: 3, background: 'red', noise } })
      .png()
      .toFile(photo)
    await restart({ workerPath: WORKER })
  })

  const reasonIn = (folder: string, onProgress: () => void = () => {}, inputPath = photo) =>
    run('harbor', { onWork: onProgress, outputFolder: folder, inputPath }).then(
      () => 'made',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    )

  it.each(firstOf(FORMATS))('is that this user may not write to the folder (%s)', async (format) => {
    await chmod(outputFolder, 0o755)
    const closed = path.join(outputFolder, 'closed')
    await mkdir(closed, { mode: 0o555 })
    const recipe = { kind: 'image', image: ImageRecipe.parse({ format }) } as const
    const given = { outputFolder: closed, inputPath: photo, recipe }
    const told = await asOrdinaryUser(() => run('harbor', given).catch(messageOf))
    expect(told).toBe(`Couldn’t write to the folder ${closed}: access is denied.`)
  })

  itInLongSuite('is that the folder has been deleted', async () => {
    const going = path.join(outputFolder, 'going')
    await mkdir(going)
    const told = await reasonIn(going, () => rmSync(going, { recursive: true, force: true }))
    expect(told).toBe(`Couldn’t write to the folder ${going}: it doesn’t exist.`)
  })

  it('is that the disk is read-only', async ({ skip }) => {
    const folder = path.join(outputFolder, 'disk')
    using disk = smallDisk(folder, '100m')
    if (disk === undefined) return skip()
    disk.makeReadOnly()
    const told = await reasonIn(folder)
    expect(told).toBe(`Couldn’t write to the folder ${folder}: the disk is read-only.`)
  })

  it('is that the original may not be read', async () => {
    await chmod(outputFolder, 0o777)
    await chmod(photo, 0o000)
    const told = await asOrdinaryUser(() => reasonIn(outputFolder))
    expect(told).toContain('access is denied')
  })
})
