/** Finds the best quality whose result fits a maximum file size. */
import type { Extent } from '../../shared/extent.ts'
import { failure } from '../../shared/failure/failure.ts'
import { DoesNotFit } from '../protocol.ts'
import type { EncodedImage } from './encode-image.ts'

export type Encoding = Extent & {
  /** `quality` is undefined for lossless formats, where only smaller dimensions save bytes. */
  encode(quality: number | undefined, smaller: Extent | undefined): Promise<EncodedImage>
  readonly isLossless: boolean
}

export type SizeLimit = {
  readonly maxBytes: number
  /** Whether the search may reduce the dimensions to avoid poor quality. */
  readonly mayShrink: boolean
}

/** Fraction of the limit at which the search ends. Using the remaining bytes would cost another encoding without a visible gain. */
const ENOUGH = 0.95
const MOST_TRIES = 12
/** Below this quality, an image with smaller dimensions looks better. */
const LEAST_QUALITY_BEFORE_SHRINKING = 50
const LEAST_SIDE = 16

/**
 * Encodes an image with the highest quality that fits the limit, and scales it down if necessary and allowed.
 * @throws DoesNotFit if even the smallest encoding exceeds the limit
 */
export async function fitIntoBytes(encoding: Encoding, limit: SizeLimit): Promise<EncodedImage> {
  const { maxBytes, mayShrink } = limit
  if (encoding.isLossless) {
    const whole = await encoding.encode(undefined, undefined)
    if (whole.bytes.length <= maxBytes) return whole
    if (!mayShrink) throw doesNotFit(whole, limit)
    return shrinkInto(encoding, limit, undefined, whole)
  }
  const from = mayShrink ? LEAST_QUALITY_BEFORE_SHRINKING : 1
  const { best, least } = await bestQuality(encoding, maxBytes, from, undefined)
  if (best !== undefined) return best
  if (!mayShrink) throw doesNotFit(least, limit)
  return shrinkInto(encoding, limit, from, least)
}

function bestQuality(
  encoding: Encoding,
  room: number,
  from: number,
  smaller: Extent | undefined,
): Promise<SearchResult> {
  return largestThatFits({
    room,
    range: { from, to: 100, step: 0.3 },
    start: Math.max(from, 80),
    encodeAt: (quality) => encoding.encode(quality, smaller),
    // Divides by the average increase of log(bytes) per quality step, measured on photos. It is much higher near the top of the
    // scale.
    next: (quality, missing) => quality + Math.log(missing) / (quality > 80 ? 0.06 : 0.025),
  })
}

async function shrinkInto(
  encoding: Encoding,
  limit: SizeLimit,
  quality: number | undefined,
  whole: EncodedImage,
): Promise<EncodedImage> {
  const { width, height } = encoding
  const longest = Math.max(width, height)
  const { best, least } = await largestThatFits({
    room: limit.maxBytes,
    range: { from: Math.min(1, LEAST_SIDE / longest), to: 1, step: 1 / longest },
    start: Math.min(0.95, Math.sqrt(limit.maxBytes / whole.bytes.length)),
    encodeAt: (share) => encoding.encode(quality, sharesOf(encoding, share)),
    next: (share, missing) => share * missing ** 0.55,
  })
  if (best === undefined) throw doesNotFit(least, limit)
  if (quality === undefined || best.bytes.length >= limit.maxBytes * ENOUGH) return best
  const better = await bestQuality(encoding, limit.maxBytes, quality, best)
  return better.best ?? best
}

const sharesOf = ({ width, height }: Extent, share: number): Extent => ({
  width: Math.max(1, Math.round(width * share)),
  height: Math.max(1, Math.round(height * share)),
})

type SearchResult = {
  /** The largest encoding that fits; undefined if none fits. */
  readonly best: EncodedImage | undefined
  /** The smallest encoding, which may be too large. */
  readonly least: EncodedImage
}

type Tried = { readonly value: number; readonly encoded: EncodedImage }

async function largestThatFits(search: {
  /** Maximum size in bytes. */
  readonly room: number
  /** Values to choose from. Higher values take more bytes. */
  readonly range: { readonly from: number; readonly to: number; readonly step: number }
  readonly start: number
  encodeAt(value: number): Promise<EncodedImage>
  /**
   * Returns the next value to encode with.
   * @param missing factor by which the size at `value` has to change
   */
  next(value: number, missing: number): number
}): Promise<SearchResult> {
  const { room, range } = search
  const tries: Tried[] = []
  let value = search.start
  while (tries.length < MOST_TRIES) {
    const encoded = await search.encodeAt(value)
    tries.push({ value, encoded })
    const bytes = encoded.bytes.length
    const isFound = bytes <= room && (bytes >= room * ENOUGH || value >= range.to)
    if (isFound || (bytes > room && value <= range.from)) break
    const { below, above } = around(tries, room)
    if (below !== undefined && above !== undefined && above.value - below.value <= range.step) break
    const missing = (room * (1 + ENOUGH)) / 2 / bytes
    const wanted =
      below !== undefined && above !== undefined ? between(below, above, room) : search.next(value, missing)
    value = Math.max(range.from, Math.min(range.to, wanted))
  }
  const smallest = tries.reduce((one, other) =>
    other.encoded.bytes.length < one.encoded.bytes.length ? other : one,
  )
  return { best: around(tries, room).below?.encoded, least: smallest.encoded }
}

function around(tries: readonly Tried[], room: number) {
  // Several values may give the same encoding. Of these, use the nearest to the limit, or the range wouldn't get narrower.
  const byBytes = tries.toSorted(
    (one, other) => one.encoded.bytes.length - other.encoded.bytes.length || one.value - other.value,
  )
  return {
    below: byBytes.findLast(({ encoded }) => encoded.bytes.length <= room),
    above: byBytes.find(({ encoded }) => encoded.bytes.length > room),
  }
}

/** Interpolates on the logarithm of the size. Avoids both ends of the range, because an encoding there would hardly narrow the range. */
function between(below: Tried, above: Tried, room: number): number {
  const [low, high] = [Math.log(below.encoded.bytes.length), Math.log(above.encoded.bytes.length)]
  const share = (Math.log((room * (1 + ENOUGH)) / 2) - low) / (high - low)
  return below.value + Math.max(0.15, Math.min(0.85, share)) * (above.value - below.value)
}

function doesNotFit({ bytes, width, height }: EncodedImage, { maxBytes, mayShrink }: SizeLimit) {
  const values = { maxKilobytes: inKilobytes(maxBytes), kilobytes: inKilobytes(bytes.length), width, height }
  const code = mayShrink ? 'photoNotSmallEnough' : 'photoNotSmallEnoughAsIs'
  return new DoesNotFit(failure(code, values), { bytes: bytes.length, width, height })
}

/** Rounds up, so that the reported size is never too small. */
const inKilobytes = (bytes: number): number => Math.ceil(bytes / 1000)
