/**
 * Reads gain maps in Apple's own format, used by iPhone photos that predate ISO 21496-1. The map's XMP or the photo's maker note gives the
 * headroom. The pixels encode light with the Rec. 709 curve instead of a logarithm. Follows Apple's article "Applying Apple HDR effect to
 * your photos".
 */
import {
  bytesOf,
  EXIF_TAG,
  readExif,
  valueOf,
  writeDirectory,
  writeExif,
} from '../metadata/exif-directories.ts'
import { fraction, type GainDescription } from './gain-description.ts'
import { unlessTooShort } from './image-failure.ts'
import { openExif, tiffBlock, withoutExifName } from './tiff-block.ts'

export const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap'

type Described = { readonly exif?: Buffer | undefined; readonly xmp?: Buffer | undefined }

/**
 * Reads the headroom of a photo.
 * @param image metadata of the photo
 * @param map metadata of the map
 * @returns how many times brighter than white the brightest pixel may be; undefined if unknown, implausible, or not above 1
 */
export function appleHeadroom(image: Described, map: Described): number | undefined {
  const said = /HDRGainMapHeadroom(?:="|>)\s*([\d.]+)/.exec(map.xmp?.toString('utf8') ?? '')?.[1]
  const headroom = said === undefined ? headroomOf(image.exif) : Number(said)
  return headroom !== undefined && headroom > 1 && headroom <= MOST_HEADROOM ? headroom : undefined
}

/** Maximum headroom: ten stops. No phone reports more than three. */
const MOST_HEADROOM = 1024

function headroomOf(exif: Buffer | undefined): number | undefined {
  const note = exif && makerNote(exif)
  const values = note && appleValues(note)
  const [kind, amount] = [values?.get(HDR_HEADROOM), values?.get(HDR_GAIN)]
  if (kind === undefined || amount === undefined) return undefined
  const [start, slope] = (kind < 1 ? DIMMER : BRIGHTER)[amount <= STEEP_UP_TO ? 'steep' : 'flat']
  return 2 ** Math.max((start - slope * amount) / 1000, 0)
}

/** Start value and slope of each line, in thousandths of a stop. */
const DIMMER = { steep: [1800, 20_000], flat: [1601, 101] } as const
const BRIGHTER = { steep: [3000, 70_000], flat: [2303, 303] } as const
const STEEP_UP_TO = 0.01

const HDR_HEADROOM = 0x21
const HDR_GAIN = 0x30
const MAKER_NOTE = 0x927c
const SIGNED_FRACTION = 10

/** Returns the camera's own metadata; undefined if the Exif block has none or ends too early. */
const makerNote = (exif: Buffer): Buffer | undefined =>
  unlessTooShort(() => {
    const tiff = openExif(exif)
    const directory = tiff?.first.get(EXIF_TAG.exif)
    const note = directory && tiff?.directoryAt(tiff.read32(directory.at)).get(MAKER_NOTE)
    return note && tiff?.block.subarray(tiff.read32(note.at), tiff.read32(note.at) + note.count)
  })

const APPLE_NAME = 'Apple iOS\0'
const ORDER_AT = 12
const DIRECTORY_AT = 14

/** Returns the note's fractions by tag; undefined if it isn't Apple's or ends too early. Offsets count from the start of the note. */
function appleValues(note: Buffer): ReadonlyMap<number, number> | undefined {
  if (note.toString('latin1', 0, APPLE_NAME.length) !== APPLE_NAME) return undefined
  const tiff = tiffBlock(note, note.toString('latin1', ORDER_AT, ORDER_AT + 2))
  return (
    tiff &&
    unlessTooShort(() => {
      const values = new Map<number, number>()
      for (const [tag, { type, count, at }] of tiff.directoryAt(DIRECTORY_AT)) {
        if (type !== SIGNED_FRACTION || count !== 1) continue
        const place = tiff.read32(at)
        const value = (tiff.read32(place) | 0) / (tiff.read32(place + 4) | 0)
        if (Number.isFinite(value)) values.set(tag, value)
      }
      return values
    })
  )
}

/**
 * Adds the headroom to Exif whose maker note was removed. Without it, the photo would no longer be brighter on an HDR screen.
 * @param original Exif of the photo. If it lacks the headroom, nothing is added
 */
export function withAppleHeadroom(
  exif: Buffer | undefined,
  original: Buffer | undefined,
): Buffer | undefined {
  const note = original && makerNote(original)
  const values = note && appleValues(note)
  const said = [HDR_HEADROOM, HDR_GAIN].map((tag) => [tag, values?.get(tag)] as const)
  if (said.some(([, value]) => value === undefined)) return exif
  const content = (exif && readExif(bytesOf(withoutExifName(exif)))) ?? { order: 'MM' as const, entries: [] }
  const inside = content.entries.find(({ tag }) => tag === EXIF_TAG.exif)
  const details = inside?.kind === 'directory' ? inside.entries : []
  const bytes = headroomNote(said)
  const entries = [
    ...content.entries.filter(({ tag }) => tag !== EXIF_TAG.exif),
    {
      tag: EXIF_TAG.exif,
      kind: 'directory',
      entries: [...details, valueOf(MAKER_NOTE, OF_BYTES, bytes)],
    } as const,
  ]
  return writeExif({ ...content, entries })
}

const OF_BYTES = 7

function headroomNote(values: readonly (readonly [tag: number, value: number | undefined])[]): Buffer {
  const head = Buffer.from(`${APPLE_NAME}\0\x01MM`, 'latin1')
  const entries = values.map(([tag, value = 0]) => valueOf(tag, SIGNED_FRACTION, fraction(value), 1))
  return Buffer.concat([head, writeDirectory({ order: 'MM', entries }, head.length)])
}

/** Describes the map after `withLogarithms` has converted its pixels. */
export function appleDescription(headroom: number): GainDescription {
  const full = Math.log2(headroom)
  return {
    gains: [{ min: 0, max: full, gamma: 1, offsetSdr: 0, offsetHdr: 0 }],
    headroom: { least: 0, full },
  }
}

/**
 * Converts the pixels to the standard's logarithmic scale.
 * Apple's pixels add a fraction of the headroom to the light. The standard's pixels multiply the light by a power of 2.
 * @param pixels one byte each
 */
export function withLogarithms(pixels: Buffer, headroom: number): Buffer {
  const table = Array.from({ length: 256 }, (_, value) => {
    const light = 1 + (headroom - 1) * linear(value / 255)
    return Math.round((255 * Math.log2(light)) / Math.log2(headroom))
  })
  return Buffer.from(pixels.map((value) => table[value] ?? 0))
}

/** The inverse Rec. 709 curve. */
const linear = (value: number): number =>
  value < 0.081 ? value / 4.5 : ((value + 0.099) / 1.099) ** (1 / 0.45)
