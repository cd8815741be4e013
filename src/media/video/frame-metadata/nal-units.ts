/** Finds metadata in H.264 and HEVC: messages for users, filling, and units that the standards leave undefined. */
import type { Change, KeepsText } from './change-parts.ts'
import { changeParts } from './change-parts.ts'
import { isPictureMessage } from './user-data.ts'

export type NalCodec = {
  readonly headBytes: number
  readonly typeOf: (first: number) => number
  readonly messages: readonly number[]
  readonly isDefined: (type: number) => boolean
}

/** Dolby Vision uses the undefined types 28 and 30. */
export const H264: NalCodec = {
  headBytes: 1,
  typeOf: (first) => first & 31,
  messages: [6],
  isDefined: (type) => (type > 0 && type < 24 && type !== 12) || type === 28 || type === 30,
}

/** Dolby Vision uses the undefined types 62 and 63. */
export const HEVC: NalCodec = {
  headBytes: 2,
  typeOf: (first) => (first >> 1) & 63,
  messages: [39, 40],
  isDefined: (type) => (type < 41 && type !== 38) || type > 61,
}

type Unit = { readonly from: number; readonly body: number; readonly to: number }

/** @param lengthBytes of the field before each unit; undefined for start codes */
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

/** @returns the start code, or the new length */
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

const START_CODE = Buffer.from([0, 0, 1])

function* unitsAfterCodes(bytes: Buffer): Generator<Unit> {
  for (let from = bytes.indexOf(START_CODE); from >= 0;) {
    const next = bytes.indexOf(START_CODE, from + 3)
    yield { from, body: from + 3, to: next < 0 ? bytes.length : next }
    from = next
  }
}

/** @returns the same buffer if it stays as it is; undefined if nothing of it stays */
export function cleanUnit(unit: Buffer, codec: NalCodec, keeps: KeepsText): Buffer | undefined {
  const type = codec.typeOf(unit[0] ?? 0)
  if (unit.length === 0) return unit
  if (!codec.isDefined(type)) return undefined
  if (!codec.messages.includes(type)) return unit
  const messages = messagesIn(unescaped(unit.subarray(codec.headBytes)))
  const kept = messages?.filter((message) => isKept(message, keeps)) ?? []
  if (kept.length === messages?.length) return unit
  if (kept.length === 0) return undefined
  const content = Buffer.concat([...kept.map(({ whole }) => whole), STOP_BIT])
  return Buffer.concat([unit.subarray(0, codec.headBytes), escaped(content)])
}

const STOP_BIT = Buffer.from([0x80])

type Message = { readonly type: number; readonly payload: Buffer; readonly whole: Buffer }

const [FILLING, REGISTERED, UNREGISTERED] = [3, 4, 5]
/** Bytes of the number that names the sender of an unregistered message. */
const SENDER_BYTES = 16

function isKept({ type, payload }: Message, keeps: KeepsText): boolean {
  if (type === FILLING) return false
  if (type === REGISTERED) return isPictureMessage(payload)
  if (type === UNREGISTERED) return keeps(payload.subarray(SENDER_BYTES))
  return type < 60 || (type >= 128 && type < 215)
}

/** @returns undefined if the messages can't be read */
function messagesIn(bytes: Buffer): readonly Message[] | undefined {
  const messages: Message[] = []
  const end = bytes.lastIndexOf(0x80)
  for (let at = 0; at < end;) {
    const start = at
    const next = (): number => {
      let value = 0
      for (; bytes[at] === 0xff; at++) value += 0xff
      return value + (bytes[at++] ?? 0)
    }
    const [type, size] = [next(), next()]
    const to = at + size
    if (to > end) return undefined
    messages.push({ type, payload: bytes.subarray(at, to), whole: bytes.subarray(start, to) })
    at = to
  }
  return messages
}

/** Removes the bytes that keep start codes from occurring by chance. */
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

const AVCC_LENGTH = 4
const HVCC_LENGTH = 21
const HVCC_ARRAYS = 22

/** @returns undefined if units begin with start codes */
export function lengthBytesIn(header: Buffer, codec: NalCodec): number | undefined {
  const isRecord =
    codec === H264 ? header[0] === 1 : header.length > HVCC_ARRAYS && header.readUIntBE(0, 3) > 1
  return isRecord ? ((header[codec === H264 ? AVCC_LENGTH : HVCC_LENGTH] ?? 3) & 3) + 1 : undefined
}

/** @param header the codec's parameters, as MP4 and Matroska have them, or with start codes */
export function cleanUnitsHeader(header: Buffer, codec: NalCodec, keeps: KeepsText): Buffer {
  const lengthBytes = lengthBytesIn(header, codec)
  if (lengthBytes === undefined) return cleanUnits(header, codec, lengthBytes, keeps)
  return codec === HEVC ? cleanHevcRecord(header, keeps) : header
}

/** Cleans the units in the record of HEVC (ISO/IEC 14496-15, 8.3.3.1). x265 puts its settings there. */
function cleanHevcRecord(header: Buffer, keeps: KeepsText): Buffer {
  const arrays: Buffer[] = []
  let isChanged = false
  let at = HVCC_ARRAYS + 1
  for (let left = header[HVCC_ARRAYS] ?? 0; left > 0 && at + 3 <= header.length; left--) {
    const [kind, count] = [header.readUInt8(at), header.readUInt16BE(at + 1)]
    const units: Buffer[] = []
    at += 3
    for (let unit = 0; unit < count && at + 2 <= header.length; unit++) {
      const to = at + 2 + header.readUInt16BE(at)
      const content = header.subarray(at + 2, to)
      const cleaned = cleanUnit(content, HEVC, keeps)
      if (cleaned !== content) isChanged = true
      if (cleaned !== undefined) units.push(withLength(cleaned))
      at = to
    }
    const head = Buffer.from([kind, 0, 0])
    head.writeUInt16BE(units.length, 1)
    if (units.length > 0) arrays.push(Buffer.concat([head, ...units]))
  }
  if (!isChanged) return header
  return Buffer.concat([header.subarray(0, HVCC_ARRAYS), Buffer.from([arrays.length]), ...arrays])
}

function withLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(unit.length, 0)
  return Buffer.concat([length, unit])
}
