/** Reads the beginning of a JPEG XL codestream (ISO/IEC 18181-1, D.2 and D.3). */

export type CodestreamHeader = {
  /** As stored, before rotation. */
  readonly width: number
  readonly height: number
  /** As in Exif. */
  readonly orientation: number
}

/** Aspect ratio for each code (18181-1, table "Aspect ratio"). */
const RATIOS = [undefined, [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]] as const
const SIDE_BITS = [9, 13, 18, 30] as const

/** @param bytes what follows the signature */
export function readCodestreamHeader(bytes: Buffer): CodestreamHeader {
  const bits = bitsFrom(bytes)
  const isSmall = bits(1) === 1
  const side = () => (isSmall ? (bits(5) + 1) * 8 : bits(SIDE_BITS[bits(2)] ?? 0) + 1)
  const height = side()
  const ratio = RATIOS[bits(3)]
  const width = ratio === undefined ? side() : Math.floor((height * ratio[0]) / ratio[1])
  const hasDefaults = bits(1) === 1
  const orientation = !hasDefaults && bits(1) === 1 ? bits(3) + 1 : 1
  return { width, height, orientation }
}

/** Returns a function that reads the next number of `count` bits, least significant bit first. */
function bitsFrom(bytes: Buffer): (count: number) => number {
  let at = 0
  return (count) => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit
    return value
  }
}
