/** Fetching input files from a drive whose transfers the test scripts. */
import { appendFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { type DriveFolder, DriveFailure } from '../../../src/service/drive/index.ts'
import { fetchedFiles, type InputFiles } from '../../../src/service/queue/input-files.ts'
import { type JobInput, type Operation, operationsOf } from '../../../src/service/queue/job-plan.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { RESERVE_BYTES } from '../../../src/node/free-space.ts'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
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
beforeEach(() => {
  folder = temporaryFolder()
  fetched = []
  fail = new Set()
  together = []
  written = 0
  comesTogether = () => false
})

const photos = (names: readonly string[]) => names.map((path): JobInput => ({ path, kind: 'image', work: 1 }))
const INPUTS = photos(['a.png', 'b.png', 'c.png', 'd.png', 'e.png', 'f.png'])
const control = { signal: new AbortController().signal }

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
  return fetchedFiles({
    folder: drive,
    inputs,
    sizes: inputs.map((_, index) => sizeOf(index)),
    batchCount,
    workFolder: folder,
    freeBytes: async () => (typeof freeBytes === 'number' ? freeBytes : freeBytes()),
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

it('fetches only one file ahead, each file once, and removes it after its last variation', async () => {
  const files = inputFiles(2)
  expect(basename((await files.take(operation(0), control)).path)).toBe('a.png')
  await files.settled()
  expect(fetched).toEqual(['a.png', 'b.png'])
  await files.take(operation(0, 2), control)
  await files.release(operation(0))
  expect(await readdir(folder)).toEqual(['0', '1'])
  await files.release(operation(0, 2))
  expect(await readdir(folder)).toEqual(['1'])
  await files.take(operation(1), control)
  await files.settled()
  expect(fetched).toEqual(['a.png', 'b.png', 'c.png'])
})

it('reports a failed prefetch when it is that file’s turn, and stops after three in a row', async () => {
  fail = new Set(['b.png', 'c.png', 'd.png', 'e.png', 'f.png'])
  const files = inputFiles()
  await files.take(operation(0), control)
  for (let turns = 0; turns < 20; turns++) await turn()
  for (const index of [1, 2, 3, 4, 5]) {
    await expect(files.take(operation(index), control)).rejects.toThrow('Couldn’t fetch the file')
    await files.release(operation(index))
  }
  expect(fetched).toEqual(['a.png', 'b.png', 'c.png', 'd.png'])
  expect(await readdir(folder)).toEqual(['0'])
})

it('doesn’t fetch a file for which there is too little space', async () => {
  const files = inputFiles(1, 1_000)
  await expect(files.take(operation(0), control)).rejects.toThrow('enough free space')
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
    await expect(files.take(operation(0), control)).rejects.toThrow('enough free space')
    await files.settled()
    expect(await readdir(join(folder, '0')).catch(() => [])).toEqual([])
  },
)

it('doesn’t prefetch after the job is stopped', async () => {
  const stop = new AbortController()
  const files = inputFiles()
  const first = files.take(operation(0), { signal: stop.signal })
  stop.abort()
  await first
  await files.settled()
  expect(fetched).toEqual(['a.png'])
})

it('fetches small files together, many per run, and removes each after its last variation', async () => {
  comesTogether = () => true
  const files = inputFiles(2)
  for (const index of INPUTS.keys()) {
    expect(basename((await files.take(operation(index), control)).path)).toBe('input.png')
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
    await files.take(one, control)
    await files.release(one)
  }
  expect(together.map(({ length }) => length)).toEqual([8, 8, 4])
})

it('fetches a file individually if it did not arrive with the others', async () => {
  comesTogether = (name) => name !== 'b.png' && name !== 'd.png'
  const files = inputFiles()
  for (const index of INPUTS.keys()) await files.take(operation(index), control)
  expect(fetched).toEqual(['b.png', 'd.png'])
})

it('fetches large files individually, as well as files whose names are special or equivalent on some system', async () => {
  comesTogether = () => true
  const inputs = photos(['a.png', 'A.png', '../b.png', 'nul.png', ' c.png', 'large.png', 'z.png'])
  const files = inputFiles(1, 1e12, { inputs, sizeOf: (index) => (index === 5 ? 9_000_000 : 100) })
  await files.take(operation(0), control)
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
      await files.take(one, control)
      await files.release(one)
    }
    expect(together.map(({ length }) => length)).toEqual(Array.from({ length: 5 }, () => 200))
    expect(fetched).toEqual([])
  },
)

it('doesn’t start a run for which there is too little space', async () => {
  comesTogether = () => true
  const files = inputFiles(1, 1_000)
  await expect(files.take(operation(0), control)).rejects.toThrow('enough free space')
  expect(together).toEqual([])
})
