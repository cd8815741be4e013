/** Reads the beginning of a JPEG XL codestream (ISO/IEC 18181-1, D.2 and D.3). */

export type CodestreamHeader = {
  /** As stored, before rotation. */
  readonly width: number
  readonly height: number
  /** As in Exif. */
  readonly orientation: number
  /** How many times an animation is played; 0 means endlessly. undefined if the image isn't animated. */
  readonly plays: number | undefined
  /** Bits per channel. */
  readonly bits: number
  readonly hasAlpha: boolean
  readonly isPremultiplied: boolean
  readonly color: 'sRGB' | 'numbers' | 'profile'
  /** Set for HDR only. `primaries` is their number in ITU-T H.273. */
  readonly hdr?: { readonly primaries: number; readonly curve: 'pq' | 'hlg' } | undefined
  /** undefined if the image isn't animated, or if a profile or a preview of unknown length precedes its frames. */
  readonly animation?: AnimationLayout | undefined
}

/** What the headers of an animation's frames depend on. Wrong if only the beginning of the codestream's header was read. */
export type AnimationLayout = {
  /** Number of bytes of the codestream's header after its signature. The first frame follows. */
  readonly headerBytes: number
  readonly isXyb: boolean
  readonly extraChannels: number
  readonly hasTimecodes: boolean
}

/** Aspect ratio for each code (18181-1, table "Aspect ratio"). */
const RATIOS = [undefined, [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]] as const
const SIDE_BITS = [9, 13, 18, 30] as const

/** Reads numbers of `count` bits. */
export type Bits = ((count: number) => number) & {
  /** Returns the number of bits that have been read. */
  readonly position: () => number
}

/** The values that apply if a header omits these fields. */
const USUAL = {
  orientation: 1,
  plays: undefined,
  bits: 8,
  hasAlpha: false,
  isPremultiplied: false,
  color: 'sRGB',
} as const satisfies Partial<CodestreamHeader>

/** @param bytes the codestream after its signature */
export function readCodestreamHeader(bytes: Buffer): CodestreamHeader {
  const bits = bitsFrom(bytes)
  const size = readSize(bits)
  const isUsual = bits(1) === 1
  if (isUsual) return { ...size, ...USUAL }
  const hasMore = bits(1) === 1
  const orientation = hasMore ? bits(3) + 1 : 1
  const { plays, hasTimecodes = false, hasPreview = false } = hasMore ? readMore(bits) : {}
  const depth = readDepth(bits)
  // Whether 16 bits are enough for all steps of decoding.
  bits(1)
  const channels = readExtraChannels(bits)
  const alpha = channels.find(({ type }) => type === ALPHA)
  // Whether the pixels are stored in XYB, the format's color space, from which decoders convert them to the following one.
  const isXyb = bits(1) === 1
  const { isPremultiplied = false } = alpha ?? {}
  const hasAlpha = alpha !== undefined
  const colors = readColors(bits)
  const header = { ...size, orientation, plays, bits: depth, hasAlpha, isPremultiplied, ...colors }
  if (plays === undefined || hasPreview || colors.color === 'profile') return header
  if (hasMore) skipToneMapping(bits)
  skipExtensions(bits)
  skipTransforms(bits, isXyb)
  const headerBytes = Math.ceil(bits.position() / 8)
  return { ...header, animation: { headerBytes, isXyb, extraChannels: channels.length, hasTimecodes } }
}

function readSize(bits: Bits) {
  const isSmall = bits(1) === 1
  const side = () => (isSmall ? (bits(5) + 1) * 8 : bits(SIDE_BITS[bits(2)] ?? 0) + 1)
  const height = side()
  const ratio = RATIOS[bits(3)]
  const width = ratio === undefined ? side() : Math.floor((height * ratio[0]) / ratio[1])
  return { width, height }
}

/** Reads the fields after the orientation. */
function readMore(bits: Bits) {
  const hasOwnSize = bits(1) === 1
  if (hasOwnSize) readSize(bits)
  const hasPreview = bits(1) === 1
  if (hasPreview) skipPreview(bits)
  const isAnimated = bits(1) === 1
  if (!isAnimated) return { hasPreview }
  oneOf(bits, [0, 0, 10, 30])
  oneOf(bits, [0, 0, 8, 10])
  const plays = oneOf(bits, [0, 3, 16, 32])
  const hasTimecodes = bits(1) === 1
  return { hasPreview, plays, hasTimecodes }
}

function skipPreview(bits: Bits): void {
  const isDivided = bits(1) === 1
  const side = () => oneOf(bits, isDivided ? [0, 0, 5, 9] : [6, 8, 10, 12])
  side()
  if (bits(3) === 0) side()
}

function readDepth(bits: Bits): number {
  const isFloat = bits(1) === 1
  const [first, second, third] = isFloat ? [32, 16, 24] : [8, 10, 12]
  const depth = [first, second, third, undefined][bits(2)] ?? bits(6) + 1
  // The number of bits for the exponent.
  if (isFloat) bits(4)
  return depth
}

const [ALPHA, SPOT_COLOR, COLOR_FILTER] = [0, 2, 5]

function readExtraChannels(bits: Bits) {
  const count = oneOf(bits, [0, 0, 4, 12], [0, 1, 2, 1])
  return Array.from({ length: count }, () => {
    const isUsual = bits(1) === 1
    if (isUsual) return { type: ALPHA, isPremultiplied: false }
    const type = readEnum(bits)
    readDepth(bits)
    // Skip dim_shift, the base-2 logarithm of the channel's downsampling factor.
    oneOf(bits, [0, 0, 0, 3], [0, 3, 4, 1])
    for (let left = oneOf(bits, [0, 4, 5, 10], [0, 0, 16, 48]); left > 0; left--) bits(8)
    const isPremultiplied = type === ALPHA && bits(1) === 1
    if (type === SPOT_COLOR) for (let left = 4; left > 0; left--) bits(16)
    if (type === COLOR_FILTER) oneOf(bits, [0, 2, 4, 8], [1, 0, 3, 19])
    return { type, isPremultiplied }
  })
}

const GRAY = 1
const D65 = 1
const CUSTOM = 2
const PRIMARIES = { sRGB: 1, bt2100: 9, p3: 11 } as const
const CURVES = { sRGB: 13, pq: 16, hlg: 18 } as const
/** The number of Display P3 in ITU-T H.273, where 11 has the same primaries with a different white point. */
const DISPLAY_P3 = 12

/** Reads the color encoding (18181-1, E.2). */
function readColors(bits: Bits): Pick<CodestreamHeader, 'color' | 'hdr'> {
  const isUsual = bits(1) === 1
  if (isUsual) return { color: 'sRGB' }
  const hasProfile = bits(1) === 1
  if (hasProfile) return { color: 'profile' }
  const isGray = readEnum(bits) === GRAY
  const white = readEnum(bits)
  if (white === CUSTOM) skipPoints(bits, 1)
  const primaries = isGray ? PRIMARIES.sRGB : readEnum(bits)
  if (primaries === CUSTOM) skipPoints(bits, 3)
  const hasGamma = bits(1) === 1
  const gamma = hasGamma ? bits(24) : undefined
  const curve = gamma === undefined ? readEnum(bits) : undefined
  // The rendering intent.
  readEnum(bits)
  if (curve === CURVES.pq || curve === CURVES.hlg)
    return {
      color: 'numbers',
      hdr: {
        primaries: primaries === PRIMARIES.p3 ? DISPLAY_P3 : primaries,
        curve: curve === CURVES.pq ? 'pq' : 'hlg',
      },
    }
  const isSrgb = white === D65 && primaries === PRIMARIES.sRGB && curve === CURVES.sRGB
  return { color: isSrgb ? 'sRGB' : 'numbers' }
}

function skipPoints(bits: Bits, count: number): void {
  for (let left = 2 * count; left > 0; left--) oneOf(bits, [19, 19, 20, 21])
}

function skipToneMapping(bits: Bits): void {
  const isUsual = bits(1) === 1
  if (isUsual) return
  skipFloats(bits, 2)
  bits(1)
  skipFloats(bits, 1)
}

/** Skips the content of extensions, which begins with their lengths. */
export function skipExtensions(bits: Bits): void {
  let length = 0
  for (let present = readLong(bits); present > 0; present = Math.floor(present / 2))
    if (present % 2 === 1) length += readLong(bits)
  // Real files have none. Longer ones don't fit in the bytes that are read.
  for (let left = Math.min(length, MOST_EXTENSION_BITS); left > 0; left--) bits(1)
}

const MOST_EXTENSION_BITS = 2 ** 16

/** Number of weights of the filters that upsample by 2, 4 and 8. */
const UPSAMPLING_WEIGHTS = [15, 55, 210] as const

/** Skips how XYB is converted to colors, and the weights of upsampling. */
function skipTransforms(bits: Bits, isXyb: boolean): void {
  const isUsual = bits(1) === 1
  if (isUsual) return
  const hasUsualMatrix = !isXyb || bits(1) === 1
  if (!hasUsualMatrix) skipFloats(bits, 16)
  const present = bits(UPSAMPLING_WEIGHTS.length)
  for (const [index, count] of UPSAMPLING_WEIGHTS.entries())
    if ((present & (1 << index)) !== 0) skipFloats(bits, count)
}

/** Skips numbers of 16 bits. */
export function skipFloats(bits: Bits, count: number): void {
  for (let left = count; left > 0; left--) bits(16)
}

/** Reads a number of up to 64 bits. */
export function readLong(bits: Bits): number {
  const choice = bits(2)
  if (choice < 3) return choice === 0 ? 0 : bits(choice * 4) + (choice === 1 ? 1 : 17)
  let value = bits(12)
  for (let shift = 12; shift <= 60 && bits(1) === 1; shift += 8)
    value += bits(shift === 60 ? 4 : 8) * 2 ** shift
  return value
}

const readEnum = (bits: Bits): number => oneOf(bits, [0, 0, 4, 6], [0, 1, 2, 18])

type Four = readonly [number, number, number, number]

/** Reads a number. Its first two bits select one of four lengths, and one of four offsets to add. */
export function oneOf(bits: Bits, lengths: Four, offsets: Four = [0, 0, 0, 0]): number {
  const choice = bits(2)
  return bits(lengths[choice] ?? 0) + (offsets[choice] ?? 0)
}

/** Creates a function that reads the next number of `count` bits, least significant bit first. */
export function bitsFrom(bytes: Buffer): Bits {
  let at = 0
  const read = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit
    return value
  }
  return Object.assign(read, { position: () => at })
}
