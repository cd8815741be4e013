import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { edit, withEdits } from './edit-list.ts'
import { evenTimes } from './make-clip.ts'
import { clip, inClipFolder, resultOf, runJob, useClipFolder } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

/** Imitates short phone videos: frames are reordered, but the timestamps leave no room for that at the start. */
async function withoutRoomForReordering(path: string): Promise<void> {
  const video = await readFile(path)
  video.write('free', video.indexOf('edts'), 'latin1')
  const offsets = video.indexOf('ctts') + 12
  const first = video.readInt32BE(offsets + 8)
  for (let entry = 0; entry < video.readUInt32BE(offsets - 4); entry += 1) {
    const at = offsets + 4 + entry * 8
    video.writeInt32BE(video.readInt32BE(at) - first, at)
  }
  await writeFile(path, video)
}

it.each(firstOf(['mp4', 'mov', 'mkv'] as const))(
  'frames whose decoding timestamps are later than their presentation are copied into %s',
  async (container) => {
    const plain = await clip({ width: 64, height: 64, times: evenTimes(5, 25) })
    const reordered = await runJob(plain, { speed: 'slow', crf: 30 })
    await withoutRoomForReordering(reordered.temporaryPath)
    const { times } = await resultOf(reordered.temporaryPath, { codec: 'copy', container })
    expect(times.map((time) => Math.round((time - (times[0] ?? 0)) * 1000))).toEqual([0, 40, 80, 120, 160])
  },
)

itInLongSuite('audio whose packets are shorter than the ticks of the clock stays in sync', async () => {
  // 40 samples take 0.9 ms, and Matroska counts milliseconds.
  const original = await clip({ sound: 0.48, soundCodec: 'pcm_s16be', soundBlock: 40 }, 'mkv')
  const { duration } = await resultOf(original, { codec: 'copy', container: 'mkv' })
  expect(duration).toBeCloseTo(0.48, 2)
})

it('a video whose frames are image files is encoded if metadata is removed', async () => {
  const original = await clip({ codec: 'jpeg2000' }, 'mkv')
  const { notes } = await runJob(original, { codec: 'copy', container: 'same', metadata: 'strip' })
  expect(notes).toEqual(['encoded-instead'])
})

it.each(['strip', 'keep'] as const)(
  'a copy has the texts within its frames only with metadata: %s',
  async (metadata) => {
    const original = await clip({ codec: 'h264' })
    const { temporaryPath, notes } = await runJob(original, { codec: 'copy', metadata })
    expect([(await readFile(temporaryPath)).includes('x264 - core'), notes]).toEqual([
      metadata === 'keep',
      [],
    ])
  },
)

describe('a video that is trimmed between reordered frames', () => {
  /** Seconds by which the media is delayed, so that frames can be reordered. */
  const DELAY = 0.08
  const FRAMES = [6, 7, 8, 9]
  let whole: Buffer | undefined
  const trimmed = async (frames: number) => {
    if (whole === undefined) {
      const plain = await clip({ width: 64, height: 64, times: evenTimes(12, 25), isPredicted: true })
      const reordered = await runJob(plain, { speed: 'medium', crf: 30, container: 'mov' })
      whole = await readFile(reordered.temporaryPath)
    }
    const path = inClipFolder(`trimmed-${frames}.mov`)
    await writeFile(path, withEdits(whole, [edit(frames * 0.04, DELAY)], 'vide'))
    return path
  }

  it.each(firstOf(['mp4', 'mov'] as const))('shows the same frames in a copy: %s', async (container) => {
    for (const frames of FRAMES) {
      const { times, duration, notes, losses } = await resultOf(await trimmed(frames), {
        codec: 'copy',
        container,
      })
      expect(times.map((time) => Math.round(time * 25))).toEqual([...Array(frames).keys()])
      expect([duration, notes, losses]).toEqual([expect.closeTo(frames / 25, 2), [], []])
    }
  })

  itInLongSuite('is encoded if the container can’t hide frames', async () => {
    const notes: string[] = []
    for (const frames of FRAMES) {
      const made = await resultOf(await trimmed(frames), { codec: 'copy', container: 'mkv' })
      expect(made.times).toHaveLength(frames)
      notes.push(...made.notes)
    }
    expect(notes).toContain('encoded-instead')
  })
})
