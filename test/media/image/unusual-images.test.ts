import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { decodeTiffVariant } from '../../../src/media/image/tiff-variants.ts'
import { TAG, withDirectory } from '../../../src/media/image/tiff-directory.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { oddMedia } from '../../media-corpus.ts'
import {
  meanDifference,
  photoFile,
  processContent,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from './process-photo.ts'

usePhotoFolder()

const photo = () => samplePhoto(96, 64)

describe.skipIf(oddMedia().length === 0)('an odd image that every viewer shows', () => {
  it.each(oddMedia())('$file is shown: $notes', async ({ path: inputPath, width, height }) => {
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

describe('an image', () => {
  it.each([
    [
      'bytes between the segments of a JPEG',
      'jpg',
      async () => withStrayBytes(await photo().jpeg().toBuffer()),
    ],
    ['circular pages of a TIFF', 'tiff', async () => withLoop(await tiff())],
  ])('is complete despite %s, and the log names the flaw', async (_, ending, content) => {
    const odd = await processContent(`odd.${ending}`, await content(), { format: 'png' })
    const { notes, detail, width, height, bytes } = odd
    expect({ notes, width, height }).toEqual({ notes: ['flaws-passed-over'], width: 96, height: 64 })
    expect(detail).toMatch(/7 stray bytes|IFD looping/)
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

const START = 8
const TILE_LENGTH = 323

/** An uncompressed image of 3 × 2 pixels in a single strip, with these tags. */
function tiffOf(tags: Partial<Record<keyof typeof TAG, number | readonly number[]>>, data: Buffer): Buffer {
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  const basis = { width: 3, height: 2, compression: 1, stripOffsets: START, stripBytes: data.length }
  const directory = new Map<number, readonly number[]>(
    Object.entries({ ...basis, ...tags }).map(([name, values]) => [
      TAG[name as keyof typeof TAG],
      [values].flat(),
    ]),
  )
  if (tags.tileWidth !== undefined) directory.set(TILE_LENGTH, [tags.tileWidth].flat())
  return withDirectory(Buffer.concat([head, data]), { littleEndian: true, directory })
}

const plane = (value: number) => Buffer.alloc(16 * 16, value)
const pixelsOf = async (content: Buffer) => {
  const { bytes } = await processContent('made.tiff', content, { format: 'png' })
  return [...(await sharp(bytes).raw().toBuffer())]
}

describe('a TIFF variant that the usual decoder refuses', () => {
  it('may have 4 bits per channel', async () => {
    const data = Buffer.from('f000f0000f123456789a', 'hex')
    expect(await pixelsOf(tiffOf({ bits: [4, 4, 4], photometric: 2, samples: 3 }, data))).toEqual(
      [15, 0, 0, 0, 15, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((value) => value * 17),
    )
  })

  it('may have tiles with separate planes, one of which is transparency', async () => {
    const tags = { bits: [8, 8, 8, 8], photometric: 2, samples: 4, planes: 2, extraSamples: 2 }
    const tileOffsets = [0, 1, 2, 3].map((index) => START + index * 256)
    const tiles = { tileWidth: 16, tileOffsets, tileBytes: [256, 256, 256, 256] }
    const data = Buffer.concat([10, 20, 30, 128].map(plane))
    expect(await pixelsOf(tiffOf({ ...tags, ...tiles }, data))).toEqual(
      Array.from({ length: 6 }, () => [10, 20, 30, 128]).flat(),
    )
    // An extra plane without a declared meaning isn't transparency.
    const unsaid = tiffOf({ ...tags, ...tiles, extraSamples: 0 }, data)
    expect(await pixelsOf(unsaid)).toEqual(Array.from({ length: 6 }, () => [10, 20, 30]).flat())
  })

  it.each([8, 16] as const)('may have Lab colors with transparency, in %i bits', async (bits) => {
    const most = 2 ** bits - 1
    const pixels = [
      [50, 20, -30, 1],
      [80, -40, 40, 0.5],
      [100, 0, 0, 0],
      [0, 0, 0, 1],
      [60, 0, 0, 0.25],
      [30, 50, 40, 1],
    ] as const
    const numbers = pixels.flatMap(([light, a, b, alpha]) => [
      Math.round((light * most) / 100),
      (a * (most + 1)) / 256,
      (b * (most + 1)) / 256,
      Math.round(alpha * most),
    ])
    const data = Buffer.from((bits === 8 ? Uint8Array : Uint16Array).from(numbers).buffer)
    const tags = { bits: [bits, bits, bits, bits], photometric: 8, samples: 4, extraSamples: 2 }
    const content = tiffOf(tags, data)
    expect((await decodeTiffVariant(await photoFile('lab.tiff', content)))?.depth).toBe(bits)
    const shown = await pixelsOf(content)
    const expected = [
      [127, 109, 170, 255],
      [145, 216, 121, 128],
      [255, 255, 255, 0],
      [0, 0, 0, 255],
      [145, 145, 145, 64],
      [147, 16, 11, 255],
    ].flat()
    const apart = shown.map((value, at) => Math.abs(value - (expected[at] ?? 0)))
    expect(shown).toHaveLength(expected.length)
    expect(Math.max(...apart), `${shown.join()} is not ${expected.join()}`).toBeLessThan(4)
  })

  it('may contain an old-style JPEG, and need rotation', async () => {
    const jpeg = await photo().jpeg().toBuffer()
    const tags = { width: 96, height: 64, bits: [8, 8, 8], samples: 3, orientation: 6 }
    const old = { compression: 6, photometric: 6, jpegOffset: START, jpegBytes: jpeg.length }
    const content = tiffOf({ ...tags, ...old }, jpeg)
    const { width, height, bytes } = await processContent('old.tiff', content, { format: 'png' })
    expect({ width, height }).toEqual({ width: 64, height: 96 })
    const expected = await sharp(jpeg).rotate(90).raw().toBuffer()
    expect((await sharp(bytes).raw().toBuffer()).equals(expected)).toBe(true)
  })

  it('is refused if a plane is missing or the size is false', async () => {
    const tags = { bits: [8, 8, 8], photometric: 2, samples: 3, planes: 2, tileWidth: 16 }
    const places = { tileOffsets: [START, START, 99_999], tileBytes: [256, 256, 256] }
    const missing = tiffOf({ ...tags, ...places }, Buffer.alloc(256))
    await expect(pixelsOf(missing)).rejects.toThrow(FailureError)
    const huge = tiffOf({ ...tags, ...places, width: 65_000, height: 65_000 }, Buffer.alloc(256))
    await expect(pixelsOf(huge)).rejects.toThrow(/4,225 megapixels/)
  })
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

  it('names the format that can’t hold the result', async () => {
    const wide = sharp({ create: { width: 16_384, height: 1, channels: 3, background: '#123' } }).png()
    await expect(processContent('wide.png', wide, { format: 'webp' })).rejects.toThrow(
      'The result would have more pixels on a side than WebP supports.',
    )
  })
})
