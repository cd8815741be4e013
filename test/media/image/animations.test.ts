import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { bare } from '../../../src/media/image/bare/bare.ts'
import { decodeFrames } from '../../../src/media/image/decode-frames.ts'
import { encodeApng } from '../../../src/media/image/encode-frames.ts'
import { gifBlocks } from '../../../src/media/image/gif-blocks.ts'
import { viewOfSequence } from '../../../src/media/image/heif-sequence.ts'
import { webpChunks } from '../../../src/media/image/webp-chunks.ts'
import { orientationExif } from '../../../src/media/metadata/describe-exif.ts'
import { bytesOf } from '../../../src/media/metadata/exif-directories.ts'
import { withHeifMetadata } from '../../../src/media/metadata/heif-metadata.ts'
import { jpegMetadata } from '../../../src/media/metadata/jpeg-metadata.ts'
import { NO_METADATA } from '../../../src/media/metadata/photo-metadata.ts'
import { withMetadata } from '../../../src/media/metadata/write-metadata.ts'
import { chunksOf, PNG_SIGNATURE, pngChunk } from '../../../src/media/image/png-chunks.ts'
import { headerChunk } from '../../../src/media/image/stored-png.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { boxesIn, boxIn } from '../../../src/node/media-header/heif-boxes.ts'
import { NO_VARIATION } from '../no-variation.ts'
import { cut, makeHeic, mirrored, turned, withLongOffsets, withSequence } from './make-heic.ts'
import {
  inserted,
  meanDifference,
  photoFile,
  processContent,
  processPhoto,
  rawOf,
  REMOVING,
  usePhotoFolder,
} from './process-photo.ts'
import { codesOf, lostIn, sentencesOf } from '../loss-sentences.ts'
import { words } from '../../../src/media/words.ts'
import { firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffffff']
const DELAYS = [100, 200, 300, 400]
const [WIDTH, HEIGHT] = [64, 48]

/** Draws a bar of another color at another place in each frame, on nothing or on black. */
async function frames(isOpaque: boolean): Promise<Sharp> {
  const background = isOpaque ? '#000000' : '#00000000'
  const each = COLORS.map((color, index) => {
    const bar = { create: { width: 12, height: 32, channels: 3, background: color } } as const
    return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 4, background } })
      .composite([{ input: bar, left: index * 14, top: 8 }])
      .png()
      .toBuffer()
  })
  return sharp(await Promise.all(each), { join: { animated: true } })
}

const TIMING = { delay: [...DELAYS], loop: 3 }

async function sourceIn(format: Format, isOpaque = false): Promise<string> {
  const image = await frames(isOpaque)
  if (format === 'gif') return photoFile('a.gif', image.gif(TIMING))
  const webp = await photoFile('a.webp', image.webp({ ...TIMING, lossless: true }))
  if (format === 'webp') return webp
  if (format === 'avif') return avifSequence()
  return (await processPhoto(webp, { format, lossless: true })).output
}

let sequence: Promise<Buffer> | undefined

/** Writes an AVIF image sequence in the form that browsers read. It is encoded only once, for all tests. */
const avifSequence = async () => photoFile('a.avif', await (sequence ??= encodeSequence()))

/** Gives a sequence the brand of a still image. */
function asStill(file: Buffer): Buffer {
  file.write('avif\0\0\0\0avis', 8, 'latin1')
  return file
}

function heicSequence(): Buffer {
  const tile = { width: WIDTH, height: HEIGHT }
  return withSequence(makeHeic({ tile, ...tile }), tile)
}

async function encodeSequence(): Promise<Buffer> {
  const strip = await (await frames(true)).removeAlpha().raw().toBuffer()
  const raw = await photoFile('frames.rgb', strip)
  const avif = path.join(path.dirname(raw), 'encoded.avif')
  const input = `-v error -f rawvideo -pix_fmt rgb24 -s ${WIDTH}x${HEIGHT} -r 4 -i`
  const filter = '-vf scale=out_color_matrix=bt709:out_range=tv'
  const coder = '-c:v libaom-av1 -crf 4 -cpu-used 8 -pix_fmt yuv444p -colorspace bt709'
  execFileSync('ffmpeg', [...words(input), raw, ...words(`${filter} ${coder}`), avif])
  return readFile(avif)
}

/** Returns the boxes of an image sequence, with more properties of its track. */
function withTrackProperties(file: Buffer, ...properties: readonly Buffer[]): Buffer {
  const inner = ['trak', 'mdia', 'minf', 'stbl', 'stsd'] as const
  const parents = [[], ...inner.map((_, index) => inner.slice(0, index + 1))].map(
    (types) => boxIn(file, 0, file.length, 'moov', ...types)?.body ?? 0,
  )
  const entry = boxesIn(file, (parents.at(-1) ?? 0) + 8, file.length).at(0) ?? { body: 0, end: 0 }
  const added = Buffer.concat(properties)
  const changed = Buffer.from(file)
  for (const body of [...parents, entry.body])
    changed.writeUInt32BE(changed.readUInt32BE(body - 8) + added.length, body - 8)
  return inserted(changed, entry.end, added)
}

/** Returns hashes of all frames, as FFmpeg's program decodes them, with their times. */
const decodedBy = (file: string): string =>
  execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-map', '0', '-f', 'framemd5', '-'], {
    encoding: 'utf8',
  })

/** Writes a PNG of two frames with 16 bits. */
async function deepApng(pixels: Uint8Array, channels: 1 | 3): Promise<Buffer> {
  const strip = { pixels, width: WIDTH, height: HEIGHT * 2, channels, depth: 16, metadata: {} } as const
  return (await encodeApng(strip, { delays: [100, 200], loop: 0 }, 'fast')).bytes
}

async function exifWithPlace(): Promise<Buffer | undefined> {
  const described = { IFD0: { Make: 'Acme' }, IFD3: { GPSAreaInformation: 'a cove' } }
  const jpeg = sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } }).jpeg()
  return jpegMetadata(await jpeg.withExif(described).toBuffer()).exif
}

const codedFrames = (file: Buffer, format: 'webp' | 'png'): readonly Buffer[] =>
  format === 'png'
    ? [...partsOf(file, 'IDAT'), ...partsOf(file, 'fdAT')]
    : [...webpChunks(bytesOf(file))]
        .filter(({ type }) => type === 'ANMF')
        .map(({ at, end }) => file.subarray(at, end))

type Format = 'gif' | 'webp' | 'png' | 'jxl' | 'avif'

async function describeAnimation(file: string) {
  const image = await openImage(file)
  const { frames: count, animation } = image
  const { input, options } = await (image.frameSource?.() ?? image.source())
  const bars = await Promise.all(
    COLORS.map(async (_, page) => {
      const frame = sharp(input, { ...options, page })
        .ensureAlpha()
        .toColourspace('srgb')
      const { data, info } = await rawOf(frame)
      const at = (x: number, y: number) => [
        ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
      ]
      const scale = info.width / WIDTH
      return {
        bar: at(Math.round((page * 14 + 6) * scale), info.height >> 1),
        corner: at(info.width - 1, 0)[3],
      }
    }),
  )
  return { count, animation, bars }
}

function expectColors(bars: readonly { readonly bar: number[] }[], most: number): void {
  for (const [index, color] of COLORS.entries()) {
    const expected = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
    const apart = expected.map((value, channel) =>
      Math.abs(value - (bars[index]?.bar[channel] ?? Number.NaN)),
    )
    expect(Math.max(...apart), JSON.stringify(bars)).toBeLessThanOrEqual(most)
  }
}

const partsOf = (png: Buffer, wanted: string) =>
  [...chunksOf(png)].filter(({ type }) => type === wanted).map(({ at, end }) => png.subarray(at, end))

describe('an animation', () => {
  const sources = ['gif', 'webp', 'png', 'jxl', 'avif'] as const
  const targets = ['webp', 'png', 'jxl'] as const

  const pairs = sources.flatMap((from) => targets.map((to) => [from, to] as const))
  /** `npm test` writes each format, and reads almost every one. */
  it.each(pairs.filter((_, index) => isLongSuite || index % 4 === 0))(
    'in %s keeps its frames, their times and the loop count in %s',
    async (from, to) => {
      const source = await sourceIn(from)
      const before = await describeAnimation(source)
      const { output, losses, width, height } = await processPhoto(source, { format: to, quality: 95 })
      const after = await describeAnimation(output)
      expect({ width, height }).toEqual({ width: WIDTH, height: HEIGHT })
      expect(after.count).toBe(4)
      expectColors(after.bars, 24)
      expect(after.animation?.delays).toEqual(from === 'avif' ? [250, 250, 250, 250] : DELAYS)
      const corner = from === 'avif' ? 255 : 0
      expect(after.bars.map((bar) => bar.corner)).toEqual([corner, corner, corner, corner])
      // The JPEG XL encoder can't count.
      const keepsLoop = to !== 'jxl' || before.animation?.loop === 0
      expect(after.animation?.loop).toBe(to === 'jxl' ? 0 : before.animation?.loop)
      expect(codesOf(losses)).toEqual(keepsLoop ? [] : ['frameTiming'])
    },
  )

  it.each(sources)('in %s keeps its format if the preset does', async (format) => {
    const source = await sourceIn(format)
    const { extension, losses } = await processPhoto(source)
    expect(extension).toBe(format === 'gif' ? 'webp' : format)
    expect(codesOf(losses)).toEqual(format === 'avif' ? ['frames'] : [])
  })

  it.each(firstOf(targets))(
    'is resized, rotated, cropped and varied frame by frame in %s',
    async (format) => {
      const source = await sourceIn('png')
      const half = await processPhoto(source, { format, size: { width: 32 }, lossless: true })
      expectColors((await describeAnimation(half.output)).bars, 60)
      const turned = await processPhoto(source, { format, rotate: 90, lossless: true })
      expect([turned.width, turned.height]).toEqual([HEIGHT, WIDTH])
      expect((await describeAnimation(turned.output)).count).toBe(4)
      const cropped = await processPhoto(source, { format, crop: { aspect: 1 } })
      expect([cropped.width, cropped.height]).toEqual([HEIGHT, HEIGHT])
      const variation = { ...NO_VARIATION, mirror: true, hue: 5, rotation: 8, cropLeft: 0.1 }
      const varied = await processPhoto(source, { format }, { variation })
      expect((await describeAnimation(varied.output)).count).toBe(4)
    },
  )

  it.each(firstOf(targets))('meets a goal in %s', async (format) => {
    const source = await sourceIn('gif')
    const maxBytes = { webp: 900, png: 2000, jxl: 3000 }[format]
    const limited = await processPhoto(source, { format, maxBytes, mayShrink: true })
    expect(limited.bytes.length).toBeLessThanOrEqual(maxBytes)
    const { frames: count, height, animation } = await openImage(limited.output)
    expect([count, height, animation?.delays]).toEqual([COLORS.length, limited.height, DELAYS])
    const high = await processPhoto(source, { format, look: 'high' })
    expect((await describeAnimation(high.output)).count).toBe(4)
  })

  itInLongSuite('may contain equal frames, which are merged', async () => {
    const same = await (await frames(true)).clone().png().toBuffer()
    const one = await sharp(same).extract({ left: 0, top: 0, width: WIDTH, height: HEIGHT }).png().toBuffer()
    const other = await sharp(one).negate({ alpha: false }).png().toBuffer()
    const joined = sharp([one, one, other, other], { join: { animated: true } })
    const gif = await photoFile('same.gif', joined.gif({ delay: DELAYS, loop: 0 }))
    for (const format of targets) expect(await lostIn(gif, { format })).toEqual([])
  })

  itInLongSuite('without delays is shown as browsers show it', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const image = (await frames(true))[format]({ delay: [0, 10, 20, 0], loop: 0 })
      const source = await photoFile(`fast.${format}`, image)
      for (const target of targets) {
        const { output, losses } = await processPhoto(source, { format: target })
        expect(losses).toEqual([])
        expect((await openImage(output)).animation?.delays).toEqual([100, 100, 20, 100])
      }
    }
  })

  it('is named as lost in other formats, but not if the preset asks for the first frame', async () => {
    for (const from of firstOf(sources)) {
      const source = await sourceIn(from)
      expect(await lostIn(source, { format: 'jpeg', background: '#123456' })).toEqual([
        '3 frames of the animation. JPEG holds one frame.',
      ])
      expect(await lostIn(source, { format: 'avif' })).toEqual([
        '3 frames of the animation. The AVIF encoder can’t write it.',
      ])
      const still = await processPhoto(source, { format: 'png', animation: 'first-frame' })
      expect((await openImage(still.output)).frames).toBe(1)
      expect(still.losses).toEqual([])
    }
  })

  it('may have 16 bits, or only gray', async () => {
    const shades = Buffer.alloc(WIDTH * HEIGHT * 2 * 2)
    for (let at = 0; at < shades.length / 2; at++) shades.writeUInt16LE((at * 41) % 65_536, at * 2)
    const source = await photoFile('deep.png', await deepApng(shades, 1))
    expect(await lostIn(source, { format: 'webp' })).toEqual([])
    const { output, losses } = await processPhoto(source, { format: 'png' })
    expect(losses).toEqual([])
    const { depth, channels } = await sharp(output).metadata()
    expect({ depth, channels }).toEqual({ depth: 'ushort', channels: 1 })
    const frameSource = (await openImage(output)).frameSource
    const { input, options } = (await frameSource?.()) ?? {}
    const second = sharp(input, { ...options, page: 1 }).extractChannel(0)
    const data = await second.toColourspace('grey16').raw({ depth: 'ushort' }).toBuffer()
    expect(data).toEqual(shades.subarray(shades.length / 2))
  })

  itInLongSuite.each(['png', 'jxl'] as const)('keeps 16 bits when it is rotated in %s', async (format) => {
    const shades = Uint16Array.from({ length: WIDTH * HEIGHT * 2 * 3 }, (_, at) => (at * 7) % 65_536)
    const source = await photoFile('deep.png', await deepApng(new Uint8Array(shades.buffer), 3))
    for (const rotate of [90, 180] as const) {
      const { output } = await processPhoto(source, { format, lossless: true, rotate })
      const { input, options } = (await (await openImage(output)).frameSource?.()) ?? {}
      const data = await sharp(input, options).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer()
      const levels = new Set(new Uint16Array(data.buffer, data.byteOffset, data.length / 2))
      expect(levels.size).toBeGreaterThan(1_000)
    }
  })

  it('has a color profile also when it is rotated', async () => {
    const wide = (await frames(true)).withIccProfile('p3').webp({ lossless: true, ...TIMING })
    const recipe = { format: 'webp', colour: 'keep', rotate: 90 } as const
    const { output, losses } = await processContent('wide.webp', wide, recipe)
    expect(losses).toEqual([])
    expect((await sharp(output).metadata()).icc?.toString('latin1')).toContain('P\x003')
  })

  it.each(firstOf(targets))('shows frames without a time as long as programs do, in %s', async (format) => {
    const timing = { delay: [0, 200, 10, 400], loop: 0 }
    const source = await photoFile('a.gif', (await frames(true)).gif(timing))
    const { output, losses } = await processPhoto(source, { format })
    expect(losses).toEqual([])
    expect((await openImage(output)).animation?.delays).toEqual([100, 200, 100, 400])
  })

  itInLongSuite.each(targets)('may show a frame for minutes in %s', async (format) => {
    const timing = { delay: [655_350, 200, 10_000, 65_540], loop: 0 }
    const gif = await (await frames(true)).gif({ ...timing, delay: [200, 200, 200, 200] }).toBuffer()
    let index = 0
    for (const { label, at } of gifBlocks(gif))
      if (label === 0xf9) gif.writeUInt16LE((timing.delay[index++] ?? 0) / 10, at + 4)
    for (const recipe of [{}, { maxBytes: 20_000 }]) {
      const { output, losses } = await processPhoto(await photoFile('a.gif', gif), { format, ...recipe })
      expect(losses).toEqual([])
      expect((await openImage(output)).animation?.delays).toEqual(timing.delay)
    }
  })

  it('in AVIF is copied with all frames if only metadata is removed', async () => {
    const plain = await readFile(await avifSequence())
    const exif = await exifWithPlace()
    const original = withMetadata(plain, 'avif', { ...NO_METADATA, exif })
    // The names of the track and of its encoder.
    for (const name of ['PictureHandler', 'libaom'])
      original.write('a cove', original.lastIndexOf(name), 'latin1')
    // A description instead of a property that programs can do without.
    original.write('udes', original.indexOf('pixi'), 'latin1')
    const before = decodedBy(await photoFile('b.avif', plain))
    for (const metadata of firstOf(['strip', 'strip-location'] as const)) {
      const made = await processContent('a.avif', original, { ...REMOVING, metadata })
      expect([made.extension, made.quality, made.notes, made.losses]).toEqual(['avif', 'lossless', [], []])
      expect(decodedBy(made.output)).toBe(before)
      expect(made.bytes.includes('cove')).toBe(false)
      expect(made.bytes.includes('Acme')).toBe(metadata === 'strip-location')
    }
  })

  itInLongSuite.each([
    ['AVIF', 'avif', withLongOffsets],
    ['AVIF with the brand of a still image', 'avif', (file: Buffer) => asStill(withLongOffsets(file))],
    ['HEIC', 'heic', (file: Buffer) => file],
    ['HEIC', 'heic', withLongOffsets],
  ] as const)('with offsets of 32 or 64 bits in %s is copied with all frames', async (_, format, change) => {
    const plain = change(format === 'avif' ? await readFile(await avifSequence()) : heicSequence())
    const exif = await exifWithPlace()
    const original = withHeifMetadata(plain, { ...NO_METADATA, exif })
    const before = decodedBy(await photoFile(`b.${format}`, plain))
    // FFmpeg’s program shows one image of a file with the brand of a still image.
    expect(before.match(/^0,/gm)).toHaveLength(plain.includes('ftypavif') ? 1 : 4)
    expect(decodedBy(await photoFile(`c.${format}`, original))).toBe(before)
    for (const metadata of ['strip', 'strip-location'] as const) {
      const made = await processContent(`a.${format}`, original, { ...REMOVING, metadata })
      expect([made.extension, made.quality, made.notes, made.losses]).toEqual([format, 'lossless', [], []])
      expect(decodedBy(made.output)).toBe(before)
      expect((await openImage(made.output)).frames).toBe(4)
      expect(made.bytes.toString('latin1')).not.toMatch(/a cove|(?:Picture|Video)Handler/)
      expect(made.bytes.includes('Acme')).toBe(metadata === 'strip-location')
    }
  })

  itInLongSuite('without a still image is refused with that reason', async () => {
    for (const [name, file] of [
      ['a.avif', Buffer.from(await readFile(await avifSequence()))],
      ['a.heic', heicSequence()],
    ] as const) {
      file.write('free', file.indexOf('meta'), 'latin1')
      await expect(processContent(name, file)).rejects.toThrow(
        'The file stores its image in a way that isn’t supported.',
      )
    }
  })

  itInLongSuite(
    'in AVIF is copied without metadata if its tracks have images or masks, but not if they have anything else',
    async () => {
      const file = await readFile(await avifSequence())
      const handler = boxIn(file, 0, file.length, 'moov', 'trak', 'mdia', 'hdlr')?.body ?? 0
      const before = decodedBy(await photoFile('b.avif', file))
      for (const [kind, isCopied] of [
        ['pict', true],
        ['auxv', true],
        ['vide', false],
        ['text', false],
      ] as const) {
        file.write(kind, handler + 8, 'latin1')
        const copied = await bare(file, 'avif')
        expect([kind, copied !== undefined]).toEqual([kind, isCopied])
        if (copied !== undefined) expect(decodedBy(await photoFile('c.avif', copied))).toBe(before)
      }
    },
  )

  itInLongSuite('in AVIF shows the part that its track does, turned like that', async () => {
    const source = await avifSequence()
    const file = await readFile(source)
    const whole = await decodeFrames(source, 4, false, viewOfSequence(file))
    const view = viewOfSequence(withTrackProperties(file, cut(41, 30, -5, 6), turned(1), mirrored(1)))
    const shown = await decodeFrames(source, 4, false, view)
    expect([whole.width, whole.height, shown.width, shown.height]).toEqual([WIDTH, HEIGHT, 30, 41])
    for (const [index, frame] of whole.frames.entries()) {
      const raw = { width: WIDTH, height: HEIGHT, channels: whole.channels }
      const kept = { left: 9, top: 12, width: 41, height: 30 }
      const part = await sharp(frame, { raw }).extract(kept).png().toBuffer()
      const upright = await sharp(part).rotate(270).png().toBuffer()
      const expected = await sharp(upright).flop().raw().toBuffer()
      expect(expected.equals(shown.frames[index] ?? Buffer.alloc(0))).toBe(true)
    }
  })

  itInLongSuite.each([
    [[0, -1, 1, 0], (image: Sharp) => image.rotate(270)],
    [[-1, 0, 0, 1], (image: Sharp) => image.flop()],
    [[0, 1, 1, 0], async (image: Sharp) => sharp(await image.rotate(90).png().toBuffer()).flop()],
  ] as const)(
    'in AVIF is turned as the header of its track says, in every format: %o',
    async (matrix, turn) => {
      const source = await avifSequence()
      const file = await readFile(source)
      const header = boxIn(file, 0, file.length, 'moov', 'trak', 'tkhd')?.body ?? 0
      const [a, b, c, d] = matrix
      for (const [index, part] of [a, b, 0, c, d].entries())
        file.writeInt32BE(part * 0x1_00_00, header + 40 + 4 * index)
      const upright = await readFile((await processPhoto(source, { format: 'png' })).output)
      const wanted = await (await turn(sharp(upright))).removeAlpha().raw().toBuffer()
      const original = await photoFile('turned.avif', file)
      for (const format of ['png', 'webp', 'jxl', 'tiff'] as const) {
        const { output } = await processPhoto(original, { format, lossless: true })
        const { input, options } = await (await openImage(output)).source()
        const { data, info } = await rawOf(sharp(input, options).removeAlpha())
        expect([info.width, info.height]).toEqual(a === 0 ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT])
        expect(meanDifference(data, wanted)).toBeLessThan(2)
      }
    },
  )

  itInLongSuite(
    'in AVIF with 10 or 12 bits doesn’t lose transparency that is opaque everywhere',
    async () => {
      const create = { width: 64, height: 48, channels: 4, background: '#c04020' } as const
      const opaque = sharp({ create }).toColourspace('rgb16')
      for (const bitdepth of [10, 12] as const) {
        const source = await photoFile(`${bitdepth}.avif`, opaque.clone().avif({ bitdepth, lossless: true }))
        for (const format of ['jpeg', 'webp'] as const) expect(await lostIn(source, { format })).toEqual([])
      }
    },
  )

  itInLongSuite('keeps its color profile, or is converted', async () => {
    const wide = (await frames(true)).withIccProfile('p3').webp({ lossless: true, ...TIMING })
    const source = await photoFile('wide.webp', wide)
    const kept = await processPhoto(source, { format: 'png', colour: 'keep' })
    expect(kept.losses).toEqual([])
    expect((await sharp(kept.output).metadata()).icc?.toString('latin1')).toContain('P\x003')
    for (const format of targets) {
      const { output } = await processPhoto(kept.output, { format, lossless: true })
      expectColors((await describeAnimation(output)).bars, 60)
    }
  })

  it.each(['webp', 'png'] as const)('in %s that Exif turns keeps its coded frames', async (format) => {
    const plain = await readFile(await sourceIn(format))
    const exif = orientationExif(6)
    const input = await photoFile(`turned.${format}`, withMetadata(plain, format, { exif, comments: [] }))
    for (const metadata of ['strip', 'strip-location'] as const) {
      const made = await processPhoto(input, { metadata, quality: 95 })
      const { orientation } = await sharp(made.bytes).metadata()
      expect([made.quality, made.losses, orientation]).toEqual(['lossless', [], 6])
      expect(codedFrames(made.bytes, format)).toEqual(codedFrames(plain, format))
    }
  })

  itInLongSuite('in GIF may have a comment before its end, and other data after it', async () => {
    const gif = await readFile(await sourceIn('gif', true))
    const comment = Buffer.from('\x21\xfe\x09A comment\0;', 'latin1')
    const content = Buffer.concat([gif.subarray(0, -1), comment, Buffer.from('TRAIL 48.8584')])
    const kept = await processContent('a.gif', content, { metadata: 'strip', quality: 95 })
    expect(await sharp(kept.bytes, { animated: true }).raw().toBuffer()).toEqual(
      await sharp(gif, { animated: true }).raw().toBuffer(),
    )
    const { bytes } = await processContent('a.gif', content, { format: 'webp', lossless: true })
    expect((await sharp(bytes).metadata()).pages).toBe(COLORS.length)
    expect(kept.losses).toMatchObject([{ code: 'appendedData' }])
  })

  itInLongSuite('in PNG with a missing frame is damaged', async () => {
    const { bytes } = await processPhoto(await sourceIn('gif'), { format: 'png' })
    const last = bytes.lastIndexOf('fdAT') - 4
    const short = Buffer.concat([bytes.subarray(0, last), bytes.subarray(-12)])
    await expect(processContent('cut.png', short)).rejects.toThrow(/damaged/)
  })

  itInLongSuite('without its last frames is damaged', async () => {
    const gif = await readFile(await sourceIn('gif'))
    const { bytes: png } = await processPhoto(await sourceIn('gif'), { format: 'png' })
    const images = [...gifBlocks(gif)].filter(({ label }) => label === undefined)
    const last = images.at(-1)?.at ?? 0
    const cuts = [
      ['cut.gif', gif.subarray(0, last + 30)],
      ['cut.gif', gif.subarray(0, last + 4)],
      ['cut.png', png.subarray(0, png.lastIndexOf('fcTL') - 4)],
    ] as const
    for (const [name, content] of cuts)
      await expect(processContent(name, content)).rejects.toThrow(/part of the image is missing/)
    // Some programs end a GIF without its trailer.
    const { bytes } = await processContent('whole.gif', gif.subarray(0, -1), { format: 'webp' })
    expect((await sharp(bytes).metadata()).pages).toBe(COLORS.length)
  })

  itInLongSuite('in PNG may have another image for programs without animations', async () => {
    const { bytes } = await processPhoto(await sourceIn('gif'), { format: 'png' })
    const noise = Buffer.from(Array.from({ length: WIDTH * HEIGHT * 4 }, (_, at) => (at * 151) % 251))
    const raw = { width: WIDTH, height: HEIGHT, channels: 4 } as const
    const still = await sharp(noise, { raw }).png().toBuffer()
    const changed = Buffer.concat([
      PNG_SIGNATURE,
      ...[...chunksOf(bytes)].flatMap(({ type, at, end }) => {
        if (type === 'acTL') return [bytes.subarray(at, end), ...partsOf(still, 'IDAT')]
        if (type !== 'IDAT') return [bytes.subarray(at, end)]
        return [pngChunk('fdAT', Buffer.concat([Buffer.alloc(4), bytes.subarray(at + 8, end - 4)]))]
      }),
    ])
    const file = await photoFile('still.png', changed)
    for (const format of targets) {
      const { output, losses } = await processPhoto(file, { format, lossless: true })
      const { bars, animation } = await describeAnimation(output)
      expectColors(bars, 0)
      expect(animation?.delays).toEqual(DELAYS)
      expect(codesOf(losses).filter((code) => code !== 'frameTiming')).toEqual(['embeddedImages'])
    }
    // Browsers show a single frame too, in place of that image.
    const only = ['fcTL', 'fdAT'].flatMap((type) => partsOf(changed, type).slice(0, 1))
    const head = changed.subarray(0, changed.indexOf('fcTL') - 4)
    const one = Buffer.concat([head, ...only, ...partsOf(changed, 'IEND')])
    one.writeUInt32BE(1, one.indexOf('acTL') + 4)
    const single = await processContent('single.png', one, { format: 'png' })
    const first = { left: 0, top: 0, width: WIDTH, height: HEIGHT }
    const pixelsOf = (png: Buffer) => sharp(png).extract(first).ensureAlpha().raw().toBuffer()
    expect(await pixelsOf(single.bytes)).toEqual(await pixelsOf(bytes))
    expect(codesOf(single.losses)).toEqual(['embeddedImages'])
    // One that covers only a part of the picture can't take its place.
    one.writeUInt32BE(WIDTH - 1, one.indexOf('fcTL') + 8)
    expect((await processContent('part.png', one, { format: 'png' })).losses).toEqual(single.losses)
    const jpeg = await processPhoto(file, { format: 'jpeg', background: '#123456' })
    expect(codesOf(jpeg.losses)).toEqual(['embeddedImages', 'frames'])
  })
})

/** A frame that covers only a part, its color, and what happens to it before the next one. */
type Part = readonly [left: number, top: number, width: number, height: number, color: string, after: number]

const RED = '#c04030'
const GREEN = '#30a050'
const BLUE = '#3050c0'
const SPOTS = [
  [2, 2],
  [8, 8],
  [35, 25],
  [59, 39],
] as const

const plainPart = ([, , width, height, background]: Part) =>
  sharp({ create: { width, height, channels: 3, background } })

/** Puts the frames into a GIF of 60 × 40 pixels. */
async function gifOf(parts: readonly Part[]): Promise<Buffer> {
  const frames = await Promise.all(
    parts.map(async (part) => {
      const [left, top, , , , after] = part
      const gif = await plainPart(part).gif().toBuffer()
      const image = [...gifBlocks(gif)].find(({ label }) => label === undefined)
      const table = gif.subarray(13, 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1))
      const stored = gif.subarray(image?.at, image?.end)
      const hasOwnTable = ((stored[9] ?? 0) & 0x80) !== 0
      const head = Buffer.from(stored.subarray(0, 10))
      head.writeUInt16LE(left, 1)
      head.writeUInt16LE(top, 3)
      if (!hasOwnTable) head[9] = 0x80 | ((gif[10] ?? 0) & 7)
      const control = Buffer.from([0x21, 0xf9, 4, after << 2, 20, 0, 0, 0])
      return Buffer.concat([control, head, ...(hasOwnTable ? [] : [table]), stored.subarray(10)])
    }),
  )
  const screen = Buffer.from('GIF89a\x3c\0\x28\0\0\0\0', 'latin1')
  return Buffer.concat([screen, ...frames, Buffer.from([0x3b])])
}

/** Puts the frames into a PNG of 60 × 40 pixels, behind an image for programs without animations unless the first frame is one. */
async function pngOf(parts: readonly Part[]): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sequence = 0
  const numbered = (type: string, ...fields: readonly Buffer[]) => {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(sequence++)
    chunks.push(pngChunk(type, Buffer.concat([number, ...fields])))
  }
  const dataOf = async (part: Part) => {
    const png = await plainPart(part).png({ palette: false }).toBuffer()
    return Buffer.concat(partsOf(png, 'IDAT').map((chunk) => chunk.subarray(8, -4)))
  }
  const isHidden = parts[0]?.[2] !== 60
  if (isHidden) chunks.push(pngChunk('IDAT', await dataOf([0, 0, 60, 40, RED, 0])))
  for (const [index, part] of parts.entries()) {
    const [left, top, width, height, , after] = part
    const control = Buffer.alloc(22)
    for (const [place, value] of [width, height, left, top].entries()) control.writeUInt32BE(value, place * 4)
    control.writeUInt16BE(20, 16)
    control.writeUInt16BE(100, 18)
    // GIF counts from 1.
    control[20] = Math.max(0, after - 1)
    numbered('fcTL', control)
    const data = await dataOf(part)
    if (index === 0 && !isHidden) chunks.push(pngChunk('IDAT', data))
    else numbered('fdAT', data)
  }
  const counts = Buffer.alloc(8)
  counts.writeUInt32BE(parts.length)
  const head = headerChunk({ width: 60, height: 40, channels: 3, depth: 8 })
  const end = pngChunk('IEND', Buffer.alloc(0))
  return Buffer.concat([PNG_SIGNATURE, head, pngChunk('acTL', counts), ...chunks, end])
}

/** Returns the color at each spot of each frame; a dot where nothing is. */
async function spotsOf(file: Buffer): Promise<readonly string[]> {
  const { pages = 1 } = await sharp(file).metadata()
  return Promise.all(
    Array.from({ length: pages }, async (_, page) => {
      const { data, info } = await rawOf(sharp(file, { page }).ensureAlpha())
      return SPOTS.map(([x, y]) => {
        const [red = 0, green = 0, blue = 0, alpha] = data.subarray((y * info.width + x) * 4)
        if (alpha === 0) return '.'
        return red > green && red > blue ? 'R' : green > blue ? 'G' : blue > 0 ? 'B' : 'black'
      }).join(' ')
    }),
  )
}

const [KEPT, CLEARED, RESTORED] = [1, 2, 3]
const small = (after: number, color = GREEN): Part => [30, 20, 20, 10, color, after]
const corner: Part = [0, 0, 10, 10, BLUE, KEPT]
const whole = (after: number): Part => [0, 0, 60, 40, RED, after]

describe('frames that cover only a part of the picture', () => {
  it.each<readonly [string, readonly Part[], readonly string[]]>(
    firstOf([
      ['all stay', [whole(KEPT), small(KEPT), corner], ['R R R R', 'R R G R', 'B B G R']],
      ['each is cleared', [whole(CLEARED), small(CLEARED), corner], ['R R R R', '. . G .', 'B B . .']],
      ['one is undone', [whole(KEPT), small(RESTORED), corner], ['R R R R', 'R R G R', 'B B R R']],
      ['the first is undone', [whole(RESTORED), small(KEPT), corner], ['R R R R', '. . G .', 'B B G .']],
      ['the first is small', [small(KEPT), corner], ['. . G .', 'B B G .']],
    ]),
  )('show nothing, not black, where nothing was drawn: %s', async (_, parts, shown) => {
    for (const [name, make] of [['parts.gif', gifOf] as const, ['parts.png', pngOf] as const]) {
      const path = await photoFile(name, await make(parts))
      const { bytes, losses } = await processPhoto(path, { format: 'webp', lossless: true })
      const hasOther = name === 'parts.png' && parts[0]?.[2] !== 60
      expect(codesOf(losses), name).toEqual(hasOther ? ['embeddedImages'] : [])
      expect(await spotsOf(bytes), name).toEqual(shown)
    }
  })

  itInLongSuite('may be the only one of a GIF', async () => {
    const path = await photoFile('one.gif', await gifOf([small(KEPT)]))
    expect(await spotsOf((await processPhoto(path, { format: 'png' })).bytes)).toEqual(['. . G .'])
    const { losses } = await processPhoto(path, { format: 'jpeg' })
    expect(sentencesOf(losses)).toEqual(['Transparency. JPEG can’t hold it.'])
  })
})
