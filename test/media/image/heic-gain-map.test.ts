/** Photos of iPhones: the picture and its gain map look the same in these files, so that each pixel's gain is known. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { APPLE_GAIN_MAP, appleHeadroom } from '../../../src/media/image/apple-gain-map.ts'
import { isoGain, readIsoGain } from '../../../src/media/image/gain-description.ts'
import { readGainMap } from '../../../src/media/image/gain-map.ts'
import {
  contentNamed,
  EXIF_NAME,
  GAIN_MAP_NAME,
  MARKERS,
  segment,
  withSegments,
  XMP_NAME,
} from '../../../src/media/image/jpeg-segments.ts'
import { joinGainMap } from '../../../src/media/image/ultra-hdr.ts'
import { lightOfUltraHdr } from './light.ts'
import { AUXILIARY, type MadeHeic, type MadeItem, makeHeic, PICTURE, turned } from './made-heic.ts'
import { photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const SIDE = 64

function oneEntry(tag: number, type: number, count: number, value: number): Buffer {
  const directory = Buffer.alloc(2 + 12 + 4)
  directory.writeUInt16BE(1, 0)
  directory.writeUInt16BE(tag, 2)
  directory.writeUInt16BE(type, 4)
  directory.writeUInt32BE(count, 6)
  directory.writeUInt32BE(value, 10)
  return directory
}

/** What an iPhone writes: a directory with one entry, the directory of the camera with another, and the note behind both. */
function exifWith(values: readonly (readonly [tag: number, value: number])[]): Buffer {
  const fractions = values.flatMap(([, value]) => [Math.round(value * 1e6), 1e6])
  const note = Buffer.alloc(14 + 2 + values.length * 12 + 4 + fractions.length * 4)
  note.write('Apple iOS\0\0\x01MM', 0, 'latin1')
  note.writeUInt16BE(values.length, 14)
  const dataAt = 16 + values.length * 12 + 4
  for (const [index, [tag]] of values.entries()) {
    const at = 16 + index * 12
    note.writeUInt16BE(tag, at)
    note.writeUInt16BE(10, at + 2)
    note.writeUInt32BE(1, at + 4)
    note.writeUInt32BE(dataAt + index * 8, at + 8)
  }
  for (const [index, number] of fractions.entries()) note.writeInt32BE(number, dataAt + index * 4)
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    oneEntry(0x8769, 4, 1, 26),
    oneEntry(0x927c, 7, note.length, 44),
    note,
  ])
}

const NOTE_OF_EIGHT_TIMES = exifWith([
  [0x21, 1.2],
  [0x30, 0],
])

const describing = (to: number, type: MadeItem['type'], data: Buffer): MadeItem => ({
  type,
  data,
  reference: { type: 'cdsc', to: [to] },
})
const exifItem = (exif: Buffer) => describing(PICTURE, 'Exif', Buffer.concat([Buffer.alloc(4), exif]))
const xmpItem = (xmp: string) => describing(AUXILIARY, 'mime', Buffer.from(xmp))
const standardItem = (iso: Buffer): MadeItem => ({
  type: 'tmap',
  data: Buffer.concat([Buffer.from([0]), iso]),
  reference: { type: 'dimg', to: [PICTURE, AUXILIARY] },
})

const photo = (
  more: readonly MadeItem[],
  { properties = [], coding, auxiliaryIsTurned = false, isSeeThrough = false }: Partial<MadeHeic> = {},
) =>
  makeHeic({
    ...(coding === undefined ? {} : { coding }),
    tile: { width: SIDE, height: SIDE },
    width: SIDE,
    height: SIDE,
    pixelFormat: 'gray',
    range: 'pc',
    properties,
    auxiliary: APPLE_GAIN_MAP,
    auxiliaryIsTurned,
    isSeeThrough,
    more,
  })

/** The bytes of one channel. */
const gray = (jpeg: Buffer): Promise<Buffer> => sharp(jpeg).toColourspace('b-w').raw().toBuffer()

async function mapOf(bytes: Buffer) {
  const map = await readGainMap(bytes, 1)
  if (map === undefined) throw new Error('There is no gain map')
  return map.jpeg
}

/** How many times as bright each pixel becomes, by the map in the file, on average as far from what is expected. */
async function meanError(bytes: Buffer, expected: (value: number) => number): Promise<number> {
  const map = await mapOf(bytes)
  const { headroom } = readIsoGain(contentNamed(map, GAIN_MAP_NAME) ?? Buffer.alloc(0)) ?? {
    headroom: { full: 0 },
  }
  const [values, gains] = [await gray(bytes), await gray(map)]
  let sum = 0
  for (const [index, value] of values.entries())
    sum += Math.abs(2 ** (((gains[index] ?? 0) / 255) * headroom.full) - expected(value / 255))
  return sum / values.length
}

const rec709 = (value: number) => (value < 0.081 ? value / 4.5 : ((value + 0.099) / 1.099) ** (1 / 0.45))

const srgb = (value: number) => (value < 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

describe('the gain map of an iPhone', () => {
  it('goes into JPEG as the standard has it, with the headroom of the maker’s note', async () => {
    const { bytes, notes } = await processPhoto(
      await photoFile('a.heic', photo([exifItem(NOTE_OF_EIGHT_TIMES)])),
    )
    expect(notes).toEqual([])
    expect(await meanError(bytes, (value) => 1 + 7 * rec709(value))).toBeLessThan(0.1)
    expect(contentNamed(await mapOf(bytes), XMP_NAME)?.toString()).toContain('hdrgm:HDRCapacityMax="3"')
  })

  it('is understood by libultrahdr', async () => {
    const { bytes } = await processPhoto(await photoFile('a.heic', photo([exifItem(NOTE_OF_EIGHT_TIMES)])))
    const { values } = await lightOfUltraHdr(bytes)
    const shown = await gray(bytes)
    const errors = [...values].map((light, index) => {
      const value = (shown[index] ?? 0) / 255
      return Math.abs(light - srgb(value) * (1 + 7 * rec709(value)))
    })
    expect(Math.max(...values)).toBeGreaterThan(2)
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.05)
  })

  it('has the headroom that newer phones write beside it', async () => {
    const xmp = '<rdf:Description HDRGainMap:HDRGainMapVersion="131072" HDRGainMap:HDRGainMapHeadroom="4.0"/>'
    const { bytes } = await processPhoto(await photoFile('a.heic', photo([xmpItem(xmp)])))
    expect(await meanError(bytes, (value) => 1 + 3 * rec709(value))).toBeLessThan(0.06)
  })

  it('goes the way of its picture', async () => {
    const file = await photoFile('a.heic', photo([exifItem(NOTE_OF_EIGHT_TIMES)]))
    const { bytes } = await processPhoto(file, { format: 'jpeg', rotate: 90, size: { width: 32 } })
    expect(await meanError(bytes, (value) => 1 + 7 * rec709(value))).toBeLessThan(0.3)
  })

  it.each([true, false])(
    'is upright like its picture, turned by itself or not (%s)',
    async (auxiliaryIsTurned) => {
      const made = photo([exifItem(NOTE_OF_EIGHT_TIMES)], { properties: [turned(1)], auxiliaryIsTurned })
      const { bytes } = await processPhoto(await photoFile('a.heic', made))
      expect(await meanError(bytes, (value) => 1 + 7 * rec709(value))).toBeLessThan(0.1)
    },
  )

  it('is lost where nothing says how bright, and the job says so', async () => {
    for (const exif of [
      exifWith([[0x21, 1.2]]),
      Buffer.from('MM\0*\xff\xff\xff\xff', 'latin1'),
      Buffer.alloc(9),
    ]) {
      const { notes } = await processPhoto(await photoFile('a.heic', photo([exifItem(exif)])))
      expect(notes).toEqual(['tone-mapped'])
    }
  })

  it('lies behind its JPEGs too', async () => {
    const pixels = Buffer.from(Array.from({ length: SIDE * SIDE }, (_, at) => at % 256))
    const jpeg = await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 1 } })
      .toColourspace('b-w')
      .jpeg({ quality: 100 })
      .toBuffer()
    const colour = await sharp(jpeg).toColourspace('srgb').jpeg({ quality: 100 }).toBuffer()
    const map = withSegments(jpeg, [
      segment(MARKERS.APP1, XMP_NAME, Buffer.from(`<x apdi:AuxiliaryImageType="${APPLE_GAIN_MAP}"/>`)),
    ])
    const picture = withSegments(colour, [segment(MARKERS.APP1, EXIF_NAME, NOTE_OF_EIGHT_TIMES)])
    const file = await photoFile('a.jpg', joinGainMap(picture, map))
    const { bytes, notes } = await processPhoto(file, { format: 'jpeg' })
    expect(notes).toEqual([])
    expect(await meanError(bytes, (value) => 1 + 7 * rec709(value))).toBeLessThan(0.2)
  })
})

const STANDARD = {
  gains: [{ min: 0, max: 2, gamma: 1, offsetSdr: 1 / 64, offsetHdr: 1 / 64 }],
  headroom: { least: 0, full: 2 },
} as const

describe('the gain map of the standard in a HEIC', () => {
  it('keeps its numbers in JPEG, and is preferred to Apple’s own', async () => {
    const iso = isoGain(STANDARD)
    const { bytes, notes } = await processPhoto(
      await photoFile('a.heic', photo([standardItem(iso), exifItem(NOTE_OF_EIGHT_TIMES)])),
    )
    expect(notes).toEqual([])
    expect(contentNamed(await mapOf(bytes), GAIN_MAP_NAME)).toEqual(iso)
    expect(await meanError(bytes, (value) => 2 ** (2 * value))).toBeLessThan(0.1)
  })

  it('brightens a see-through picture where it is seen, and nothing behind it', async () => {
    const more = [standardItem(isoGain(STANDARD))]
    const whole = await processPhoto(await photoFile('whole.heic', photo(more)))
    const made = photo(more, { isSeeThrough: true })
    const { bytes, notes } = await processPhoto(await photoFile('a.heic', made), { format: 'jpeg' })
    expect(notes).toEqual([])
    // The picture, its alpha and its gain map are alike.
    const [gains, before] = [await gray(await mapOf(bytes)), await gray(await mapOf(whole.bytes))]
    const errors = [...gains].map((gain, index) => Math.abs(gain - (before[index] ?? 0) ** 2 / 255))
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(4)
  })

  it('goes from AVIF into JPEG as well', async () => {
    const avif = photo([standardItem(isoGain(STANDARD))], { coding: 'av1' })
    const { bytes, notes } = await processPhoto(await photoFile('a.avif', avif), { format: 'jpeg' })
    expect(notes).toEqual([])
    expect(await meanError(bytes, (value) => 2 ** (2 * value))).toBeLessThan(0.1)
  })

  it('may have three channels', async () => {
    const [gain] = STANDARD.gains
    const three = { ...STANDARD, gains: [gain, { ...gain, max: 1.5 }, { ...gain, min: -0.5 }] }
    const iso = isoGain(three)
    const { bytes } = await processPhoto(await photoFile('a.heic', photo([standardItem(iso)])))
    const map = await mapOf(bytes)
    expect((await sharp(map).metadata()).channels).toBe(3)
    expect(contentNamed(map, XMP_NAME)?.toString()).toContain(
      '<hdrgm:GainMapMax><rdf:Seq><rdf:li>2</rdf:li><rdf:li>1.5</rdf:li><rdf:li>2</rdf:li></rdf:Seq></hdrgm:GainMapMax>',
    )
  })

  it.each([
    ['of a later version', (iso: Buffer) => iso.writeUInt16BE(1, 0)],
    ['with marks that nobody knows', (iso: Buffer) => iso.writeUInt8(0x48, 4)],
    ['of a picture that is the brighter one', (iso: Buffer) => iso.writeInt32BE(3_000_000, 5)],
    ['with fractions that are none', (iso: Buffer) => iso.writeUInt32BE(0, 9)],
  ])('is lost %s, and the job says so', async (_, spoil) => {
    const iso = isoGain(STANDARD)
    spoil(iso)
    const { notes } = await processPhoto(await photoFile('a.heic', photo([standardItem(iso)])))
    expect(notes).toEqual(['tone-mapped'])
  })
})

describe('what an iPhone says of the headroom', () => {
  it.each([
    [0, 0, 1.8],
    [0, 0.01, 1.6],
    [0.5, 1, 1.5],
    [1, 0, 3],
    [1.5, 0.01, 2.3],
    [1, 1, 2],
  ])('%d and %d are %d stops', (kind, amount, stops) => {
    const headroom = appleHeadroom(
      {
        exif: exifWith([
          [0x21, kind],
          [0x30, amount],
        ]),
      },
      {},
    )
    expect(Math.log2(headroom ?? 0)).toBeCloseTo(stops, 5)
  })

  it('nothing, nonsense and no headroom at all are none', () => {
    expect(appleHeadroom({}, {})).toBeUndefined()
    expect(
      appleHeadroom(
        {
          exif: exifWith([
            [0x21, 0],
            [0x30, 40],
          ]),
        },
        {},
      ),
    ).toBeUndefined()
    expect(appleHeadroom({}, { xmp: Buffer.from('HDRGainMapHeadroom="1e9"') })).toBeUndefined()
    expect(appleHeadroom({}, { xmp: Buffer.from('HDRGainMapHeadroom="4000"') })).toBeUndefined()
  })
})
