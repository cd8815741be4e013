/** The best look that fits into so many bytes. */
import { DoesNotFit } from '../protocol.ts'
import type { EncodedPicture } from './encode-picture.ts'
import type { Extent } from './geometry.ts'

/** What can be tried. */
export type Encoding = Extent & {
  /** undefined where the format never loses anything, so that only dimensions can be saved. */
  encode(quality: number | undefined, smaller: Extent | undefined): Promise<EncodedPicture>
  readonly isLossless: boolean
}

export type SizeLimit = {
  readonly maxBytes: number
  /** Whether the dimensions may be reduced where the quality alone would have to be poor. */
  readonly mayShrink: boolean
}

/** From here on, a better use of the room could not be seen, and would cost one more encoding. */
const ENOUGH = 0.95
const MOST_TRIES = 12
/** Where a smaller picture looks better than a worse one. */
const LEAST_QUALITY_BEFORE_SHRINKING = 50
const LEAST_SIDE = 16

/** @throws DoesNotFit */
export async function fitIntoBytes(encoding: Encoding, limit: SizeLimit): Promise<EncodedPicture> {
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
    // What one step costs was measured over photos; near the end of the scale it is far more.
    next: (quality, missing) => quality + Math.log(missing) / (quality > 80 ? 0.06 : 0.025),
  })
}

async function shrinkInto(
  encoding: Encoding,
  limit: SizeLimit,
  quality: number | undefined,
  whole: EncodedPicture,
): Promise<EncodedPicture> {
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

type Search = {
  /** In bytes. */
  readonly room: number
  /** More of it takes more bytes. */
  readonly range: { readonly from: number; readonly to: number; readonly step: number }
  readonly start: number
  encodeAt(value: number): Promise<EncodedPicture>
  /** @param missing by how much the bytes of `value` have to be multiplied */
  next(value: number, missing: number): number
}

type SearchResult = {
  /** The largest that fits, as far as was looked. */
  readonly best: EncodedPicture | undefined
  /** The smallest of all. */
  readonly least: EncodedPicture
}

type Tried = { readonly value: number; readonly encoded: EncodedPicture }

async function largestThatFits(search: Search): Promise<SearchResult> {
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

/** The largest that fits and the smallest that doesn't. */
function around(tries: readonly Tried[], room: number) {
  const byBytes = tries.toSorted((one, other) => one.encoded.bytes.length - other.encoded.bytes.length)
  return {
    below: byBytes.findLast(({ encoded }) => encoded.bytes.length <= room),
    above: byBytes.find(({ encoded }) => encoded.bytes.length > room),
  }
}

/** Where the bytes would be right if their logarithm grew evenly, but not so near an end that hardly anything is learnt. */
function between(below: Tried, above: Tried, room: number): number {
  const [low, high] = [Math.log(below.encoded.bytes.length), Math.log(above.encoded.bytes.length)]
  const share = (Math.log((room * (1 + ENOUGH)) / 2) - low) / (high - low)
  return below.value + Math.max(0.15, Math.min(0.85, share)) * (above.value - below.value)
}

function doesNotFit({ bytes, width, height }: EncodedPicture, { maxBytes, mayShrink }: SizeLimit) {
  const wish = `The photo can't be made as small as ${kilobytes(maxBytes)}`
  const least = `${kilobytes(bytes.length)} is the least at ${width} × ${height} pixels`
  const advice = mayShrink ? '' : ' It takes more bytes, or a recipe that may reduce the dimensions.'
  return new DoesNotFit(`${wish}: ${least}.${advice}`, { bytes: bytes.length, width, height })
}

/** Rounded up, so that nobody is promised too little. */
const kilobytes = (bytes: number): string =>
  bytes < 1000 ? `${bytes} bytes` : `${Math.ceil(bytes / 1000).toLocaleString('en')} kB`
