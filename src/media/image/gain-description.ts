/**
 * Reads gain map descriptions in ISO 21496-1. Writes them in ISO 21496-1 and in Ultra HDR's XMP, because some programs read only
 * the XMP.
 */
import { int32 } from '../big-endian.ts'
import { decimal } from '../metadata/xmp-tree.ts'
import { GAIN_MAP_NAME, MARKERS, segment, XMP_NAME } from './jpeg-segments.ts'

/** The gain of one channel. A pixel p (0..1) multiplies the light by 2 to the power of `min + (max - min) * p ** (1 / gamma)`. */
export type Gain = {
  readonly min: number
  readonly max: number
  readonly gamma: number
  /** `offsetSdr` is added to the SDR light before the gain is applied. `offsetHdr` is subtracted from the result. */
  readonly offsetSdr: number
  readonly offsetHdr: number
}

export type GainDescription = {
  /** One entry for all channels, or one per channel. */
  readonly gains: readonly Gain[]
  /** Headroom in stops (log2) at which the map begins to apply, and at which it applies fully. */
  readonly headroom: { readonly least: number; readonly full: number }
}

const MULTICHANNEL = 0x80
const COLORS_OF_IMAGE = 0x40
const HEAD_BYTES = 5
const FRACTION_BYTES = 8
const FRACTIONS_OF_GAIN = 5

/**
 * Reads a standard gain map's description.
 * @param bytes in the format of ISO 21496-1, Annex C
 * @returns undefined if the description is invalid, its format version is newer, or the base image is the HDR image
 */
export function readIsoGain(bytes: Buffer): GainDescription | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readUInt16BE(0) !== 0) return undefined
  const flags = bytes.readUInt8(4)
  if ((flags & ~(MULTICHANNEL | COLORS_OF_IMAGE)) !== 0) return undefined
  const channels = (flags & MULTICHANNEL) === 0 ? 1 : 3
  if (bytes.length < HEAD_BYTES + FRACTION_BYTES * (2 + channels * FRACTIONS_OF_GAIN)) return undefined
  const fractionAt = (index: number): number => {
    const at = HEAD_BYTES + FRACTION_BYTES * index
    return bytes.readInt32BE(at) / bytes.readUInt32BE(at + 4)
  }
  const [least, full] = [fractionAt(0), fractionAt(1)]
  const gains = Array.from({ length: channels }, (_, channel) => {
    const first = 2 + channel * FRACTIONS_OF_GAIN
    return {
      min: fractionAt(first),
      max: fractionAt(first + 1),
      gamma: fractionAt(first + 2),
      offsetSdr: fractionAt(first + 3),
      offsetHdr: fractionAt(first + 4),
    }
  })
  const all = [least, full, ...gains.flatMap((gain) => Object.values(gain))]
  return all.every(Number.isFinite) && least < full ? { gains, headroom: { least, full } } : undefined
}

const DENOMINATOR = 1_000_000

export const fraction = (value: number): Buffer => int32(Math.round(value * DENOMINATOR), DENOMINATOR)

/** Writes an ISO 21496-1 description for gains in the image's own color space. */
export function isoGain({ gains, headroom }: GainDescription): Buffer {
  const flags = COLORS_OF_IMAGE | (gains.length > 1 ? MULTICHANNEL : 0)
  const values = [
    headroom.least,
    headroom.full,
    ...gains.flatMap(({ min, max, gamma, offsetSdr, offsetHdr }) => [min, max, gamma, offsetSdr, offsetHdr]),
  ]
  return Buffer.concat([Buffer.from([0, 0, 0, 0, flags]), ...values.map(fraction)])
}

const XMP_FIELDS = [
  ['GainMapMin', 'min'],
  ['GainMapMax', 'max'],
  ['Gamma', 'gamma'],
  ['OffsetSDR', 'offsetSdr'],
  ['OffsetHDR', 'offsetHdr'],
] as const

export function xmpGain({ gains, headroom }: GainDescription): string {
  const fields = XMP_FIELDS.map(([name, field]) => {
    const items = gains.map((gain) => `<rdf:li>${decimal(gain[field])}</rdf:li>`).join('')
    const value = gains.length === 1 ? decimal(gains[0]?.[field] ?? 0) : `<rdf:Seq>${items}</rdf:Seq>`
    return `<hdrgm:${name}>${value}</hdrgm:${name}>`
  })
  return [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"',
    ` hdrgm:HDRCapacityMin="${decimal(headroom.least)}" hdrgm:HDRCapacityMax="${decimal(headroom.full)}"`,
    ' hdrgm:BaseRenditionIsHDR="False">',
    ...fields,
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
  ].join('')
}

export const gainSegments = (description: GainDescription, iso = isoGain(description)): readonly Buffer[] => [
  segment(MARKERS.APP1, XMP_NAME, Buffer.from(xmpGain(description))),
  segment(MARKERS.APP2, GAIN_MAP_NAME, iso),
]
