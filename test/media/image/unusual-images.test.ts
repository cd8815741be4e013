import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { oddMedia } from '../../media-corpus.ts'
import { makeHeic } from './make-heic.ts'
import {
  meanDifference,
  photoFile,
  type PhotoRecipe,
  processContent,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from './process-photo.ts'
import { isLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const photo = () => samplePhoto(96, 64)

describe.skipIf(oddMedia().length === 0)('an odd image that every viewer shows', () => {
  // Decoding the largest one takes a second.
  const sampled = oddMedia().filter(({ file }) => isLongSuite || !file.includes('200-megapixels'))
  it.each(sampled)('$file is shown: $notes', async ({ path: inputPath, width, height }) => {
    const size = width !== null && width !== undefined && width > 1000 ? { size: { width: 600 } } : {}
    const made = await processPhoto(inputPath, { format: 'png', ...size })
    const shown = size.size === undefined ? { width, height } : { width: 600, height: 800 }
    expect({ width: made.width, height: made.height }).toEqual(shown)
    const { channels } = await sharp(made.bytes).toColourspace('srgb').stats()
    expect(Math.max(...channels.slice(0, 3).map(({ max }) => max)), 'not black').toBeGreaterThan(64)
    expect(channels[3]?.max ?? 255, 'not see-through').toBeGreaterThan(64)
  })
})

/** Inserts invalid bytes after the first segment of a JPEG. */
function withStrayBytes(jpeg: Buffer): Buffer {
  const end = 4 + jpeg.readUInt16BE(4)
  return Buffer.concat([jpeg.subarray(0, end), Buffer.alloc(7, 1), jpeg.subarray(end)])
}

/** Makes the only page point to itself as the next one. */
function withLoop(tiff: Buffer): Buffer {
  const looped = Buffer.from(tiff)
  const directory = looped.readUInt32LE(4)
  looped.writeUInt32LE(directory, directory + 2 + 12 * looped.readUInt16LE(directory))
  return looped
}

const tiff = () => photo().tiff({ compression: 'lzw' }).toBuffer()

/** The last of four channels. */
const alpha = (all: Buffer) => all.filter((_, at) => at % 4 === 3)

describe('a WebP whose head denies its transparency', () => {
  it.each([false, true])('keeps its transparency, losslessly compressed: %s', async (lossless) => {
    const pixels = Buffer.alloc(64 * 48 * 4, 200)
    for (let at = 3; at < pixels.length; at += 4) pixels[at] = at % 256
    const image = sharp(pixels, { raw: { width: 64, height: 48, channels: 4 } })
    const content = await image
      .webp({ lossless })
      .withExif({ IFD0: { Artist: 'Jo' } })
      .toBuffer()
    expect(content.toString('latin1', 12, 16)).toBe('VP8X')
    content[20] = (content[20] ?? 0) & ~0x10
    const { bytes } = await processContent('head.webp', content, { format: 'png' })
    const made = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
    expect(made.info.channels).toBe(4)
    expect(meanDifference(alpha(made.data), alpha(pixels))).toBeLessThan(1)
    const { losses } = await processContent('head.webp', content, { format: 'jpeg' })
    expect(losses.map(({ code }) => code)).toEqual(['alpha'])
  })
})

describe('an image', () => {
  it.each([
    [
      'bytes between the segments of a JPEG',
      'jpg',
      async () => withStrayBytes(await photo().jpeg().toBuffer()),
    ],
    ['a missing end marker', 'jpg', async () => (await photo().jpeg().toBuffer()).subarray(0, -2)],
    [
      'a missing end marker of a progressive JPEG',
      'jpg',
      async () => (await photo().jpeg({ progressive: true }).toBuffer()).subarray(0, -2),
    ],
    ['circular pages of a TIFF', 'tiff', async () => withLoop(await tiff())],
  ])('is complete despite %s, and the log names the flaw', async (_, ending, content) => {
    const odd = await processContent(`odd.${ending}`, await content(), { format: 'png' })
    const { notes, detail, width, height, bytes } = odd
    expect({ notes, width, height }).toEqual({ notes: ['flaws-passed-over'], width: 96, height: 64 })
    expect(detail).toMatch(/7 stray bytes|without a marker|IFD looping/)
    const [made, original] = await Promise.all([sharp(bytes).raw().toBuffer(), photo().raw().toBuffer()])
    expect(meanDifference(made, original)).toBeLessThan(8)
  })

  it('without flaws has no note', async () => {
    const { notes, detail } = await processContent('fine.tiff', await tiff())
    expect({ notes, detail }).toEqual({ notes: [], detail: undefined })
  })

  it.each([
    ['a JPEG', 'jpg', async () => photo().jpeg().toBuffer()],
    ['a JPEG with stray bytes', 'jpg', async () => withStrayBytes(await photo().jpeg().toBuffer())],
  ])('is refused if its end is missing: %s', async (_, ending, content) => {
    const whole = await content()
    const cut = await photoFile(`cut.${ending}`, whole.subarray(0, whole.length * 0.7))
    await expect(processPhoto(cut)).rejects.toThrow(
      'The file is damaged or incomplete: part of the image is missing.',
    )
    // The same file with an end marker added: decoders only warn about it, so the missing data has to be detected.
    const ended = Buffer.concat([whole.subarray(0, whole.length * 0.7), Buffer.from([0xff, 0xd9])])
    await expect(processContent(`ended.${ending}`, ended)).rejects.toThrow(FailureError)
  })

  it.each<PhotoRecipe>([
    { format: 'png' },
    { format: 'webp', size: { width: 24 } },
    { look: 'low', metadata: 'keep' },
  ])('is refused if the last blocks of a JPEG are missing, with %j', async (recipe) => {
    const whole = await photo().jpeg().toBuffer()
    const ended = Buffer.concat([whole.subarray(0, -80), Buffer.from([0xff, 0xd9])])
    await expect(processContent('ended.jpg', ended, recipe)).rejects.toThrow(/part of the image is missing/)
  })

  it.each(['avif', 'heic'])('is refused if a tile is damaged or missing: %s', async (kind) => {
    const tile = { width: 64, height: 64 }
    const grid = { tile, columns: 2, rows: 2, width: 128, height: 128 }
    const whole = makeHeic(kind === 'avif' ? { ...grid, coding: 'av1' } : grid)
    const damaged = Buffer.from(whole)
    damaged.fill(0, Math.round(whole.length * 0.6))
    for (const content of [damaged, whole.subarray(0, -200), whole.subarray(0, whole.length / 2)])
      await expect(processContent(`grid.${kind}`, content)).rejects.toThrow(/damaged or incomplete/)
    expect((await processContent(`grid.${kind}`, whole)).losses).toEqual([])
  })

  it('is refused if the last scan of a JPEG is missing', async () => {
    const whole = await photo().jpeg({ progressive: true }).toBuffer()
    const last = whole.lastIndexOf(Buffer.from([0xff, 0xda]))
    const tables = whole.lastIndexOf(Buffer.from([0xff, 0xc4]), last)
    await expect(processContent('scans.jpg', whole.subarray(0, tables))).rejects.toThrow(FailureError)
  })

  it('is refused if it is a TIFF with missing strips, with or without other flaws', async () => {
    for (const whole of [await tiff(), withLoop(await tiff())]) {
      const directory = whole.readUInt32LE(4)
      // The directory stores the first strip's offset. This change points it beyond the end of the file.
      const broken = Buffer.from(whole)
      for (let entry = 0; entry < broken.readUInt16LE(directory); entry++) {
        const at = directory + 2 + 12 * entry
        if (broken.readUInt16LE(at) === 273 && broken.readUInt32LE(at + 4) === 1)
          broken.writeUInt32LE(broken.length, at + 8)
        else if (broken.readUInt16LE(at) === 273)
          broken.writeUInt32LE(broken.length, broken.readUInt32LE(at + 8))
      }
      await expect(processContent('broken.tiff', broken)).rejects.toThrow(FailureError)
    }
  })
})

it('a PNG of an app for iPhones is refused with its name', async () => {
  const png = await photo().png().toBuffer()
  const file = Buffer.concat([png.subarray(0, 8), pngChunk('CgBI', Buffer.alloc(4)), png.subarray(8)])
  await expect(processContent('a.png', file)).rejects.toThrow('CgBI PNG')
})

describe('the message for the user', () => {
  it('is one plain sentence, with the library’s error as its cause', async () => {
    const whole = await photo().png().toBuffer()
    const cut = whole.subarray(0, whole.length / 2)
    const failure = await processContent('cut.png', cut).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(FailureError)
    if (!(failure instanceof FailureError)) return
    expect(failure.message).toMatch(/^The file is damaged or incomplete: [a-z ’]+\.$/)
    expect(failure.message).not.toMatch(/vips|spng|libspng|png:/i)
    expect(failure.cause).toBeInstanceOf(Error)
  })

  it.each([
    ['webp', 'WebP', '16,383'],
    ['avif', 'AVIF', '16,384'],
    ['jpeg', 'JPEG', '65,500'],
  ] as const)(
    'names the format that can’t hold the result, and its limit: %s',
    async (format, name, limit) => {
      const long = Number(limit.replace(',', '')) + 1
      for (const [width, height] of [
        [long, 2],
        [2, long],
      ] as const) {
        const wide = sharp({ create: { width, height, channels: 3, background: '#123' } }).png()
        await expect(processContent('wide.png', wide, { format })).rejects.toThrow(
          `The result would have ${width} × ${height} pixels. ${name} supports at most ${limit} on a side.`,
        )
      }
      const fits = sharp({ create: { width: 2, height: long - 1, channels: 3, background: '#123' } }).png()
      expect((await processContent('fits.png', fits, { format })).height).toBe(long - 1)
    },
  )
})
