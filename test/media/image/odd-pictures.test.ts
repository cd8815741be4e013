import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { TAG, withDirectory } from '../../../src/media/image/tiff-directory.ts'
import { ProcessingError } from '../../../src/media/protocol.ts'
import { oddMedia } from '../../media-corpus.ts'
import { madePhoto, photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const photo = () => madePhoto(96, 64)

describe.skipIf(oddMedia().length === 0)('an odd picture that every viewer shows', () => {
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

/** Behind the first segment. */
function withStrayBytes(jpeg: Buffer): Buffer {
  const end = 4 + jpeg.readUInt16BE(4)
  return Buffer.concat([jpeg.subarray(0, end), Buffer.alloc(7, 1), jpeg.subarray(end)])
}

/** Says that the page after the first one is the first one. */
function withLoop(tiff: Buffer): Buffer {
  const looped = Buffer.from(tiff)
  const directory = looped.readUInt32LE(4)
  looped.writeUInt32LE(directory, directory + 2 + 12 * looped.readUInt16LE(directory))
  return looped
}

const tiff = () => photo().tiff({ compression: 'lzw' }).toBuffer()

describe('a picture with flaws', () => {
  it.each([
    [
      'bytes between the segments of a JPEG',
      'jpg',
      async () => withStrayBytes(await photo().jpeg().toBuffer()),
    ],
    ['pages of a TIFF that go round in a circle', 'tiff', async () => withLoop(await tiff())],
  ])('is whole in spite of %s, and the log says what was odd', async (_, ending, content) => {
    const { notes, detail, width, height, bytes } = await processPhoto(
      await photoFile(`odd.${ending}`, await content()),
      { format: 'png' },
    )
    expect({ notes, width, height }).toEqual({ notes: ['flaws-passed-over'], width: 96, height: 64 })
    expect(detail).toMatch(/7 stray bytes|IFD looping/)
    const [made, original] = await Promise.all([sharp(bytes).raw().toBuffer(), photo().raw().toBuffer()])
    const apart = made.reduce((sum, value, at) => sum + Math.abs(value - (original[at] ?? 0)), 0)
    expect(apart / made.length).toBeLessThan(8)
  })

  it('that is healthy otherwise has no note', async () => {
    const { notes, detail } = await processPhoto(await photoFile('fine.tiff', await tiff()))
    expect({ notes, detail }).toEqual({ notes: [], detail: undefined })
  })

  it.each([
    ['a JPEG', 'jpg', async () => photo().jpeg().toBuffer()],
    ['a JPEG with stray bytes', 'jpg', async () => withStrayBytes(await photo().jpeg().toBuffer())],
  ])('is refused where its end is missing: %s', async (_, ending, content) => {
    const whole = await content()
    const cut = await photoFile(`cut.${ending}`, whole.subarray(0, whole.length * 0.7))
    await expect(processPhoto(cut)).rejects.toThrow(
      'The file is damaged or incomplete: a part of the picture is missing.',
    )
    // The same with the mark of an end, which a decoder only warns of.
    const ended = Buffer.concat([whole.subarray(0, whole.length * 0.7), Buffer.from([0xff, 0xd9])])
    await expect(processPhoto(await photoFile(`ended.${ending}`, ended))).rejects.toThrow(ProcessingError)
  })

  it('is refused where strips of a TIFF are missing, flaws or not', async () => {
    for (const whole of [await tiff(), withLoop(await tiff())]) {
      const directory = whole.readUInt32LE(4)
      // Its directory lies at the end, so the first strip is sent beyond the file.
      const broken = Buffer.from(whole)
      for (let entry = 0; entry < broken.readUInt16LE(directory); entry++) {
        const at = directory + 2 + 12 * entry
        if (broken.readUInt16LE(at) === 273 && broken.readUInt32LE(at + 4) === 1)
          broken.writeUInt32LE(broken.length, at + 8)
        else if (broken.readUInt16LE(at) === 273)
          broken.writeUInt32LE(broken.length, broken.readUInt32LE(at + 8))
      }
      await expect(processPhoto(await photoFile('broken.tiff', broken))).rejects.toThrow(ProcessingError)
    }
  })
})

function tiffOf(directory: Readonly<Record<number, readonly number[]>>, data: Buffer): Buffer {
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  const entries = Object.entries(directory).map(([tag, values]) => [Number(tag), values] as const)
  return withDirectory(Buffer.concat([head, data]), { littleEndian: true, directory: new Map(entries) })
}

const START = 8
const plane = (value: number) => Buffer.alloc(16 * 16, value)
const shape = { [TAG.width]: [3], [TAG.height]: [2] }
const pixelsOf = async (content: Buffer) => {
  const { bytes } = await processPhoto(await photoFile('made.tiff', content), { format: 'png' })
  return [...(await sharp(bytes).raw().toBuffer())]
}

describe('a TIFF of a kind that its usual decoder refuses', () => {
  it('has colours of 4 bits', async () => {
    const data = Buffer.from('f000f0000f123456789a', 'hex')
    const tags = { [TAG.bits]: [4, 4, 4], [TAG.photometric]: [2], [TAG.samples]: [3] }
    const strips = { [TAG.compression]: [1], [TAG.stripOffsets]: [START], [TAG.stripBytes]: [10] }
    expect(await pixelsOf(tiffOf({ ...shape, ...tags, ...strips }, data))).toEqual(
      [15, 0, 0, 0, 15, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((value) => value * 17),
    )
  })

  it('has tiles with separate planes, of which one is its transparency', async () => {
    const tags = { [TAG.bits]: [8, 8, 8, 8], [TAG.photometric]: [2], [TAG.samples]: [4], [TAG.planes]: [2] }
    const tiles = {
      [TAG.compression]: [1],
      [TAG.tileWidth]: [16],
      323: [16],
      [TAG.tileOffsets]: [0, 1, 2, 3].map((index) => START + index * 256),
      [TAG.tileBytes]: [256, 256, 256, 256],
      [TAG.extraSamples]: [2],
    }
    const data = Buffer.concat([10, 20, 30, 128].map(plane))
    expect(await pixelsOf(tiffOf({ ...shape, ...tags, ...tiles }, data))).toEqual(
      Array.from({ length: 6 }, () => [10, 20, 30, 128]).flat(),
    )
    // An extra plane that nobody has said is transparency is none.
    const unsaid = tiffOf({ ...shape, ...tags, ...tiles, [TAG.extraSamples]: [0] }, data)
    expect(await pixelsOf(unsaid)).toEqual(Array.from({ length: 6 }, () => [10, 20, 30]).flat())
  })

  it('holds a whole JPEG in the old way, and asks to be turned', async () => {
    const jpeg = await photo().jpeg().toBuffer()
    const content = tiffOf(
      {
        [TAG.width]: [96],
        [TAG.height]: [64],
        [TAG.bits]: [8, 8, 8],
        [TAG.compression]: [6],
        [TAG.photometric]: [6],
        [TAG.orientation]: [6],
        [TAG.samples]: [3],
        [TAG.stripOffsets]: [START],
        [TAG.stripBytes]: [jpeg.length],
        [TAG.jpegOffset]: [START],
        [TAG.jpegBytes]: [jpeg.length],
      },
      jpeg,
    )
    const { width, height, bytes } = await processPhoto(await photoFile('old.tiff', content), {
      format: 'png',
    })
    expect({ width, height }).toEqual({ width: 64, height: 96 })
    const expected = await sharp(jpeg).rotate(90).raw().toBuffer()
    expect((await sharp(bytes).raw().toBuffer()).equals(expected)).toBe(true)
  })

  it('is refused where a plane is missing or its size is a lie', async () => {
    const tags = { [TAG.bits]: [8, 8, 8], [TAG.photometric]: [2], [TAG.samples]: [3], [TAG.planes]: [2] }
    const tiles = { [TAG.compression]: [1], [TAG.tileWidth]: [16], 323: [16] }
    const places = { [TAG.tileOffsets]: [START, START, 99_999], [TAG.tileBytes]: [256, 256, 256] }
    const missing = tiffOf({ ...shape, ...tags, ...tiles, ...places }, Buffer.alloc(256))
    await expect(pixelsOf(missing)).rejects.toThrow(ProcessingError)
    const huge = { ...tags, ...tiles, ...places, [TAG.width]: [65_000], [TAG.height]: [65_000] }
    await expect(pixelsOf(tiffOf(huge, Buffer.alloc(256)))).rejects.toThrow(/4,225 megapixels/)
  })
})

describe('what a person is told', () => {
  it('is one plain sentence, with the words of the library behind it', async () => {
    const whole = await readFile(await photoFile('a.png', photo().png()))
    const cut = await photoFile('cut.png', whole.subarray(0, whole.length / 2))
    const failure = await processPhoto(cut).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ProcessingError)
    if (!(failure instanceof ProcessingError)) return
    expect(failure.message).toMatch(/^The file is damaged or incomplete: [a-z ’]+\.$/)
    expect(failure.message).not.toMatch(/vips|spng|libspng|png:/i)
    expect(failure.cause).toBeInstanceOf(Error)
  })

  it('counts megapixels', async () => {
    const header = Buffer.alloc(26)
    header.write('BM', 'latin1')
    header.writeUInt32LE(26, 10)
    header.writeUInt32LE(12, 14)
    header.writeUInt16LE(60_000, 18)
    header.writeUInt16LE(60_000, 20)
    header.writeUInt16LE(24, 24)
    await expect(processPhoto(await photoFile('huge.bmp', header))).rejects.toThrow(
      'The picture is too large: 60000 × 60000 are 3,600 megapixels, the limit is 134.',
    )
  })

  it('names the format that can’t hold the result', async () => {
    const wide = await photoFile(
      'wide.png',
      sharp({ create: { width: 16_384, height: 1, channels: 3, background: '#123' } }).png(),
    )
    await expect(processPhoto(wide, { format: 'webp' })).rejects.toThrow(
      'The result would have more pixels on a side than WebP can hold.',
    )
  })
})
