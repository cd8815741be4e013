import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { freeBytesOnDisk } from '../../../src/node/free-space.ts'
import { requireFreeSpace, requireSpaceFor } from '../../../src/service/queue/free-space.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const RESERVE = 64 * 1024 * 1024
const SIZE = 3_000_000

let folder: string
let input: string
beforeEach(async () => {
  folder = temporaryFolder()
  input = join(folder, 'a.png')
  await writeFile(input, Buffer.alloc(SIZE))
})

const free = (bytes: number) => () => Promise.resolve(bytes)

it('there must be space for a result as large as its original, plus a reserve', async () => {
  await requireFreeSpace(input, folder, free(SIZE + RESERVE))
  await expect(requireFreeSpace(input, folder, free(SIZE + RESERVE - 1))).rejects.toThrow(
    `There isn’t enough free space in ${folder}: 70.1 MB are free, about 70.1 MB are needed.`,
  )
})

it('a missing original or folder is named', async () => {
  await expect(requireFreeSpace(join(folder, 'gone.png'), folder, free(1e12))).rejects.toThrow(
    'Couldn’t read the file: it doesn’t exist.',
  )
  await expect(requireFreeSpace(input, join(folder, 'gone'), freeBytesOnDisk)).rejects.toThrow(
    `Couldn’t write to the folder ${join(folder, 'gone')}: it doesn’t exist.`,
  )
})

it('a file is fetched if it fits in addition to the reserve; one of unknown size only needs the reserve', async () => {
  await requireSpaceFor(1_000, folder, free(RESERVE + 1_000))
  await expect(requireSpaceFor(1_000, folder, free(RESERVE + 999))).rejects.toThrow(
    `There isn’t enough free space in ${folder}`,
  )
  await requireSpaceFor(-1, folder, free(RESERVE))
  await expect(requireSpaceFor(-1, folder, free(RESERVE - 1))).rejects.toThrow('enough free space')
  await expect(requireSpaceFor(1, join(folder, 'gone'), freeBytesOnDisk)).rejects.toThrow(
    `Couldn’t write to the folder ${join(folder, 'gone')}: it doesn’t exist.`,
  )
})

it('free space is counted in bytes', async () => {
  expect(await freeBytesOnDisk(folder)).toBeGreaterThan(1_000_000)
})
