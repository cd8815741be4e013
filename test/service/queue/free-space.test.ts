import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { freeBytesOnDisk } from '../../../src/node/free-space.ts'
import { createDiskSpace, sizeOf } from '../../../src/service/queue/free-space.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const RESERVE = 64 * 1024 * 1024
const { signal } = new AbortController()

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** Starts reserving space. @returns the room, and its state */
function opened(space: ReturnType<typeof createDiskSpace>) {
  const room = space.open()
  const log: string[] = []
  const reserve = (bytes: number, stop = signal) => {
    const done = room.reserve([{ folder, bytes }], stop, () => log.push('waits'))
    done.then(
      () => log.push('fits'),
      () => log.push('fails'),
    )
    return done
  }
  return { room, log, reserve, end: () => room[Symbol.dispose]() }
}

const diskWith = (bytes: number) => createDiskSpace(() => Promise.resolve(RESERVE + bytes))

it('a file must fit in addition to the reserve; one of unknown size only needs the reserve', async () => {
  await opened(diskWith(1_000)).reserve(1_000)
  await expect(opened(diskWith(999)).reserve(1_000)).rejects.toThrow(
    `There isn’t enough free space in ${folder}: 67.1 MB are free, about 67.1 MB are needed.`,
  )
  await opened(diskWith(0)).reserve(-1)
  await expect(opened(diskWith(-1)).reserve(-1)).rejects.toThrow('enough free space')
})

it('names a missing file or folder', async () => {
  await writeFile(join(folder, 'a.png'), Buffer.alloc(3_000))
  expect(await sizeOf(join(folder, 'a.png'))).toBe(3_000)
  await expect(sizeOf(join(folder, 'gone.png'))).rejects.toThrow('Couldn’t read the file: it doesn’t exist.')
  const gone = { folder: join(folder, 'gone'), bytes: 1 }
  await expect(createDiskSpace(freeBytesOnDisk).open().reserve([gone], signal)).rejects.toThrow(
    `Couldn’t write to the folder ${gone.folder}: it doesn’t exist.`,
  )
})

it('what a file needs in several folders of a disk must fit together', async () => {
  const other = temporaryFolder()
  const room = diskWith(1_000).open()
  const both = (bytes: number) => [
    { folder, bytes },
    { folder: other, bytes },
  ]
  await expect(room.reserve(both(501), signal)).rejects.toThrow('enough free space')
  await room.reserve(both(500), signal)
})

it('a file waits for others, and fails only if it doesn’t fit without them', async () => {
  const space = diskWith(1_000)
  const [first, second, third, tooLarge] = [opened(space), opened(space), opened(space), opened(space)]
  await Promise.all([first.reserve(600), second.reserve(400)])
  const last = [third.reserve(700), tooLarge.reserve(1_001)]
  await expect.poll(() => [third.log, tooLarge.log]).toEqual([['waits'], ['waits']])
  second.end()
  for (let turns = 0; turns < 20; turns++) await turn()
  expect([third.log, tooLarge.log]).toEqual([['waits'], ['waits']])
  first.end()
  await last[0]
  third.end()
  await expect(last[1]).rejects.toThrow('enough free space')
})

it('files that need more than they reserved don’t wait for each other', async () => {
  const space = diskWith(1_000)
  const files = [opened(space), opened(space)] as const
  await Promise.all(files.map(({ reserve }) => reserve(500)))
  const more = files.map(({ reserve, end }) => reserve(800).then(end))
  await Promise.all(more)
  expect(files.map(({ log }) => log.at(-1))).toEqual(['fits', 'fits'])
})

it('a file doesn’t wait after its job is stopped, nor if waiting wasn’t requested', async () => {
  const space = diskWith(1_000)
  const stop = new AbortController()
  await opened(space).reserve(1_000)
  await expect(space.open().reserve([{ folder, bytes: 1 }], signal)).rejects.toThrow('enough free space')
  const { log, reserve } = opened(space)
  const stopped = reserve(1, stop.signal)
  await expect.poll(() => log).toEqual(['waits'])
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
})

itInLongSuite('a file that waits notices that another program has freed space', async () => {
  let free = 1_000
  const space = createDiskSpace(() => Promise.resolve(RESERVE + free))
  await opened(space).reserve(1_000)
  const { log, reserve } = opened(space)
  const waiting = reserve(1_000)
  await expect.poll(() => log).toEqual(['waits'])
  free = 2_000
  await waiting
})

it('free space is counted in bytes', async () => {
  expect(await freeBytesOnDisk(folder)).toBeGreaterThan(1_000_000)
})
