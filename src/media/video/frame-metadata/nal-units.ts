/** Removes metadata from H.264 and HEVC. Keeps what decoders need, what affects how frames look, and the text that the recipe keeps. */
import { uint16 } from '../../big-endian.ts'
import { START_CODE } from './start-codes.ts'
import { type Change, changeParts, type KeepsText, withoutZeros } from './change-parts.ts'
import { isPictureMessage } from './user-data.ts'

export type NalCodec = {
  readonly headBytes: number
  readonly typeOf: (first: number) => number
  readonly messages: readonly number[]
  readonly sets: readonly number[]
  readonly isNeeded: (type: number) => boolean
  /** Maximum number of bytes after the head, by unit type. Other types have no limit. */
  readonly sizes: Readonly<Record<number, number>>
  /** Unit types that Dolby Vision uses, and that the standard leaves unspecified. */
  readonly dolby: readonly number[]
  readonly isRecord: (header: Buffer) => boolean
  /** Offset of `lengthSizeMinusOne` in the decoder configuration record. */
  readonly lengthAt: number
  readonly cleanRecord: (header: Buffer, codec: NalCodec, keeps: KeepsText) => Buffer
  readonly cutSet?: (unit: Buffer) => Buffer
}

export const H264: NalCodec = {
  headBytes: 1,
  typeOf: (first) => first & 31,
  messages: [6],
  sets: [7, 8],
  isNeeded: (type) => (type > 0 && type < 16 && type !== 12) || (type > 18 && type < 22),
  // Access unit delimiter, end of sequence, end of stream, sequence parameter set extension, prefix unit.
  sizes: { 9: 1, 10: 0, 11: 0, 13: 6, 14: 12 },
  dolby: [28, 30],
  isRecord: (header) => header[0] === 1,
  lengthAt: 4,
  cleanRecord: cleanAvcRecord,
}

export const HEVC: NalCodec = {
  headBytes: 2,
  typeOf: (first) => (first >> 1) & 63,
  messages: [39, 40],
  sets: [32, 33, 34],
  isNeeded: (type) => type < 10 || (type > 15 && type < 22) || (type > 31 && type < 41 && type !== 38),
  // Access unit delimiter, end of sequence, end of bitstream.
  sizes: { 35: 1, 36: 0, 37: 0 },
  dolby: [62, 63],
  isRecord: (header) => header.length > HVCC_ARRAYS && header.readUIntBE(0, 3) > 1,
  lengthAt: 21,
  cleanRecord: cleanHevcRecord,
}

export const withDolby = (codec: NalCodec): NalCodec => ({
  ...codec,
  isNeeded: (type) => codec.isNeeded(type) || codec.dolby.includes(type),
})

type Unit = { readonly from: number; readonly body: number; readonly to: number }

/**
 * Removes metadata from a sequence of units.
 * @param lengthBytes of the field before each unit; undefined for start codes
 */
export function cleanUnits(
  bytes: Buffer,
  codec: NalCodec,
  lengthBytes: number | undefined,
  keeps: KeepsText,
): Buffer {
  const units = lengthBytes === undefined ? unitsAfterCodes(bytes) : unitsAfterLengths(bytes, lengthBytes)
  return changeParts(bytes, changesIn(bytes, units, codec, keeps))
}

function* changesIn(
  bytes: Buffer,
  units: Iterable<Unit>,
  codec: NalCodec,
  keeps: KeepsText,
): Generator<Change> {
  for (const { from, body, to } of units) {
    const unit = bytes.subarray(body, to)
    const cleaned = cleanUnit(unit, codec, keeps)
    if (cleaned === unit) continue
    yield { from, to, ...(cleaned && { by: Buffer.concat([prefix(bytes, from, body, cleaned), cleaned]) }) }
  }
}

/** Returns what precedes a unit with this content: a start code or its length. */
function prefix(bytes: Buffer, from: number, body: number, content: Buffer): Buffer {
  const before = Buffer.from(bytes.subarray(from, body))
  if (!before.equals(START_CODE)) before.writeUIntBE(content.length, 0, before.length)
  return before
}

function* unitsAfterLengths(bytes: Buffer, lengthBytes: number): Generator<Unit> {
  for (let from = 0; from + lengthBytes <= bytes.length;) {
    const body = from + lengthBytes
    const to = body + bytes.readUIntBE(from, lengthBytes)
    yield { from, body, to: Math.min(to, bytes.length) }
    from = to
  }
}

function* unitsAfterCodes(bytes: Buffer): Generator<Unit> {
  for (let from = bytes.indexOf(START_CODE); from >= 0;) {
    const next = bytes.indexOf(START_CODE, from + 3)
    yield { from, body: from + 3, to: next < 0 ? bytes.length : next }
    from = next
  }
}

/** Removes metadata from a unit. Returns the same buffer if nothing is removed; undefined if the whole unit is removed. */
export function cleanUnit(unit: Buffer, codec: NalCodec, keeps: KeepsText): Buffer | undefined {
  const type = codec.typeOf(unit[0] ?? 0)
  if (unit.length === 0) return unit
  if (!codec.isNeeded(type)) return undefined
  if (codec.sets.includes(type)) return codec.cutSet?.(unit) ?? unit
  if (!codec.messages.includes(type)) return withinSize(unit, codec, type)
  const { messages, isWhole } = messagesIn(unescaped(unit.subarray(codec.headBytes)))
  const kept = messages.filter((message) => isKept(message, keeps))
  if (isWhole && kept.length === messages.length) return unit
  if (kept.length === 0) return undefined
  const content = Buffer.concat([...kept.map(({ whole }) => whole), STOP_BIT])
  return Buffer.concat([unit.subarray(0, codec.headBytes), escaped(content)])
}

/** Shortens a delimiter or an end that is too long, because decoders need it. Removes other units that are too long. */
function withinSize(unit: Buffer, codec: NalCodec, type: number): Buffer | undefined {
  const size = codec.sizes[type]
  if (size === undefined || withoutZeros(unit).length <= codec.headBytes + size) return unit
  return size > 1 ? undefined : unit.subarray(0, codec.headBytes + size)
}

const STOP_BIT = Buffer.from([0x80])

type Message = { readonly type: number; readonly payload: Buffer; readonly whole: Buffer }

const [REGISTERED, UNREGISTERED] = [4, 5]
/** Bytes of the UUID that begins an unregistered message. */
const SENDER_BYTES = 16

/**
 * Maximum length in bytes of messages for decoding, timing and display, by type. Other messages contain text, fill space, or nest messages.
 * Sources: ITU-T H.264, annex D; ITU-T H.265, annex D.
 */
const LONGEST: Readonly<Record<number, number>> = {
  0: 64, // buffering period
  1: 100, // picture timing
  6: 8, // recovery point
  7: 64, // repetition of reference picture marking
  19: 8192, // grain characteristics
  21: 1, // stereo video information
  23: 4096, // tone mapping
  45: 16, // frame packing
  47: 8, // display orientation
  129: 24, // active parameter sets
  130: 32, // decoding unit information
  136: 40, // time code
  137: 24, // mastering display
  141: 4096, // knee function
  142: 1024, // color remapping
  144: 4, // content light level
  147: 1, // alternative transfer characteristics
  148: 8, // ambient viewing environment
  149: 40, // content color volume
  150: 8, // equirectangular projection
  151: 1, // cubemap projection
  154: 16, // sphere rotation
  155: 8192, // region-wise packing
  156: 128, // omnidirectional viewport
  165: 12, // alpha channel information
  176: 512, // 3D reference displays information
  180: 64, // view position
}

const isKept = (message: Message, keeps: KeepsText): boolean => isNeeded(message) || keeps(textOf(message))

const isNeeded = ({ type, payload }: Message): boolean =>
  type === REGISTERED ? isPictureMessage(payload) : payload.length <= (LONGEST[type] ?? -1)

const textOf = ({ type, payload }: Message): Buffer =>
  type === UNREGISTERED ? payload.subarray(SENDER_BYTES) : payload

/** Returns the messages, and whether only the stop bit follows them. */
function messagesIn(bytes: Buffer): { readonly messages: readonly Message[]; readonly isWhole: boolean } {
  const content = withoutZeros(bytes)
  const messages: Message[] = []
  let at = 0
  const next = (): number => {
    let value = 0
    for (; content[at] === 0xff; at++) value += 0xff
    return value + (content[at++] ?? 0)
  }
  while (at < content.length) {
    const start = at
    if (content.subarray(start).equals(STOP_BIT)) return { messages, isWhole: true }
    const [type, size] = [next(), next()]
    const to = at + size
    if (to > content.length) break
    messages.push({ type, payload: content.subarray(at, to), whole: content.subarray(start, to) })
    at = to
  }
  return { messages, isWhole: false }
}

/** Removes emulation prevention bytes, which keep start codes from occurring by chance. */
function unescaped(bytes: Buffer): Buffer {
  const plain: number[] = []
  let zeros = 0
  for (const byte of bytes) {
    if (zeros < 2 || byte !== 3) plain.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Buffer.from(plain)
}

function escaped(bytes: Buffer): Buffer {
  const safe: number[] = []
  let zeros = 0
  for (const byte of bytes) {
    if (zeros === 2 && byte < 4) {
      safe.push(3)
      zeros = 0
    }
    safe.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Buffer.from(safe)
}

/**
 * Returns the size of the length field before each unit, in bytes.
 * @returns undefined if units begin with start codes
 */
export const lengthBytesIn = (header: Buffer, codec: NalCodec): number | undefined =>
  codec.isRecord(header) ? ((header[codec.lengthAt] ?? 3) & 3) + 1 : undefined

/**
 * Removes metadata from the units in a header.
 * @param header the codec's parameters, as MP4 and Matroska have them, or with start codes
 */
export function cleanUnitsHeader(header: Buffer, codec: NalCodec, keeps: KeepsText): Buffer {
  if (!codec.isRecord(header)) return cleanUnits(header, codec, undefined, keeps)
  const cleaned = codec.cleanRecord(header, codec, keeps)
  return cleaned.equals(header) ? header : cleaned
}

const HVCC_ARRAYS = 22

/** Cleans the units in the record of HEVC (ISO/IEC 14496-15, 8.3.3.1). x265 puts its settings there. */
function cleanHevcRecord(header: Buffer, codec: NalCodec, keeps: KeepsText): Buffer {
  const arrays: Buffer[] = []
  let at = HVCC_ARRAYS + 1
  for (let left = header[HVCC_ARRAYS] ?? 0; left > 0 && at + 3 <= header.length; left--) {
    const head = Buffer.from(header.subarray(at, at + 3))
    const { units, end } = unitsInRecord(header, at + 3, head.readUInt16BE(1), codec, keeps)
    head.writeUInt16BE(units.length, 1)
    if (units.length > 0) arrays.push(Buffer.concat([head, ...units]))
    at = end
  }
  return Buffer.concat([header.subarray(0, HVCC_ARRAYS), Buffer.from([arrays.length]), ...arrays])
}

const AVCC_SETS = 5
/** Profiles whose record ends after the parameter sets. */
const SHORT_PROFILES = [66, 77, 88]

/** Cleans the units in the record of H.264 (ISO/IEC 14496-15, 5.3.3.1), and drops what follows them. */
function cleanAvcRecord(header: Buffer, codec: NalCodec, keeps: KeepsText): Buffer {
  const parts = [header.subarray(0, AVCC_SETS)]
  let at = AVCC_SETS
  const take = (countMask: number): void => {
    const count = header[at]
    if (count === undefined) return
    const { units, end } = unitsInRecord(header, at + 1, count & countMask, codec, keeps)
    parts.push(Buffer.from([(count & ~countMask) | units.length]), ...units)
    at = end
  }
  take(31)
  take(255)
  if (!SHORT_PROFILES.includes(header[1] ?? 0)) {
    parts.push(header.subarray(at, (at += 3)))
    take(255)
  }
  return Buffer.concat(parts)
}

/** Returns the cleaned units with their lengths, and where the last one ends. */
function unitsInRecord(
  header: Buffer,
  from: number,
  count: number,
  codec: NalCodec,
  keeps: KeepsText,
): { readonly units: readonly Buffer[]; readonly end: number } {
  const units: Buffer[] = []
  let end = from
  for (let left = count; left > 0 && end + 2 <= header.length; left--) {
    const start = end + 2
    end = start + header.readUInt16BE(end)
    const cleaned = cleanUnit(header.subarray(start, end), codec, keeps)
    if (cleaned !== undefined) units.push(Buffer.concat([uint16(cleaned.length), cleaned]))
  }
  return { units, end }
}
