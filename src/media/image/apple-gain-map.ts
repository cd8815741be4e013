/**
 * Apple's own gain maps, of photos that iPhones took before there was a standard: how bright they may become stands in the note
 * of the maker, and their pixels count light instead of its logarithm. Both as in Apple's article "Applying Apple HDR effect to
 * your photos".
 */
import type { GainDescription } from './gain-description.ts'
import { EXIF_NAME } from './jpeg-segments.ts'
import { tiffBlock } from './tiff-block.ts'

export const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap'

type Described = { readonly exif?: Buffer | undefined; readonly xmp?: Buffer | undefined }

/**
 * @param picture what goes with the photo
 * @param map what goes with the map
 * @returns how many times as bright as white the brightest place may be; undefined where nothing says so
 */
export function appleHeadroom(picture: Described, map: Described): number | undefined {
  const said = /HDRGainMapHeadroom(?:="|>)\s*([\d.]+)/.exec(map.xmp?.toString('utf8') ?? '')?.[1]
  const headroom = said === undefined ? headroomOf(picture.exif) : Number(said)
  return headroom !== undefined && headroom > 1 && headroom <= MOST_HEADROOM ? headroom : undefined
}

/** Of ten stops; no phone says more than three. */
const MOST_HEADROOM = 1024

function headroomOf(exif: Buffer | undefined): number | undefined {
  const note = exif && makerNote(exif)
  const values = note && appleValues(note)
  const [kind, amount] = [values?.get(HDR_HEADROOM), values?.get(HDR_GAIN)]
  if (kind === undefined || amount === undefined) return undefined
  const [start, slope] = (kind < 1 ? DIMMER : BRIGHTER)[amount <= STEEP_UP_TO ? 'steep' : 'flat']
  return 2 ** Math.max((start - slope * amount) / 1000, 0)
}

/** Thousandths of a stop: where a line begins, and what is lost along it. */
const DIMMER = { steep: [1800, 20_000], flat: [1601, 101] } as const
const BRIGHTER = { steep: [3000, 70_000], flat: [2303, 303] } as const
const STEEP_UP_TO = 0.01

const HDR_HEADROOM = 0x21
const HDR_GAIN = 0x30
const EXIF_DIRECTORY = 0x8769
const MAKER_NOTE = 0x927c
const SIGNED_FRACTION = 10

/** @returns undefined where there is none, or the block ends before it */
function makerNote(exif: Buffer): Buffer | undefined {
  const isNamed = exif.toString('latin1', 0, EXIF_NAME.length) === EXIF_NAME
  const block = isNamed ? exif.subarray(EXIF_NAME.length) : exif
  const tiff = tiffBlock(block, block.toString('latin1', 0, 2))
  return (
    tiff &&
    unlessTooShort(() => {
      const directory = tiff.directoryAt(tiff.read32(4)).get(EXIF_DIRECTORY)
      const note = directory && tiff.directoryAt(tiff.read32(directory.at)).get(MAKER_NOTE)
      return note && block.subarray(tiff.read32(note.at), tiff.read32(note.at) + note.count)
    })
  )
}

const APPLE_NAME = 'Apple iOS\0'
const ORDER_AT = 12
const DIRECTORY_AT = 14

/** By tag. Their places count from the beginning of the note. */
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

function unlessTooShort<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** As its pixels are after `withLogarithms`. */
export function appleDescription(headroom: number): GainDescription {
  const full = Math.log2(headroom)
  return {
    gains: [{ min: 0, max: full, gamma: 1, offsetSdr: 0, offsetHdr: 0 }],
    headroom: { least: 0, full },
  }
}

/** Apple adds a share of the headroom's light, the standard multiplies by a power. @param pixels one byte each */
export function withLogarithms(pixels: Buffer, headroom: number): Buffer {
  const table = Array.from({ length: 256 }, (_, value) => {
    const light = 1 + (headroom - 1) * linear(value / 255)
    return Math.round((255 * Math.log2(light)) / Math.log2(headroom))
  })
  return Buffer.from(pixels.map((value) => table[value] ?? 0))
}

/** The inverse of Rec. 709. */
const linear = (value: number): number =>
  value < 0.081 ? value / 4.5 : ((value + 0.099) / 1.099) ** (1 / 0.45)
