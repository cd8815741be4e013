/** iPhone photos whose image and gain map have the same content, so that each pixel's gain is known. */
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
import { exifWith } from './apple-note.ts'
import { lightOfUltraHdr } from './light.ts'
import { AUXILIARY, type HeicOptions, type HeicItem, makeHeic, PICTURE, turned } from './make-heic.ts'
import { meanDifference, processContent, REMOVING, usePhotoFolder } from './process-photo.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const SIDE = 64

const noteOf = (kind: number, amount: number) => exifWith({ 0x21: kind, 0x30: amount })
const NOTE_OF_EIGHT_TIMES = noteOf(1.2, 0)

const describing = (to: number, type: HeicItem['type'], data: Buffer): HeicItem => ({
  type,
  data,
  reference: { type: 'cdsc', to: [to] },
})
const exifItem = (exif: Buffer) => describing(PICTURE, 'Exif', Buffer.concat([Buffer.alloc(4), exif]))
const xmpItem = (xmp: string) => describing(AUXILIARY, 'mime', Buffer.from(xmp))
const standardItem = (iso = isoGain(STANDARD)): HeicItem => ({
  type: 'tmap',
  data: Buffer.concat([Buffer.from([0]), iso]),
  reference: { type: 'dimg', to: [PICTURE, AUXILIARY] },
})

const size = { width: SIDE, height: SIDE }
const photo = (more: readonly HeicItem[], changes: Partial<HeicOptions> = {}) =>
  makeHeic({
    tile: size,
    ...size,
    pixelFormat: 'gray',
    range: 'pc',
    auxiliary: APPLE_GAIN_MAP,
    more,
    ...changes,
  })

const IPHONE_PHOTO = photo([exifItem(NOTE_OF_EIGHT_TIMES)])

/** Returns the gray values of an image. */
const gray = (jpeg: Buffer): Promise<Buffer> => sharp(jpeg).toColourspace('b-w').raw().toBuffer()

async function mapOf(bytes: Buffer) {
  const map = await readGainMap(bytes, 1)
  if (map === undefined) throw new Error('The gain map is missing')
  return map.jpeg
}

/** Returns the mean difference between the gain that the file's map gives each pixel and the expected gain. */
async function meanError(bytes: Buffer, expected: (value: number) => number): Promise<number> {
  const map = await mapOf(bytes)
  const { full = 0 } = readIsoGain(contentNamed(map, GAIN_MAP_NAME) ?? Buffer.alloc(0))?.headroom ?? {}
  const gains = Array.from(await gray(map), (gain) => 2 ** ((gain / 255) * full))
  const wanted = Array.from(await gray(bytes), (value) => expected(value / 255))
  return meanDifference(gains, wanted)
}

const rec709 = (value: number) => (value < 0.081 ? value / 4.5 : ((value + 0.099) / 1.099) ** (1 / 0.45))

const eightTimes = (value: number) => 1 + 7 * rec709(value)

const srgb = (value: number) => (value < 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

describe('an iPhone’s gain map', () => {
  it('is written to JPEG in the standard form, with the headroom of the maker note', async () => {
    const { bytes, notes } = await processContent('a.heic', IPHONE_PHOTO)
    expect(notes).toEqual([])
    expect(await meanError(bytes, eightTimes)).toBeLessThan(0.1)
    expect(contentNamed(await mapOf(bytes), XMP_NAME)?.toString()).toContain('hdrgm:HDRCapacityMax="3"')
  })

  it('is understood by libultrahdr', async () => {
    const { bytes } = await processContent('a.heic', IPHONE_PHOTO)
    const { values } = await lightOfUltraHdr(bytes)
    const lights = Array.from(await gray(bytes), (value) => srgb(value / 255) * eightTimes(value / 255))
    expect(Math.max(...values)).toBeGreaterThan(2)
    expect(meanDifference(values, lights)).toBeLessThan(0.05)
  })

  itInLongSuite('uses the headroom that newer phones write separately', async () => {
    const xmp = '<rdf:Description HDRGainMap:HDRGainMapVersion="131072" HDRGainMap:HDRGainMapHeadroom="4.0"/>'
    const { bytes } = await processContent('a.heic', photo([xmpItem(xmp)]))
    expect(await meanError(bytes, (value) => 1 + 3 * rec709(value))).toBeLessThan(0.06)
  })

  it('is transformed like its image', async () => {
    const recipe = { format: 'jpeg', rotate: 90, size: { width: 32 } } as const
    const { bytes } = await processContent('a.heic', IPHONE_PHOTO, recipe)
    expect(await meanError(bytes, eightTimes)).toBeLessThan(0.3)
  })

  it.each([true, false])(
    'is upright like its image, with or without its own rotation (%s)',
    async (auxiliaryIsTurned) => {
      const made = photo([exifItem(NOTE_OF_EIGHT_TIMES)], { properties: [turned(1)], auxiliaryIsTurned })
      const { bytes } = await processContent('a.heic', made)
      expect(await meanError(bytes, eightTimes)).toBeLessThan(0.1)
    },
  )

  itInLongSuite('is lost if the headroom is unknown, and the job reports it', async () => {
    const invalid = [Buffer.from('MM\0*\xff\xff\xff\xff', 'latin1'), Buffer.alloc(9)]
    for (const exif of [exifWith({ 0x21: 1.2 }), ...invalid]) {
      const { notes } = await processContent('a.heic', photo([exifItem(exif)]))
      expect(notes).toEqual(['tone-mapped'])
    }
  })

  itInLongSuite('is no other auxiliary image, such as a depth map', async () => {
    const heic = makeHeic({ tile: size, ...size, auxiliary: 'urn:mpeg:hevc:2015:auxid:2' })
    expect((await processContent('a.heic', heic)).notes).toEqual([])
  })

  itInLongSuite('is also found at the end of the iPhone’s JPEGs', async () => {
    const pixels = Buffer.from(Array.from({ length: SIDE * SIDE }, (_, at) => at % 256))
    const jpeg = await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 1 } })
      .toColourspace('b-w')
      .jpeg({ quality: 100 })
      .toBuffer()
    const colour = await sharp(jpeg).toColourspace('srgb').jpeg({ quality: 100 }).toBuffer()
    const xmp = Buffer.from(`<x apdi:AuxiliaryImageType="${APPLE_GAIN_MAP}"/>`)
    const map = withSegments(jpeg, [segment(MARKERS.APP1, XMP_NAME, xmp)])
    const picture = withSegments(colour, [segment(MARKERS.APP1, EXIF_NAME, NOTE_OF_EIGHT_TIMES)])
    const { bytes, notes } = await processContent('a.jpg', joinGainMap(picture, map), { format: 'jpeg' })
    expect(notes).toEqual([])
    expect(await meanError(bytes, eightTimes)).toBeLessThan(0.2)
  })
})

const STANDARD = {
  gains: [{ min: 0, max: 2, gamma: 1, offsetSdr: 1 / 64, offsetHdr: 1 / 64 }],
  headroom: { least: 0, full: 2 },
} as const

describe('the standard gain map in a HEIC', () => {
  it('keeps its values in JPEG, and is preferred to Apple’s', async () => {
    const iso = isoGain(STANDARD)
    const made = photo([standardItem(iso), exifItem(NOTE_OF_EIGHT_TIMES)])
    const { bytes, notes } = await processContent('a.heic', made)
    expect(notes).toEqual([])
    expect(contentNamed(await mapOf(bytes), GAIN_MAP_NAME)).toEqual(iso)
    expect(await meanError(bytes, (value) => 2 ** (2 * value))).toBeLessThan(0.1)
  })

  itInLongSuite('brightens the visible parts of a transparent image, but not the background', async () => {
    const more = [standardItem()]
    const whole = await processContent('whole.heic', photo(more))
    const made = photo(more, { isSeeThrough: true })
    const { bytes, notes } = await processContent('a.heic', made, { format: 'jpeg' })
    expect(notes).toEqual([])
    // Image, alpha and gain map have the same content.
    const [gains, before] = [await gray(await mapOf(bytes)), await gray(await mapOf(whole.bytes))]
    const visible = Array.from(before, (gain) => gain ** 2 / 255)
    expect(meanDifference(gains, visible)).toBeLessThan(4)
  })

  itInLongSuite('is also transferred from AVIF to JPEG', async () => {
    const avif = photo([standardItem()], { coding: 'av1' })
    const { bytes, notes } = await processContent('a.avif', avif, { format: 'jpeg' })
    expect(notes).toEqual([])
    expect(await meanError(bytes, (value) => 2 ** (2 * value))).toBeLessThan(0.1)
  })

  itInLongSuite('may have three channels', async () => {
    const [gain] = STANDARD.gains
    const three = { ...STANDARD, gains: [gain, { ...gain, max: 1.5 }, { ...gain, min: -0.5 }] }
    const iso = isoGain(three)
    const { bytes } = await processContent('a.heic', photo([standardItem(iso)]))
    const map = await mapOf(bytes)
    expect((await sharp(map).metadata()).channels).toBe(3)
    expect(contentNamed(map, XMP_NAME)?.toString()).toContain(
      '<hdrgm:GainMapMax><rdf:Seq><rdf:li>2</rdf:li><rdf:li>1.5</rdf:li><rdf:li>2</rdf:li></rdf:Seq></hdrgm:GainMapMax>',
    )
  })

  it.each([
    ['of a later version', (iso: Buffer) => iso.writeUInt16BE(1, 0)],
    ['with unknown flags', (iso: Buffer) => iso.writeUInt8(0x48, 4)],
    ['of a base image that is the brighter one', (iso: Buffer) => iso.writeInt32BE(3_000_000, 5)],
    ['with invalid fractions', (iso: Buffer) => iso.writeUInt32BE(0, 9)],
  ])('is lost %s, and the job reports it', async (_, spoil) => {
    const iso = isoGain(STANDARD)
    spoil(iso)
    const { notes } = await processContent('a.heic', photo([standardItem(iso)]))
    expect(notes).toEqual(['tone-mapped'])
  })
})

describe('the headroom in an iPhone’s maker note', () => {
  it.each([
    [0, 0, 1.8],
    [0, 0.01, 1.6],
    [0.5, 1, 1.5],
    [1, 0, 3],
    [1.5, 0.01, 2.3],
    [1, 1, 2],
  ])('%d and %d are %d stops', (kind, amount, stops) => {
    const headroom = appleHeadroom({ exif: noteOf(kind, amount) }, {})
    expect(Math.log2(headroom ?? 0)).toBeCloseTo(stops, 5)
  })

  it('is undefined if the note is absent, invalid or zero', () => {
    expect(appleHeadroom({}, {})).toBeUndefined()
    expect(appleHeadroom({ exif: noteOf(0, 40) }, {})).toBeUndefined()
    expect(appleHeadroom({}, { xmp: Buffer.from('HDRGainMapHeadroom="1e9"') })).toBeUndefined()
    expect(appleHeadroom({}, { xmp: Buffer.from('HDRGainMapHeadroom="4000"') })).toBeUndefined()
  })
})

describe('an iPhone photo whose metadata is removed', () => {
  it('stays HEIC, and as bright: only the headroom stays of its maker note', async () => {
    const result = await processContent('a.heic', IPHONE_PHOTO, { ...REMOVING, colour: 'keep' })
    expect(result).toMatchObject({ extension: 'heic', losses: [] })
    const jpeg = { format: 'jpeg', quality: 92, colour: 'keep' } as const
    const { bytes } = await processContent('b.heic', result.bytes, jpeg)
    expect(await meanError(bytes, eightTimes)).toBeLessThan(0.05)
  })
})
