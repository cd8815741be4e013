import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freeBytesOnDisk, requireFreeSpace, requireSpaceFor } from '../../../src/service/queue/free-space.ts'

const RESERVE = 64 * 1024 * 1024
const SIZE = 3_000_000

let folder: string
let input: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-space-'))
  input = join(folder, 'a.png')
  await writeFile(input, Buffer.alloc(SIZE))
})
afterEach(() => rm(folder, { recursive: true }))

const free = (bytes: number) => () => Promise.resolve(bytes)

it('a result may be as large as its original, and leaves a reserve', async () => {
  await requireFreeSpace(input, folder, free(SIZE + RESERVE))
  await expect(requireFreeSpace(input, folder, free(SIZE + RESERVE - 1))).rejects.toThrow(
    `There is not enough free space for the result in ${folder}: 70 MB are free, about 70 MB are needed`,
  )
})

it('an original or a folder that is gone is named', async () => {
  await expect(requireFreeSpace(join(folder, 'gone.png'), folder, free(1e12))).rejects.toThrow(
    `The file is no longer there: ${join(folder, 'gone.png')}`,
  )
  await expect(requireFreeSpace(input, join(folder, 'gone'), freeBytesOnDisk)).rejects.toThrow(
    `The output folder can't be reached any more: ${join(folder, 'gone')}`,
  )
})

it('a file is fetched where it fits beside the reserve; one of unknown size needs the reserve alone', async () => {
  await requireSpaceFor(1_000, folder, free(RESERVE + 1_000))
  await expect(requireSpaceFor(1_000, folder, free(RESERVE + 999))).rejects.toThrow(
    `to fetch the file to ${folder}`,
  )
  await requireSpaceFor(-1, folder, free(RESERVE))
  await expect(requireSpaceFor(-1, folder, free(RESERVE - 1))).rejects.toThrow('not enough free space')
  await expect(requireSpaceFor(1, join(folder, 'gone'), freeBytesOnDisk)).rejects.toThrow(
    `The folder can't be reached any more: ${join(folder, 'gone')}`,
  )
})

it('what is free is counted in bytes', async () => {
  expect(await freeBytesOnDisk(folder)).toBeGreaterThan(1_000_000)
})
