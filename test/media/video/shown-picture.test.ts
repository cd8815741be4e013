import { readFile, writeFile } from 'node:fs/promises'
import { AV_PKT_DATA_FRAME_CROPPING, AV_PKT_DATA_STEREO3D } from 'node-av/constants'
import { describe, expect, it } from 'vitest'
import { clip, inClipFolder, resultOf, useClipFolder } from './run-job.ts'
import { makeTracks } from './several-tracks.ts'
import { firstOf } from '../../faults/long-suite.ts'

useClipFolder()

/** Makes a Matroska file whose header says in what shape the picture of 160 × 90 is shown. */
async function shaped(): Promise<string> {
  const path = await clip({ pixelAspect: [3, 2] }, 'mkv')
  const bytes = await readFile(path)
  // DisplayWidth and DisplayHeight, in one byte each: 8:3, like the coded video.
  for (const [id, from, to] of [
    [0xb0, 8, 20],
    [0xba, 3, 9],
  ] as const) {
    const at = bytes.indexOf(Buffer.from([0x54, id, 0x81, from]))
    expect(at).toBeGreaterThan(0)
    bytes[at + 3] = to
  }
  const changed = inClipFolder('shaped.mkv')
  await writeFile(changed, bytes)
  return changed
}

describe('a shape that only the container gives', () => {
  it('is the shape of the result', async () => {
    const { width, height } = await resultOf(await shaped(), { container: 'mp4' })
    expect([width, height]).toEqual([200, 90])
  })

  it.each(firstOf(['mp4', 'mov', 'mkv'] as const))('stays in a copy in %s', async (container) => {
    const copied = await resultOf(await shaped(), { container, codec: 'copy' })
    expect(copied.notes).toEqual([])
    const { width, height } = await resultOf(copied.temporaryPath, { container: 'mp4' })
    expect([width, height]).toEqual([200, 90])
  })
})

/** FFmpeg's structures consist of integers in this computer's byte order. */
const integers = (...values: number[]): Buffer => Buffer.from(new Uint32Array(values).buffer)

const CONTAINERS = ['mp4', 'mov', 'mkv'] as const

describe('a part of the coded picture', () => {
  it.each(firstOf(CONTAINERS))('is all that a result in %s shows, encoded and copied', async (container) => {
    // Top, bottom, left, right.
    const part = { type: AV_PKT_DATA_FRAME_CROPPING, data: integers(8, 2, 16, 16) }
    const original = await makeTracks(await clip({ sound: 0.48 }), [{}], part)
    const encoded = await resultOf(original, { container })
    expect([encoded.width, encoded.height]).toEqual([128, 80])
    expect(encoded.losses).toEqual([])

    const copied = await resultOf(original, { container, codec: 'copy' })
    expect(copied.losses).toEqual([])
    const again = await resultOf(copied.temporaryPath, { container: 'mp4' })
    expect([again.width, again.height]).toEqual([128, 80])
  })
})

it.each(firstOf(CONTAINERS))('a stereo 3D picture stays one in %s', async (container) => {
  const sideBySide = { type: AV_PKT_DATA_STEREO3D, data: integers(1, 0, 0, 0, 0, 0, 1, 0, 1) }
  const original = await makeTracks(await clip({ sound: 0.48 }), [{}], sideBySide)
  for (const codec of ['h264', 'copy'] as const)
    expect((await resultOf(original, { container, codec })).losses).toEqual([])
})

it.each(
  firstOf([
    ['mp4', 'h264', 0],
    ['mkv', 'h264', 28],
    ['webm', 'vp9', 28],
  ] as const),
)('columns that the coded video hides stay hidden in %s with %s', async (container, codec, crf) => {
  // The left half is white, of which 78 columns are hidden.
  const picture = 'drawbox=0:0:iw:ih:black:fill,drawbox=0:0:iw/2:ih:white:fill'
  const original = await clip({ hidden: [78, 4, 2, 0], picture })
  const { width, height, quarters, losses } = await resultOf(original, { container, codec, crf })
  expect([width, height, losses]).toEqual([80, 86, []])
  expect(quarters.every((brightness) => brightness < 32)).toBe(true)
})
