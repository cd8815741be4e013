import { describe, expect, it } from 'vitest'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { motionPhotoSeconds } from '../../../src/media/inventory/motion-photo.ts'
import { box, makeHeic } from '../image/make-heic.ts'
import { processContent, samplePhoto, usePhotoFolder } from '../image/process-photo.ts'
import { xmpPacket } from '../xmp-packet.ts'
import { firstOf } from '../../faults/long-suite.ts'

usePhotoFolder()

/** A movie header with a length in milliseconds. */
function headOf(length: number): Buffer {
  const head = Buffer.alloc(100)
  head.writeUInt32BE(1_000, 12)
  head.writeUInt32BE(length, 16)
  return head
}

function longHeadOf(length: bigint): Buffer {
  const head = Buffer.alloc(112)
  head.writeUInt8(1)
  head.writeUInt32BE(1_000, 20)
  head.writeBigUInt64BE(length, 24)
  return head
}

/** The head of a video of 2.4 seconds. */
function video(head = headOf(2_400)): Buffer {
  return Buffer.concat([box('ftyp', Buffer.from('mp42\0\0\0\0mp42')), box('moov', box('mvhd', head))])
}

const CAMERA = 'xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"'
const CLAIM = xmpPacket(`${CAMERA} GCamera:MotionPhoto="1"`)
const jpeg = async (claims: boolean) =>
  withSegments(
    await samplePhoto(64, 48).jpeg().toBuffer(),
    claims ? [segment(MARKERS.APP1, 'http://ns.adobe.com/xap/1.0/\0', CLAIM)] : [],
  )

describe('the video of a motion photo', () => {
  it.each(firstOf([true, false]))('is a loss, with a claim in XMP: %s', async (claims) => {
    const content = Buffer.concat([await jpeg(claims), Buffer.from('MotionPhoto_Data'), video()])
    const { bytes, losses } = await processContent('a.jpg', content, { metadata: 'keep' })
    expect(losses).toMatchObject([{ code: 'motionPhoto', values: { seconds: 2 } }])
    expect(bytes.includes('MotionPhoto')).toBe(false)
  })

  it('isn’t lost if a photo only claims to have one', async () => {
    expect((await processContent('a.jpg', await jpeg(true), { metadata: 'keep' })).losses).toEqual([])
  })

  it('is found in a box of HEIC', () => {
    const heic = makeHeic({ tile: { width: 64, height: 64 }, columns: 1, rows: 1, width: 64, height: 64 })
    expect(motionPhotoSeconds(Buffer.concat([heic, box('mpvd', video())]), 'heic')).toBe(2.4)
    expect(motionPhotoSeconds(heic, 'heic')).toBeUndefined()
  })

  it.each([
    ['32 bits', headOf(2_400), 2.4],
    ['64 bits', longHeadOf(2_400n), 2.4],
    ['32 bits, all set', headOf(2 ** 32 - 1), 0],
    ['64 bits, all set', longHeadOf(2n ** 64n - 1n), 0],
  ])('has a length of 0 if it isn’t known: %s', (_, head, seconds) => {
    expect(motionPhotoSeconds(Buffer.concat([box('free'), video(head)]), 'jpeg')).toBe(seconds)
  })
})
