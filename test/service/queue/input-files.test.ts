/** Fetching input files from a drive whose transfers the test scripts. */
import { appendFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { type DriveFolder, DriveFailure } from '../../../src/service/drive/index.ts'
import { createDiskSpace, type DiskSpace } from '../../../src/service/queue/free-space.ts'
import { type FetchControl, fetchedFiles, type InputFiles } from '../../../src/service/queue/input-files.ts'
import { type JobInput, type Operation, operationsOf } from '../../../src/service/queue/job-plan.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { RESERVE_BYTES } from '../../../src/node/free-space.ts'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
import type { MediaKind } from '../../../src/shared/media-types.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let fetched: string[]
let fail: Set<string>
/** Names requested in each batch. */
let together: (readonly string[])[]
/** Bytes of endless files. */
let written: number
/** Whether a file arrives with its batch; others are fetched individually. */
let comesTogether: (name: string) => boolean
/** Called while a file is being fetched. */
let onFetch: (name: string) => void | Promise<void>
let space: DiskSpace
let results: string
beforeEach(() => {
  folder = temporaryFolder()
  results = temporaryFolder()
  fetched = []
  fail = new Set()
  together = []
  written = 0
  comesTogether = () => false
  onFetch = () => undefined
})

const photos = (names: readonly string[]) => names.map((path): JobInput => ({ path, kind: 'image', work: 1 }))
const INPUTS = photos(['a.png', 'b.png', 'c.png', 'd.png', 'e.png', 'f.png'])
const control = {
  signal: new AbortController().signal,
  get room() {
    return space.open()
  },
  report: () => {},
}

type Sizes = { readonly inputs: readonly JobInput[]; readonly sizeOf: (index: number) => number }

const SMALL: Sizes = { inputs: INPUTS, sizeOf: () => 100 }

function inputFiles(
  batchCount = 1,
  freeBytes: number | (() => number) = 1e12,
  { inputs, sizeOf } = SMALL,
): InputFiles {
  const drive: DriveFolder = {
    id: 'album',
    list: () => Promise.reject(new Error('nothing is listed here')),
    hasContent: () => Promise.resolve(false),
    upload: () => Promise.reject(new Error('uploading isn’t part of this test')),
    async fetch(name, into, { signal }) {
      fetched.push(name)
      await onFetch(name)
      if (name === 'endless.png') return writeUntilStopped(join(into, name), signal)
      if (fail.has(name)) throw new DriveFailure(troubleOf('network'))
      await writeFile(join(into, name), await imageBytes('png'))
      return join(into, name)
    },
    async fetchTogether(names, into, { onArrived, signal }) {
      together.push(names)
      if (names.includes('endless.png')) await writeUntilStopped(join(into, 'endless.png'), signal)
      for (const name of names.filter(comesTogether)) {
        await writeFile(join(into, name), await imageBytes('png'))
        onArrived(name, join(into, name))
      }
    },
  }
  space = createDiskSpace(async () => (typeof freeBytes === 'number' ? freeBytes : freeBytes()))
  return fetchedFiles({
    folder: drive,
    inputs,
    sizes: inputs.map((_, index) => sizeOf(index)),
    batchCount,
    workFolder: folder,
    outputFolder: results,
    space,
  })
}

async function writeUntilStopped(path: string, signal: AbortSignal): Promise<never> {
  await writeFile(path, '')
  for (;;) {
    signal.throwIfAborted()
    await appendFile(path, Buffer.alloc(1_000))
    written += 1_000
    await turn()
  }
}

const operation = (inputIndex: number, variation = 1): Operation => ({
  index: 0,
  inputIndex,
  turn: inputIndex,
  input: { path: 'the index decides', kind: 'image', work: 1 },
  variation,
})

/** Takes a file as an operation does: then its result has space, and the next file is fetched. */
async function take(files: InputFiles, one: Operation, by: FetchControl = control) {
  const file = await files.take(one, by)
  files.fetchNext(one, by.signal)
  return file
}

it('fetches only one file ahead, each file once, and removes it after its last variation', async () => {
  const files = inputFiles(2)
  expect(basename((await take(files, operation(0), control)).path)).toBe('a.png')
  await files.settled()
  expect(fetched).toEqual(['a.png', 'b.png'])
  await take(files, operation(0, 2), control)
  await files.release(operation(0))
  expect(await readdir(folder)).toEqual(['0', '1'])
  await files.release(operation(0, 2))
  expect(await readdir(folder)).toEqual(['1'])
  await take(files, operation(1), control)
  await files.settled()
  expect(fetched).toEqual(['a.png', 'b.png', 'c.png'])
})

it('reports a failed prefetch when it is that file’s turn, and stops after three in a row', async () => {
  fail = new Set(['b.png', 'c.png', 'd.png', 'e.png', 'f.png'])
  const files = inputFiles()
  await take(files, operation(0), control)
  for (let turns = 0; turns < 20; turns++) await turn()
  for (const index of [1, 2, 3, 4, 5]) {
    await expect(take(files, operation(index), control)).rejects.toThrow('Couldn’t fetch the file')
    await files.release(operation(index))
  }
  expect(fetched).toEqual(['a.png', 'b.png', 'c.png', 'd.png'])
  expect(await readdir(folder)).toEqual(['0'])
})

it('fetches the next file only when the result of the current one has space', async () => {
  const files = inputFiles()
  await files.take(operation(0), control)
  await files.settled()
  expect(fetched).toEqual(['a.png'])
  files.fetchNext(operation(0), control.signal)
  await files.settled()
  expect(fetched).toEqual(['a.png', 'b.png'])
})

it('doesn’t fetch a file for which there is too little space', async () => {
  const files = inputFiles(1, 1_000)
  await expect(take(files, operation(0), control)).rejects.toThrow('enough free space')
  expect(fetched).toEqual([])
})

it.each([
  ['of unknown size', 1, -1],
  ['that is larger than the drive says', 1, 100],
  ['that is larger than the drive says, in a batch', 2, 100],
])(
  'the download of a file %s leaves a part of the reserve, and nothing of it stays',
  async (_, count, size) => {
    const inputs = photos(['endless.png', 'b.png'].slice(0, count))
    const most = 50_000
    const files = inputFiles(1, () => RESERVE_BYTES + 1_000 - (written / most) * RESERVE_BYTES, {
      inputs,
      sizeOf: () => size,
    })
    await expect(take(files, operation(0), control)).rejects.toThrow('enough free space')
    await files.settled()
    expect(await readdir(join(folder, '0')).catch(() => [])).toEqual([])
  },
)

it('doesn’t prefetch after the job is stopped', async () => {
  const stop = new AbortController()
  const files = inputFiles()
  onFetch = () => stop.abort()
  await take(files, operation(0), { signal: stop.signal, room: space.open(), report: () => {} })
  await files.settled()
  expect(fetched).toEqual(['a.png'])
})

it('fetches small files together, many per run, and removes each after its last variation', async () => {
  comesTogether = () => true
  const files = inputFiles(2)
  for (const index of INPUTS.keys()) {
    expect(basename((await take(files, operation(index), control)).path)).toBe('input.png')
    await files.release(operation(index))
    await files.release(operation(index, 2))
  }
  expect(together).toEqual([INPUTS.map(({ path }) => path)])
  expect(fetched).toEqual([])
  await files.settled()
  expect(await readdir(folder)).toEqual([])
})

it('fetches at most 64 MiB per run', async () => {
  comesTogether = () => true
  const inputs = photos(Array.from({ length: 20 }, (_, index) => `${index}.png`))
  const files = inputFiles(1, 1e12, { inputs, sizeOf: () => 8 * 1024 * 1024 })
  for (const one of operationsOf(inputs, 1)) {
    await take(files, one, control)
    await files.release(one)
  }
  expect(together.map(({ length }) => length)).toEqual([8, 8, 4])
})

it('fetches a file individually if it did not arrive with the others', async () => {
  comesTogether = (name) => name !== 'b.png' && name !== 'd.png'
  const files = inputFiles()
  for (const index of INPUTS.keys()) await take(files, operation(index), control)
  expect(fetched).toEqual(['b.png', 'd.png'])
})

it('fetches large files individually, as well as files whose names are special or equivalent on some system', async () => {
  comesTogether = () => true
  const inputs = photos(['a.png', 'A.png', '../b.png', 'nul.png', ' c.png', 'large.png', 'z.png'])
  const files = inputFiles(1, 1e12, { inputs, sizeOf: (index) => (index === 5 ? 9_000_000 : 100) })
  await take(files, operation(0), control)
  await files.settled()
  expect(together).toEqual([['a.png', 'z.png']])
})

itInLongSuite(
  'fetches a thousand files in five runs, and starts each run before the last file of the previous run is used',
  async () => {
    comesTogether = () => true
    const inputs = photos(Array.from({ length: 1_000 }, (_, index) => `${index}.png`))
    const files = inputFiles(1, 1e12, { inputs, sizeOf: () => 100 })
    for (const one of operationsOf(inputs, 1)) {
      if (one.index === 160) expect(together).toHaveLength(2)
      await take(files, one, control)
      await files.release(one)
    }
    expect(together.map(({ length }) => length)).toEqual(Array.from({ length: 5 }, () => 200))
    expect(fetched).toEqual([])
  },
)

it('doesn’t start a run for which there is too little space', async () => {
  comesTogether = () => true
  const files = inputFiles(1, 1_000)
  await expect(take(files, operation(0), control)).rejects.toThrow('enough free space')
  expect(together).toEqual([])
})

/** Takes and releases all files in processing order. Returns the largest number of files on disk. */
async function takeAll(inputs: readonly JobInput[], sizeOf = () => 100): Promise<number> {
  const files = inputFiles(1, 1e12, { inputs, sizeOf })
  let most = 0
  for (const one of operationsOf(inputs, 1)) {
    await take(files, one, control)
    most = Math.max(most, (await readdir(folder)).length)
    await files.release(one)
  }
  await files.settled()
  return most
}

describe('batches follow the processing order', () => {
  beforeEach(() => {
    comesTogether = () => true
  })

  it('so the small videos of photos are fetched after the photos', async () => {
    const inputs = Array.from({ length: 150 }, (_, index) =>
      ['image', 'video'].map((kind) => ({ index, kind })),
    )
      .flat()
      .map(({ index, kind }) => ({ path: `${kind} ${index}.png`, kind: kind as MediaKind, work: 1 }))
    const most = await takeAll(inputs, () => 2 * 1024 * 1024)
    expect(fetched).toEqual([])
    const kinds = together.slice(0, 4).map((names) => [...new Set(names.map((name) => name.split(' ')[0]))])
    expect(kinds).toEqual(Array.from({ length: 4 }, () => ['image']))
    expect(most).toBeLessThan(100)
  })

  it('so a video that is last in its folder and first to be processed doesn’t end the batches', async () => {
    const inputs = photos(Array.from({ length: 150 }, (_, index) => `${index}.png`)).map(
      (input, index): JobInput => ({ ...input, kind: 'video', work: 1_000 - index }),
    )
    await takeAll(inputs)
    expect(together).toHaveLength(1)
    expect(fetched).toEqual([])
  })
})

/** What an operation needs to take its file, and the phases that it reports. */
function controlled() {
  const stop = new AbortController()
  const phases: string[] = []
  const room = space.open()
  const report: FetchControl['report'] = ({ phase }) => phases.push(phase)
  return { stop, phases, room, control: { signal: stop.signal, room, report } }
}

describe('downloads share', () => {
  const GB = 1e9
  const videos = photos(Array.from({ length: 20 }, (_, index) => `${index}.png`)).map((input): JobInput => ({
    ...input,
    kind: 'video',
  }))
  const MANY: Sizes = { inputs: videos, sizeOf: () => 10 * GB }
  const operations = () => [...operationsOf(videos, 1)]

  it('the disk with each other and with the results, so that none of them fails', async () => {
    let most = 0
    let lowest = Number.POSITIVE_INFINITY
    const onDisk = new Set<string>()
    const free = () => 60 * GB - 10 * GB * onDisk.size
    const files = inputFiles(1, free, MANY)
    onFetch = (name) => {
      onDisk.add(name)
      most = Math.max(most, onDisk.size)
      lowest = Math.min(lowest, free())
    }
    const waiting = operations()
    async function work(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { control: own, room } = controlled()
        await take(files, next, own)
        await room.reserve([{ folder: results, bytes: 10 * GB }], own.signal, () => undefined)
        files.begun(next)
        await turn()
        onDisk.delete(next.input.path)
        await files.release(next)
        room[Symbol.dispose]()
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
    expect(fetched).toHaveLength(20)
    expect(most).toBeGreaterThan(1)
    expect(lowest).toBeGreaterThanOrEqual(20 * GB)
  })

  it('the disk: one that doesn’t fit waits and reports that', async () => {
    const files = inputFiles(1, 30 * GB, MANY)
    const [one, other] = operations()
    const [first, second] = [controlled(), controlled()]
    await take(files, one!, first.control)
    files.begun(one!)
    await files.settled()
    // Prefetching the other one didn't fit.
    expect(fetched).toEqual(['0.png'])
    const taken = take(files, other!, second.control)
    await expect.poll(() => second.phases).toEqual(['Waiting for disk space'])
    first.room[Symbol.dispose]()
    await taken
    expect(second.phases).toEqual(['Waiting for disk space', 'Fetching'])
    expect(fetched).toEqual(['0.png', '1.png'])
  })

  it('the connection: as many videos are fetched ahead as are processed, plus one', async () => {
    const files = inputFiles(1, 1e15, MANY)
    const all = operations().slice(0, 8)
    const each = all.map((one) => ({ one, ...controlled() }))
    const taken = each.map(({ one, control: own }) => take(files, one, own))
    for (const promise of taken) promise.catch(() => undefined)
    await taken[0]
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(fetched).toEqual(['0.png'])
    expect(each[1]?.phases).toEqual(['Starting'])
    files.begun(all[0]!)
    await taken[2]
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(fetched).toEqual(['0.png', '1.png', '2.png'])
    await files.release(all[0]!)
    await files.release(all[1]!)
    await files.release(all[2]!)
    await expect.poll(() => fetched).toHaveLength(4)
    for (const { stop } of each) stop.abort(new Error('stopped'))
    await expect(taken[7]).rejects.toThrow('stopped')
    expect(fetched).toHaveLength(4)
  })
})
