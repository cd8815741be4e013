/** Finds where compressed data ends (GIF89a, appendix F; TIFF 6.0, section 13), without decompressing it. */

const MOST_BITS = 12

/**
 * Returns the length in bytes of the LZW codes for a number of values, with the code that ends them. Decoders ignore what follows.
 * @param bits the number of bits of a value
 * @param form TIFF packs codes most significant bit first, and widens them one code earlier than GIF
 * @returns the length of the data if there are too few codes; undefined if a code or the number of bits isn't valid
 */
export function lzwLength(
  data: Buffer,
  bits: number,
  values: number,
  form: 'GIF' | 'TIFF',
): number | undefined {
  if (bits < 1 || bits >= MOST_BITS) return undefined
  const isTiff = form === 'TIFF'
  const early = isTiff ? 1 : 0
  const clear = 1 << bits
  /** For each code, the number of values that it decodes to. */
  const lengths = new Uint32Array(1 << MOST_BITS)
  let [width, next, previous, at, waiting, held] = [bits + 1, clear + 2, 0, 0, 0, 0]
  for (let left = values; ;) {
    for (; held < width; held += 8) {
      if (at === data.length) return at
      const byte = data[at++] ?? 0
      waiting = isTiff ? ((waiting << 8) | byte) & 0xff_ffff : waiting | (byte << held)
    }
    held -= width
    const code = (isTiff ? waiting >>> held : waiting) & ((1 << width) - 1)
    if (!isTiff) waiting >>>= width
    if (code === clear + 1) return at
    if (code === clear) {
      width = bits + 1
      next = clear + 2
      previous = 0
      continue
    }
    // The code that ends the values is missing. Bytes that were read ahead don't belong to the codes.
    if (left <= 0) return at - Math.floor((held + width) / 8)
    if (code > next || (code === next && previous === 0)) return undefined
    const length = code < clear ? 1 : code < next ? (lengths[code] ?? 0) : previous + 1
    if (previous > 0 && next < lengths.length) {
      lengths[next++] = previous + 1
      if (next === (1 << width) - early && width < MOST_BITS) width++
    }
    previous = length
    left -= length
  }
}
