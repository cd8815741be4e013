/** The disk with Mediatray's own data fills up while the built-in service works. */
import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { smallDisk } from '../e2e/support/small-disk.ts'
import { photoFolders, resultsIn } from './photo-folders.ts'
import { killOwner } from '../main/cli/command.ts'

const PHOTOS = 40

async function fill(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'filler')
  const file = await open(path, 'w')
  try {
    for (const size of [65_536, 4_096, 512]) {
      await (async () => {
        for (;;) await file.write(Buffer.alloc(size))
      })().catch(() => undefined)
    }
  } finally {
    await file.close()
  }
  return () => rm(path, { force: true })
}

/** Occupies the first names that each result would get. */
async function takeNames(out: string, times: number): Promise<void> {
  for (let n = 0; n < PHOTOS; n++) {
    for (let time = 1; time <= times; time++) {
      await writeFile(join(out, `photo-${n}-basic${time === 1 ? '' : `-${time}`}.jpg`), '')
    }
  }
}

it.for([0, 12])(
  'a data disk that fills up midway loses and duplicates no result, with %i earlier results per photo',
  async (earlier, { skip }) => {
    const { out, data, files, startSubmit, command } = photoFolders(PHOTOS)
    const disk = smallDisk(data, '8m')
    if (disk === undefined) return skip()
    onTestFinished(() => disk[Symbol.dispose]())
    await takeNames(out, earlier)
    const submit = startSubmit(files, out)
    const made = () => resultsIn(out).length - earlier * PHOTOS
    await expect.poll(made, { interval: 5, timeout: 60_000 }).toBeGreaterThan(2)
    const makeRoom = await fill(data)
    await expect.poll(made, { timeout: 60_000 }).toBe(PHOTOS)
    await Promise.all([submit.kill(), killOwner(data)])
    await makeRoom()
    expect((await command('history')).events).toMatchObject([
      { event: 'record', outbox: null, record: { outcome: { kind: 'done', results: PHOTOS } } },
      { event: 'found' },
    ])
    const { events } = await command('outbox', 'send')
    expect(events).toMatchObject([{ event: 'notice', message: 'There is nothing to send.' }])
    expect(made()).toBe(PHOTOS)
  },
)
