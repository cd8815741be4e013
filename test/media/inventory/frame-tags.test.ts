import { AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG, AVMEDIA_TYPE_VIDEO, type AVCodecID } from 'node-av/constants'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { withChunks } from '../image/process-photo.ts'
import { clip, inClipFolder, runJob, useClipFolder } from '../video/run-job.ts'
import { type AddedTrack, remux } from '../video/remux.ts'
import { xmpPacket } from '../xmp-packet.ts'

useClipFolder()

const plain = () => sharp({ create: { width: 64, height: 64, channels: 3, background: '#a50' } })
const LATITUDE = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' }
const GPS = { ...LATITUDE, GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 0/1' }
const withPlace = () =>
  plain()
    .withExif({ IFD0: { Model: 'Dash' }, IFD3: GPS })
    .withXmp(xmpPacket('').toString())
    .jpeg()
    .toBuffer()
const withText = async () =>
  withChunks(await plain().png().toBuffer(), pngChunk('tEXt', Buffer.from('Place\0Harbour')))

/** Makes a video whose frames are pictures. Only the later ones have metadata. */
async function pictures(codecId: AVCodecID, frame: Buffer): Promise<string> {
  const path = inClipFolder(`pictures-${codecId}.mkv`)
  const first = codecId === AV_CODEC_ID_PNG ? await plain().png().toBuffer() : await plain().jpeg().toBuffer()
  const samples = Array.from({ length: 12 }, (_, index) => ({
    start: index / 25,
    end: (index + 1) / 25,
    data: index < 4 ? first : frame,
  }))
  const describe: AddedTrack['describe'] = ({ codecpar }) =>
    Object.assign(codecpar, { codecType: AVMEDIA_TYPE_VIDEO, codecId, width: 64, height: 64 })
  await remux(await clip(), path, { copiesOf: () => [], added: [{ samples, describe }] })
  return path
}

async function named(...job: Parameters<typeof runJob>) {
  const { losses } = await runJob(...job)
  return losses.map(({ code, values }) => [code, values])
}

it('Metadata within frames is kept in a copy, and named as lost once they are encoded', async () => {
  const motion = await pictures(AV_CODEC_ID_MJPEG, await withPlace())
  expect(await named(motion, { container: 'mkv' })).toEqual([
    ['camera', {}],
    ['location', {}],
    ['metadataBlock', { detail: 'Exif' }],
    ['metadataBlock', { detail: 'XMP' }],
  ])
  expect(await named(motion, { container: 'mkv', codec: 'copy' })).toEqual([])
  expect(await named(motion, { container: 'mkv', metadata: 'strip' })).toEqual([])
  const texts = await pictures(AV_CODEC_ID_PNG, await withText())
  expect(await named(texts, { container: 'mkv' })).toEqual([['tags', { count: 1 }]])
})
