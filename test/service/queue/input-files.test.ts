/** Files of a drive on their way to the processing, from a drive whose every transfer the test ends. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DriveFolder, DriveFailure } from '../../../src/service/drive/index.ts'
import { fetchedFiles, type InputFiles } from '../../../src/service/queue/input-files.ts'
import type { JobInput, Operation } from '../../../src/service/queue/job-plan.ts'
import { troubleOf } from '../../../src/node/rclone/index.ts'
import { imageBytes } from '../../conformance/sample-files.ts'

let folder: string
let fetched: string[]
let fail: Set<string>
/** Each run with the names it was asked for. */
let together: (readonly string[])[]
/** Comes with others; what does not is fetched alone. */
let comesTogether: (name: string) => boolean
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-inputs-'))
  fetched = []
  fail = new Set()
  together = []
  comesTogether = () => false
})
afterEach(() => rm(folder, { recursive: true }))

const INPUTS: readonly JobInput[] = ['a.png', 'b.png', 'c.png', 'd.png', 'e.png', 'f.png'].map((path) => ({
  path,
  kind: 'image',
}))
const control = { signal: new AbortController().signal }

type Sizes = { readonly inputs: readonly JobInput[]; readonly sizeOf: (index: number) => number }

const SMALL: Sizes = { inputs: INPUTS, sizeOf: () => 100 }

function inputFiles(batchCount = 1, freeBytes = 1e12, { inputs, sizeOf } = SMALL): InputFiles {
  const drive: DriveFolder = {
    id: 'album',
    list: () => Promise.reject(new Error('nothing is listed here')),
    upload: () => Promise.reject(new Error('nothing is uploaded here')),
    async fetch(name, into) {
      fetched.push(name)
      if (fail.has(name)) throw new DriveFailure(troubleOf('network'))
      await writeFile(join(into, name), await imageBytes('png'))
      return join(into, name)
    },
    async fetchTogether(names, into, { onArrived }) {
      together.push(names)
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
    freeBytes: () => Promise.resolve(freeBytes),
  })
}

function operation(inputIndex: number, variation = 1): Operation {
  const input = INPUTS[inputIndex]
  if (!input) throw new Error('no such input')
  return { index: 0, inputIndex, input, variation }
}

it('fetches one ahead and not more, each once, and removes it after its last variation', async () => {
  const files = inputFiles(2)
  expect(basename(await files.take(operation(0), control))).toBe('a.png')
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

it('what fails ahead is told when it is that file’s turn; after three in a row the rest is not tried', async () => {
  fail = new Set(['b.png', 'c.png', 'd.png', 'e.png', 'f.png'])
  const files = inputFiles()
  await files.take(operation(0), control)
  for (let turns = 0; turns < 20; turns++) await turn()
  for (const index of [1, 2, 3, 4, 5]) {
    await expect(files.take(operation(index), control)).rejects.toThrow('could not be fetched')
    await files.release(operation(index))
  }
  expect(fetched).toEqual(['a.png', 'b.png', 'c.png', 'd.png'])
  expect(await readdir(folder)).toEqual(['0'])
})

it('nothing is fetched that there is no room for', async () => {
  const files = inputFiles(1, 1_000)
  await expect(files.take(operation(0), control)).rejects.toThrow('not enough free space')
  expect(fetched).toEqual([])
})

it('nothing is fetched ahead once the job is stopped', async () => {
  const stop = new AbortController()
  const files = inputFiles()
  const first = files.take(operation(0), { signal: stop.signal })
  stop.abort()
  await first
  await files.settled()
  expect(fetched).toEqual(['a.png'])
})

it('small files come together, in one run for many, and each goes after its last variation', async () => {
  comesTogether = () => true
  const files = inputFiles(2)
  for (const index of INPUTS.keys()) {
    expect(basename(await files.take(operation(index), control))).toBe('input.png')
    await files.release(operation(index))
    await files.release(operation(index, 2))
  }
  expect(together).toEqual([INPUTS.map(({ path }) => path)])
  expect(fetched).toEqual([])
  await files.settled()
  expect(await readdir(folder)).toEqual([])
})

it('a run brings at most 64 MiB', async () => {
  comesTogether = () => true
  const inputs = Array.from({ length: 20 }, (_, index): JobInput => ({ path: `${index}.png`, kind: 'image' }))
  const files = inputFiles(1, 1e12, { inputs, sizeOf: () => 8 * 1024 * 1024 })
  for (const [inputIndex, input] of inputs.entries()) {
    const one = { index: inputIndex, inputIndex, input, variation: 1 }
    await files.take(one, control)
    await files.release(one)
  }
  expect(together.map(({ length }) => length)).toEqual([8, 8, 4])
})

it('one that did not come with the others is fetched alone', async () => {
  comesTogether = (name) => name !== 'b.png' && name !== 'd.png'
  const files = inputFiles()
  for (const index of INPUTS.keys()) await files.take(operation(index), control)
  expect(fetched).toEqual(['b.png', 'd.png'])
})

it('large ones, names that mean something on a system, and names that one takes for another’s come alone', async () => {
  comesTogether = () => true
  const names = ['a.png', 'A.png', '../b.png', 'nul.png', ' c.png', 'large.png', 'z.png']
  const inputs = names.map((path): JobInput => ({ path, kind: 'image' }))
  const files = inputFiles(1, 1e12, { inputs, sizeOf: (index) => (index === 5 ? 9_000_000 : 100) })
  await files.take(
    { index: 0, inputIndex: 0, input: { path: 'a.png', kind: 'image' }, variation: 1 },
    control,
  )
  await files.settled()
  expect(together).toEqual([['a.png', 'z.png']])
})

it('a thousand come in five runs, the next of them before the last file of one is taken', async () => {
  comesTogether = () => true
  const inputs = Array.from({ length: 1_000 }, (_, index): JobInput => ({
    path: `${index}.png`,
    kind: 'image',
  }))
  const files = inputFiles(1, 1e12, { inputs, sizeOf: () => 100 })
  for (const [inputIndex, input] of inputs.entries()) {
    const one = { index: inputIndex, inputIndex, input, variation: 1 }
    if (inputIndex === 160) expect(together).toHaveLength(2)
    await files.take(one, control)
    await files.release(one)
  }
  expect(together.map(({ length }) => length)).toEqual(Array.from({ length: 5 }, () => 200))
  expect(fetched).toEqual([])
})

it('a run that there is no room for is not begun', async () => {
  comesTogether = () => true
  const files = inputFiles(1, 1_000)
  await expect(files.take(operation(0), control)).rejects.toThrow('not enough free space')
  expect(together).toEqual([])
})
