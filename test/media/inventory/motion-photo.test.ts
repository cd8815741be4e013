import { describe, expect, it } from 'vitest'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { motionPhotoSeconds } from '../../../src/media/inventory/motion-photo.ts'
import { box, makeHeic } from '../image/make-heic.ts'
import { processContent, samplePhoto, usePhotoFolder } from '../image/process-photo.ts'

usePhotoFolder()

/** The head of a video of 2.4 seconds. */
function video(): Buffer {
  const head = Buffer.alloc(100)
  head.writeUInt32BE(1_000, 12)
  head.writeUInt32BE(2_400, 16)
  return Buffer.concat([box('ftyp', Buffer.from('mp42\0\0\0\0mp42')), box('moov', box('mvhd', head))])
}

const CLAIM = Buffer.from(
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MotionPhoto="1"/></rdf:RDF></x:xmpmeta>',
)
const jpeg = async (claims: boolean) =>
  withSegments(
    await samplePhoto(64, 48).jpeg().toBuffer(),
    claims ? [segment(MARKERS.APP1, 'http://ns.adobe.com/xap/1.0/\0', CLAIM)] : [],
  )

describe('the video of a motion photo', () => {
  it.each([true, false])('is a loss, with a claim in XMP: %s', async (claims) => {
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
})
