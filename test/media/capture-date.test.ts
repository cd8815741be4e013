/** When originals were taken, read from real files. */
import { describe, expect, it } from 'vitest'
import { localCaptureDate } from '../../src/shared/capture-date.ts'
import {
  photoFile,
  processContent,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from './image/process-photo.ts'
import { clip, runJob, useClipFolder } from './video/run-job.ts'
import { xmpPacket } from './xmp-packet.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

usePhotoFolder()
useClipFolder()

const dated = (DateTimeOriginal: string) => samplePhoto(64, 48).withExif({ IFD2: { DateTimeOriginal } })
const DATE = '2024:05:06 07:08:09'
const TAKEN = '2024-05-06 07.08.09'

describe('a photo', () => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('has its date in Exif: %s', async (format) => {
    const { taken } = await processContent(`a.${format}`, dated(DATE).toFormat(format))
    expect(taken).toBe(TAKEN)
  })

  itInLongSuite('has its date in JPEG XL', async () => {
    const { bytes } = await processContent('a.jpg', dated(DATE).jpeg(), { format: 'jxl', metadata: 'keep' })
    expect((await processContent('b.jxl', bytes)).taken).toBe(TAKEN)
  })

  itInLongSuite('may have its date in XMP only, as in TIFF', async () => {
    const namespace = 'xmlns:exif="http://ns.adobe.com/exif/1.0/"'
    const xmp = xmpPacket(`${namespace} exif:DateTimeOriginal="2024-05-06T07:08:09"`).toString()
    expect((await processContent('a.tiff', samplePhoto(64, 48).withXmp(xmp).tiff())).taken).toBe(TAKEN)
  })

  it('keeps its date if the original is the result', async () => {
    const input = await photoFile('a.jpg', dated(DATE).jpeg({ quality: 20 }))
    const made = await processPhoto(input, { quality: 100, metadata: 'keep' }, { neverLarger: true })
    expect([made.notes, made.taken]).toEqual([['original-kept'], TAKEN])
  })

  it.each(['0000:00:00 00:00:00', '../../2024/05:06 07', 'yesterday at around noon'])(
    'has no date if it says %j',
    async (text) => expect((await processContent('a.jpg', dated(text).jpeg())).taken).toBeUndefined(),
  )
})

const takenIn = async (tags: Record<string, string>, extension = 'mkv') =>
  (await runJob(await clip({ tags }, extension), { container: 'mkv' })).taken

describe('a video', () => {
  it('has the time of the phone that took it, which takes precedence over the container’s', async () => {
    const creation_time = '2024-05-06T05:08:09.000000Z'
    const local = localCaptureDate(new Date(creation_time))
    const phone = { 'com.apple.quicktime.creationdate': '2024-05-06T07:08:09+0200' }
    expect(await takenIn({ creation_time, ...phone })).toBe(TAKEN)
    expect(await takenIn({ creation_time })).toBe(local)
    expect(await takenIn({ creation_time }, 'mp4')).toBe(local)
  })

  itInLongSuite('has no date without one, or with the epoch of its format', async () => {
    expect(await takenIn({})).toBeUndefined()
    expect(await takenIn({ creation_time: '1970-01-01T00:00:00.000000Z' })).toBeUndefined()
  })
})
