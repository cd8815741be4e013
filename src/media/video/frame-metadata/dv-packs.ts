/** Finds dates, titles and camera settings in DV (IEC 61834-4), which stores them alongside the image data of each frame. */

const BLOCK_BYTES = 80
const PACK_BYTES = 5
/**
 * Types of block sections, the positions of packs in them, and the packs that decoders need, because these describe how video and audio are
 * stored.
 */
const SUBCODE = { section: 1, first: 6, step: 8, count: 6, needed: [] as readonly number[] }
const VIDEO = { section: 2, first: 3, step: PACK_BYTES, count: 15, needed: [0x60, 0x61] }
const AUDIO = { section: 3, first: 3, step: PACK_BYTES, count: 1, needed: [0x50, 0x51] }
const PLACES = [SUBCODE, VIDEO, AUDIO]

/** Yields the offsets of a frame's filled packs that decoders don't need. */
function* packsIn(frame: Buffer): Generator<number> {
  for (let block = 0; block + BLOCK_BYTES <= frame.length; block += BLOCK_BYTES) {
    const place = PLACES.find(({ section }) => section === (frame[block] ?? 0) >> 5)
    if (place === undefined) continue
    for (let index = 0; index < place.count; index++) {
      const at = block + place.first + index * place.step
      const isEmpty = frame.subarray(at, at + PACK_BYTES).every((byte) => byte === 0xff)
      if (!isEmpty && !place.needed.includes(frame[at] ?? 0)) yield at
    }
  }
}

/** @returns the same buffer if there is nothing to remove */
export function cleanDv(frame: Buffer): Buffer {
  let cleaned: Buffer | undefined
  for (const at of packsIn(frame)) (cleaned ??= Buffer.from(frame)).fill(0xff, at, at + PACK_BYTES)
  return cleaned ?? frame
}

const DATES: readonly number[] = [0x52, 0x62]
/** Years as two BCD digits: 1995, when DV began, and 1970, which programs write if they don't know the date. */
const [FIRST_YEAR, NO_YEAR] = [0x95, 0x70]

export function hasDate(frame: Buffer): boolean {
  for (const at of packsIn(frame)) {
    const [kind = 0, , , , year = 0] = frame.subarray(at, at + PACK_BYTES)
    if (DATES.includes(kind) && year !== 0xff && (year < NO_YEAR || year >= FIRST_YEAR)) return true
  }
  return false
}
