import sharp from 'sharp'
import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { chunksOf, pngChunk } from '../../../src/media/image/png-chunks.ts'
import { oddMedia } from '../../media-corpus.ts'
import { makeHeic } from './make-heic.ts'
import { entryAt, makeTiff } from './make-tiff.ts'
import {
  inserted,
  meanDifference,
  type PhotoRecipe,
  processContent,
  processPhoto,
  rawOf,
  REMOVING,
  samplePhoto,
  usePhotoFolder,
} from './process-photo.ts'
import { codesOf } from '../loss-sentences.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const photo = () => samplePhoto(96, 64)

describe.skipIf(oddMedia().length === 0)('an odd image that every viewer shows', () => {
  it.each(firstOf(oddMedia(), 4))('$file is shown: $notes', async ({ path: inputPath, width, height }) => {
    const size = width !== null && width !== undefined && width > 1000 ? { size: { width: 600 } } : {}
    const made = await processPhoto(inputPath, { format: 'png', ...size })
    const shown = size.size === undefined ? { width, height } : { width: 600, height: 800 }
    expect({ width: made.width, height: made.height }).toEqual(shown)
    const { channels } = await sharp(made.bytes).toColourspace('srgb').stats()
    expect(Math.max(...channels.slice(0, 3).map(({ max }) => max)), 'not black').toBeGreaterThan(64)
    expect(channels[3]?.max ?? 255, 'not see-through').toBeGreaterThan(64)
  })
})

/** Inserts invalid bytes into a JPEG, after its first segment by default. */
const withStrayBytes = (jpeg: Buffer, at = 4 + jpeg.readUInt16BE(4)) => inserted(jpeg, at, Buffer.alloc(7, 1))

/** Makes the only page point to itself as the next one. */
function withLoop(tiff: Buffer): Buffer {
  const looped = Buffer.from(tiff)
  const directory = looped.readUInt32LE(4)
  looped.writeUInt32LE(directory, directory + 2 + 12 * looped.readUInt16LE(directory))
  return looped
}

const tiff = () => photo().tiff({ compression: 'lzw' }).toBuffer()
const jpeg = (progressive = false) => photo().jpeg({ progressive }).toBuffer()

/** The last of four channels. */
const alpha = (all: Buffer) => all.filter((_, at) => at % 4 === 3)

describeInLongSuite('a WebP whose head denies its transparency', () => {
  it.each([false, true])('keeps its transparency, losslessly compressed: %s', async (lossless) => {
    const pixels = Buffer.alloc(64 * 48 * 4, 200)
    for (let at = 3; at < pixels.length; at += 4) pixels[at] = at % 256
    const image = sharp(pixels, { raw: { width: 64, height: 48, channels: 4 } })
    const described = image.webp({ lossless }).withExif({ IFD0: { Artist: 'Jo' } })
    const content = await described.toBuffer()
    expect(content.toString('latin1', 12, 16)).toBe('VP8X')
    content[20] = (content[20] ?? 0) & ~0x10
    const { bytes } = await processContent('head.webp', content, { format: 'png' })
    const made = await rawOf(sharp(bytes))
    expect(made.info.channels).toBe(4)
    expect(meanDifference(alpha(made.data), alpha(pixels))).toBeLessThan(1)
    const { losses } = await processContent('head.webp', content, { format: 'jpeg' })
    expect(codesOf(losses)).toEqual(['alpha'])
  })
})

async function animation(): Promise<Buffer> {
  const frames = await Promise.all([0, 90].map((hue) => photo().modulate({ hue }).png().toBuffer()))
  return sharp(frames, { join: { animated: true } })
    .webp({ lossless: true, effort: 0 })
    .toBuffer()
}

describe('an image', () => {
  it.each(
    firstOf(
      [
        ['bytes between the segments of a JPEG', 'jpg', async () => withStrayBytes(await jpeg())],
        ['a missing end marker', 'jpg', async () => (await jpeg()).subarray(0, -2)],
        ['a missing end marker of a progressive JPEG', 'jpg', async () => (await jpeg(true)).subarray(0, -2)],
        ['circular pages of a TIFF', 'tiff', async () => withLoop(await tiff())],
      ],
      2,
    ),
  )('is complete despite %s, and the log names the flaw', async (_, ending, content) => {
    const odd = await processContent(`odd.${ending}`, await content(), { format: 'png' })
    const { notes, detail, width, height, bytes } = odd
    expect({ notes, width, height }).toEqual({ notes: ['flaws-passed-over'], width: 96, height: 64 })
    expect(detail).toMatch(/7 stray bytes|without a marker|IFD looping/)
    const [made, original] = await Promise.all([sharp(bytes).raw().toBuffer(), photo().raw().toBuffer()])
    expect(meanDifference(made, original)).toBeLessThan(8)
  })

  it.each(
    firstOf(
      [
        ['bytes before the first segment of a JPEG', (file: Buffer) => withStrayBytes(file, 2)],
        ['bytes between the segments of a JPEG', (file: Buffer) => withStrayBytes(file)],
        ['a missing end marker', (file: Buffer) => file.subarray(0, -2)],
      ],
      2,
    ),
  )('loses only its metadata despite %s', async (_, spoiled) => {
    const described = photo().withExif({ IFD3: { GPSAreaInformation: 'A cove' } })
    const content = await described.jpeg().toBuffer()
    const recipe = { ...REMOVING, colour: 'keep', metadata: 'strip-location' } as const
    const made = await processContent('odd.jpg', spoiled(content), recipe)
    expect([made.quality, made.notes, made.losses]).toEqual(['lossless', ['flaws-passed-over'], []])
    expect(made.bytes.includes('A cove')).toBe(false)
    expect(await sharp(made.bytes).raw().toBuffer()).toEqual(await sharp(content).raw().toBuffer())
  })

  it('with unknown data among its frames loses only that data', async () => {
    const webp = await animation()
    // Unknown data in the first frame.
    const frame = webp.indexOf('ANMF')
    const end = frame + 8 + webp.readUInt32LE(frame + 4)
    const odd = inserted(webp, end, Buffer.from('JUNK\x04\0\0\0junk'))
    odd.writeUInt32LE(odd.length - 8, 4)
    odd.writeUInt32LE(end + 12 - frame - 8, frame + 4)
    const { bytes } = await processContent('odd.webp', odd, REMOVING)
    expect(bytes).toEqual(webp)
  })

  it('whose pixels are lossless and can’t be copied is encoded without loss to remove its metadata', async () => {
    const described = photo().withExif({ IFD0: { Artist: 'Jo in a cove' } })
    const content = await described.tiff({ bigtiff: true }).toBuffer()
    const made = await processContent('big.tiff', content, REMOVING)
    expect(made.bytes.includes('cove')).toBe(false)
    expect([made.quality, made.notes]).toEqual(['lossless', []])
    expect(await sharp(made.bytes).raw().toBuffer()).toEqual(await sharp(content).raw().toBuffer())
  })

  it('without flaws has no note', async () => {
    const { notes, detail } = await processContent('fine.tiff', await tiff())
    expect({ notes, detail }).toEqual({ notes: [], detail: undefined })
  })

  it.each(
    firstOf([
      ['a JPEG', (file: Buffer) => file],
      ['a JPEG with stray bytes', (file: Buffer) => withStrayBytes(file)],
    ] as const),
  )('is refused if its end is missing: %s', async (_, change) => {
    const whole = change(await jpeg())
    const cut = whole.subarray(0, whole.length * 0.7)
    await expect(processContent('cut.jpg', cut)).rejects.toThrow(
      'The file is damaged or incomplete: part of the image is missing.',
    )
    // The same file with an end marker added: decoders only warn about it, so the missing data has to be detected.
    const ended = Buffer.concat([cut, Buffer.from([0xff, 0xd9])])
    await expect(processContent('ended.jpg', ended)).rejects.toThrow(FailureError)
  })

  it.each<PhotoRecipe>(
    firstOf([{ format: 'png' }, { format: 'webp', size: { width: 24 } }, { look: 'low', metadata: 'keep' }]),
  )('is refused if the last blocks of a JPEG are missing, with %j', async (recipe) => {
    const whole = await jpeg()
    const ended = Buffer.concat([whole.subarray(0, -80), Buffer.from([0xff, 0xd9])])
    await expect(processContent('ended.jpg', ended, recipe)).rejects.toThrow(/part of the image is missing/)
  })

  itInLongSuite.each(['avif', 'heic'])('is refused if a tile is damaged or missing: %s', async (kind) => {
    const tile = { width: 64, height: 64 }
    const grid = { tile, columns: 2, rows: 2, width: 128, height: 128 }
    const whole = makeHeic(kind === 'avif' ? { ...grid, coding: 'av1' } : grid)
    const damaged = Buffer.from(whole)
    damaged.fill(0, Math.round(whole.length * 0.6))
    for (const content of [damaged, whole.subarray(0, -200), whole.subarray(0, whole.length / 2)])
      await expect(processContent(`grid.${kind}`, content)).rejects.toThrow(/damaged or incomplete/)
    expect((await processContent(`grid.${kind}`, whole)).losses).toEqual([])
  })

  itInLongSuite('is refused if the last scan of a JPEG is missing', async () => {
    const whole = await jpeg(true)
    const last = whole.lastIndexOf(Buffer.from([0xff, 0xda]))
    const tables = whole.lastIndexOf(Buffer.from([0xff, 0xc4]), last)
    await expect(processContent('scans.jpg', whole.subarray(0, tables))).rejects.toThrow(FailureError)
  })

  itInLongSuite('is refused if it is a TIFF with missing strips, with or without other flaws', async () => {
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
  const file = inserted(png, 8, pngChunk('CgBI', Buffer.alloc(4)))
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

  it.each(
    firstOf([
      ['webp', 'WebP', '16,383'],
      ['avif', 'AVIF', '16,384'],
      ['jpeg', 'JPEG', '65,500'],
    ] as const),
  )('names the format that can’t hold the result, and its limit: %s', async (format, name, limit) => {
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
  })
})

const SECRET = Buffer.from('in a quiet cove at 48.8584 N')
// Small enough for a single chunk.
const png = (progressive = false) => samplePhoto(32, 24).png({ progressive }).toBuffer()
/** Changes the chunks of one type. */
const withChunks = (file: Buffer, wanted: string, change: (body: Buffer) => readonly Buffer[]) =>
  Buffer.concat([
    file.subarray(0, 8),
    ...[...chunksOf(file)].flatMap(({ type, at, end }) =>
      type === wanted ? change(file.subarray(at + 8, end - 4)) : [file.subarray(at, end)],
    ),
  ])
const profiled = () => samplePhoto(32, 24).withIccProfile('p3').png().toBuffer()
const latin = (text: string) => Buffer.from(text, 'latin1')
const loopCount = latin('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0')
const inPart = Buffer.concat([Buffer.from([SECRET.length]), SECRET])
const gif = () => photo().gif({ dither: 0 }).toBuffer()
const jpegSegment = (marker: number) =>
  Buffer.concat([Buffer.from([0xff, marker, 0, SECRET.length + 2]), SECRET])
const stored = (compression: 'none' | 'lzw' | 'deflate' | 'jpeg') =>
  photo().tiff({ compression, predictor: 'none' }).toBuffer()

/** Moves the only strip of a little-endian TIFF to its end, and adds the text to it. */
function inStrip(file: Buffer): Buffer {
  const [offsets, lengths] = [entryAt(file, 273), entryAt(file, 279)]
  const isShort = file.readUInt16LE(lengths + 2) === 3
  expect([file.readUInt32LE(offsets + 4), file.readUInt32LE(lengths + 4)]).toEqual([1, 1])
  const at = file.readUInt32LE(offsets + 8)
  const length = isShort ? file.readUInt16LE(lengths + 8) : file.readUInt32LE(lengths + 8)
  const moved = Buffer.concat([file, file.subarray(at, at + length), SECRET])
  moved.writeUInt32LE(file.length, offsets + 8)
  moved.writeUInt16LE(4, lengths + 2)
  moved.writeUInt32LE(length + SECRET.length, lengths + 8)
  return moved
}

const packBits = () => makeTiff({ sample: (x) => x, compression: 'packBits' })

describe('data behind pixels, which decoders skip, is removed with the metadata', () => {
  const longer = (file: Buffer, type: string) =>
    withChunks(file, type, (body) => [pngChunk(type, Buffer.concat([body, SECRET]))])
  const compressed = (body: Buffer) => deflateSync(Buffer.concat([inflateSync(body), SECRET]), { level: 0 })
  const repeated = [pngChunk('tRNS', SECRET.subarray(0, 6)), pngChunk('tRNS', SECRET)]
  const [text, delay] = [latin('\x21\x01\x0c'.padEnd(15, '\0')), latin('\x21\xf9\x04\0\0\0\0')]

  it.each<[string, string, () => Promise<Buffer> | Buffer, (file: Buffer) => Buffer]>([
    ['in a chunk of a PNG', 'png', png, (file) => longer(file, 'IDAT')],
    [
      'in another chunk of an interlaced PNG',
      'png',
      () => png(true),
      (file) => withChunks(file, 'IDAT', (body) => [pngChunk('IDAT', body), pngChunk('IDAT', SECRET)]),
    ],
    [
      'compressed with the pixels of a PNG',
      'png',
      png,
      (file) => withChunks(file, 'IDAT', (body) => [pngChunk('IDAT', compressed(body))]),
    ],
    ['after the profile of a PNG', 'png', profiled, (file) => longer(file, 'iCCP')],
    ['in repeated chunks of a PNG', 'png', png, (file) => inserted(file, -12, ...repeated)],
    ['in a segment of a JPEG that isn’t used', 'jpg', jpeg, (file) => inserted(file, 2, jpegSegment(0xdc))],
    ['in a segment of a JPEG after its scan', 'jpg', jpeg, (file) => inserted(file, -2, jpegSegment(0xf0))],
    ['in a frame of a GIF', 'gif', gif, (file) => inserted(file, -2, inPart)],
    ['in a text of a GIF', 'gif', gif, (file) => inserted(file, -1, text, inPart, Buffer.alloc(1))],
    [
      'in the loop count of a GIF',
      'gif',
      gif,
      (file) => inserted(file, -1, loopCount, inPart, Buffer.alloc(1)),
    ],
    ['in the delay of a GIF', 'gif', gif, (file) => inserted(file, -1, delay, inPart, Buffer.alloc(1))],
    ['in a TIFF', 'tiff', () => stored('none'), inStrip],
    ['in a TIFF with LZW', 'tiff', () => stored('lzw'), inStrip],
    ['in a TIFF with Deflate', 'tiff', () => stored('deflate'), inStrip],
    ['in a TIFF with PackBits', 'tiff', packBits, inStrip],
    ['in a TIFF with JPEG', 'tiff', () => stored('jpeg'), inStrip],
  ])('%s', async (_, ending, make, hide) => {
    const content = hide(await make())
    expect(content.includes(SECRET)).toBe(true)
    const made = await processContent(`a.${ending}`, content, { ...REMOVING, colour: 'keep' })
    expect([made.extension, made.quality, made.notes]).toEqual([ending, 'lossless', []])
    expect(made.bytes.includes(SECRET)).toBe(false)
    const shown = await sharp(content, { failOn: 'none' }).raw().toBuffer()
    expect(await sharp(made.bytes).raw().toBuffer()).toEqual(shown)
  })
})
