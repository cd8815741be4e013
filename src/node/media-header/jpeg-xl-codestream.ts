/** Reads the beginning of a JPEG XL codestream (ISO/IEC 18181-1, D.2 and D.3). */

export type CodestreamHeader = {
  /** As stored, before rotation. */
  readonly width: number
  readonly height: number
  /** As in Exif. */
  readonly orientation: number
  /** How often an animation is played, 0 for endlessly; undefined if it isn't animated. */
  readonly plays: number | undefined
}

/** Aspect ratio for each code (18181-1, table "Aspect ratio"). */
const RATIOS = [undefined, [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]] as const
const SIDE_BITS = [9, 13, 18, 30] as const

type Bits = (count: number) => number

/** @param bytes what follows the signature */
export function readCodestreamHeader(bytes: Buffer): CodestreamHeader {
  const bits = bitsFrom(bytes)
  const size = readSize(bits)
  const hasMore = bits(1) === 0 && bits(1) === 1
  const orientation = hasMore ? bits(3) + 1 : 1
  return { ...size, orientation, plays: hasMore ? readPlays(bits) : undefined }
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
function readPlays(bits: Bits): number | undefined {
  const hasOwnSize = bits(1) === 1
  if (hasOwnSize) readSize(bits)
  const hasPreview = bits(1) === 1
  if (hasPreview) skipPreview(bits)
  const isAnimated = bits(1) === 1
  if (!isAnimated) return undefined
  oneOf(bits, [0, 0, 10, 30])
  oneOf(bits, [0, 0, 8, 10])
  return oneOf(bits, [0, 3, 16, 32])
}

function skipPreview(bits: Bits): void {
  const isDivided = bits(1) === 1
  const side = () => oneOf(bits, isDivided ? [0, 0, 5, 9] : [6, 8, 10, 12])
  side()
  if (bits(3) === 0) side()
}

/** Reads a number. Its first two bits select one of four lengths. */
const oneOf = (bits: Bits, lengths: readonly [number, number, number, number]): number =>
  bits(lengths[bits(2)] ?? 0)

/** Returns a function that reads the next number of `count` bits, least significant bit first. */
function bitsFrom(bytes: Buffer): Bits {
  let at = 0
  return (count) => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit
    return value
  }
}
