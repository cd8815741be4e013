import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evenTimes, makeClip } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-copy-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Short films of phones: their pictures are decoded in another order than shown, and no room is left in front for it. */
async function withoutRoomForReordering(path: string): Promise<void> {
  const film = await readFile(path)
  film.write('free', film.indexOf('edts'), 'latin1')
  const offsets = film.indexOf('ctts') + 12
  const first = film.readInt32BE(offsets + 8)
  for (let entry = 0; entry < film.readUInt32BE(offsets - 4); entry += 1) {
    const at = offsets + 4 + entry * 8
    film.writeInt32BE(film.readInt32BE(at) - first, at)
  }
  await writeFile(path, film)
}

it.each(['mp4', 'mov', 'mkv'] as const)(
  'pictures whose decoding is said to come after their showing are copied into %s',
  async (container) => {
    const plain = join(folder, 'plain.mp4')
    await makeClip(plain, { width: 64, height: 64, times: evenTimes(5, 25) })
    const reordered = await runJob(plain, folder, { speed: 'slow', crf: 30 })
    await withoutRoomForReordering(reordered.temporaryPath)
    const copied = await runJob(reordered.temporaryPath, folder, { codec: 'copy', container })
    const { times } = await readClip(copied.temporaryPath)
    expect(times.map((time) => Math.round((time - (times[0] ?? 0)) * 1000))).toEqual([0, 40, 80, 120, 160])
  },
)
