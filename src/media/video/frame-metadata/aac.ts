/**
 * Empties text in AAC (ISO/IEC 14496-3, 4.4.2.1): in data elements, fill elements and the program's comment, if they precede a frame's
 * audio. Later elements can be found only by decoding.
 */
import { createBits, type Bits } from './bits.ts'

const [DATA, PROGRAM, FILL] = [4, 5, 6]
/** Extension types of fill elements that decoders need: dynamic range control, MPEG Surround, and SBR with or without a checksum. */
const NEEDED_FILLS: readonly number[] = [0xb, 0xc, 0xd, 0xe]
const LONG = { data: 255, fill: 15 }

/** Sync byte and maximum length of broadcasters' ancillary data about loudness and mixing (ETSI TS 101 154, annex C). */
const [LEVELS, MOST_LEVELS] = [0xbc, 20]

const ADTS_BYTES = 7
const isAdts = (frame: Buffer): boolean =>
  frame.length > ADTS_BYTES && (frame.readUInt16BE(0) & 0xfff6) === 0xfff0

/** @returns the same buffer if there is nothing to empty */
export function cleanAac(frame: Buffer): Buffer {
  // A checksum may follow the header.
  const start = isAdts(frame) ? ADTS_BYTES + (((frame[1] ?? 0) & 1) === 0 ? 2 : 0) : 0
  const bits = createBits(frame, start)
  for (;;) {
    const kind = bits.take(3)
    if (kind === DATA) emptyData(bits)
    else if (kind === FILL) emptyFill(bits)
    else if (kind === PROGRAM) emptyComment(bits)
    else return bits.changed()
  }
}

function emptyData(bits: Bits): void {
  bits.take(4)
  const isAligned = bits.take(1) === 1
  const short = bits.take(8)
  const count = short === LONG.data ? short + bits.take(8) : short
  if (isAligned) bits.align()
  if (bits.peek(8) === LEVELS && count <= MOST_LEVELS) bits.skip(8 * count)
  else bits.empty(count)
}

function emptyFill(bits: Bits): void {
  const short = bits.take(4)
  const count = short === LONG.fill ? short + bits.take(8) - 1 : short
  if (count === 0) return
  const isNeeded = NEEDED_FILLS.includes(bits.peek(4))
  if (isNeeded) bits.skip(8 * count)
  else bits.empty(count)
}

function emptyComment(bits: Bits): void {
  // The element's instance tag, the object type, and the sampling frequency index.
  bits.skip(10)
  const [front, side, back] = [bits.take(4), bits.take(4), bits.take(4)]
  const [low, associated, coupling] = [bits.take(2), bits.take(3), bits.take(4)]
  for (const length of [4, 4, 3]) if (bits.take(1) === 1) bits.skip(length)
  bits.skip(5 * (front + side + back + coupling) + 4 * (low + associated))
  bits.align()
  bits.empty(bits.take(8))
}

/** Audio object types whose configuration is parsed here: plain AAC, and its extensions SBR and PS. */
const [PLAIN_TYPES, EXTENSIONS] = [
  [1, 2, 3, 4],
  [5, 29],
] as const
const OTHER_FREQUENCY = 15
/** Bytes of the extensions that may follow the configuration. */
const EXTENSION_BYTES = 8

/**
 * Empties the comment in the configuration of a track (ISO/IEC 14496-3, 1.6.2.1). Drops everything after the configuration and its
 * extensions. Returns the configuration of other object types unchanged.
 */
export function cleanAacHeader(header: Buffer): Buffer {
  const bits = createBits(header, 0)
  const frequency = () => void (bits.take(4) === OTHER_FREQUENCY && bits.skip(24))
  let type = bits.take(5)
  frequency()
  const channels = bits.take(4)
  if (EXTENSIONS.some((one) => one === type)) {
    frequency()
    type = bits.take(5)
  }
  if (!PLAIN_TYPES.some((one) => one === type)) return header
  bits.skip(1)
  if (bits.take(1) === 1) bits.skip(14)
  bits.skip(1)
  if (channels === 0) emptyComment(bits)
  const end = Math.ceil(bits.at() / 8) + EXTENSION_BYTES
  return end < header.length ? bits.changed().subarray(0, end) : bits.changed()
}
