/** Overwrites text and other content that is coded together with pixels, in AV1 and HEVC. Nothing moves: decoders skip the padding. */

/**
 * Overwrites everything in an item other than its pixels and the parameters for showing them.
 * @param type of the item
 * @param coded the item's data, a part of the file
 * @param parameters the item's configuration (`hvcC` or `av1C`), a part of the file
 * @returns false if the item has, or may have, data that can't be overwritten
 * @throws RangeError if a unit ends early
 */
export function clearUserData(
  type: string,
  coded: Buffer | undefined,
  parameters: Buffer | undefined,
): boolean {
  if (coded === undefined) return false
  if (type === 'av01') {
    clearAv1(coded)
    if (parameters !== undefined) clearAv1(parameters.subarray(AV1_RECORD_BYTES))
    return true
  }
  return type !== 'hvc1' || (parameters !== undefined && clearHevc(coded, parameters))
}

/** Bytes before the units in the configuration of AV1. */
const AV1_RECORD_BYTES = 4
const [METADATA, LAST_AV1_USED, AV1_PADDING] = [5, 8, 15]
/** Content light level and mastering display. */
const AV1_HDR: ReadonlySet<number> = new Set([1, 2])

/** Turns an AV1 image's reserved and metadata units (AV1 specification, 5.3) into padding, except HDR metadata. Also clears its padding. */
function clearAv1(coded: Buffer): void {
  for (let at = 0; at < coded.length;) {
    const start = at
    const head = coded.readUInt8(at)
    const type = (head >> 3) & 15
    at += 1 + ((head >> 2) & 1)
    // A unit without a size is the last one.
    let length = coded.length - at
    if ((head & 2) !== 0) {
      const size = leb128(coded, at)
      at += size.bytes
      length = size.value
    }
    const isReserved = type === 0 || type > LAST_AV1_USED
    const isMore = isReserved || (type === METADATA && !AV1_HDR.has(coded.readUInt8(at)))
    if (isMore) {
      coded.writeUInt8((head & 0x87) | (AV1_PADDING << 3), start)
      const content = coded.subarray(at, at + length)
      content.fill(0)
      endWithBit(content)
    }
    at += length
  }
}

function leb128(bytes: Buffer, at: number): { readonly value: number; readonly bytes: number } {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value += (byte & 0x7f) * 2 ** (7 * index)
    if ((byte & 0x80) === 0) return { value, bytes: index + 1 }
  }
  throw new RangeError('A number is too long')
}

/**
 * Types of units (ITU-T H.265, 7.4.2.2): filler, the last type below it, and messages. Units of lower types have parameters or pixels, mark
 * a place, or are reserved.
 */
const [FILLER, LAST_CODED, MESSAGES] = [38, 37, [39, 40]]
/** The first type of the units that only mark places. Their content has at most one byte. */
const FIRST_MARK = 35
const isReservedHevc = (type: number): boolean => (type > 9 && type < 16) || (type > 21 && type < 32)
/** Decoded picture hash, mastering display, content light level, alternative transfer, ambient viewing environment (D.2.1). */
const KNOWN_MESSAGES: ReadonlySet<number> = new Set([132, 137, 144, 147, 148])
const [FILLER_MESSAGE, USER_DATA] = [3, 5]
/** Identifies a message with x265's options. */
const X265 = '2ca2de09b51747dbbb55a4fe7fc2fc4e'
/** Offsets in the parameters (ISO/IEC 14496-15, 8.3.3.1). */
const [LENGTH_AT, ARRAYS_AT] = [21, 22]

/** Overwrites what the units of a HEVC image, or of its parameters, contain other than pixels and parameters. */
function clearHevc(coded: Buffer, parameters: Buffer): boolean {
  const lengthBytes = (parameters.readUInt8(LENGTH_AT) & 3) + 1
  for (let at = 0; at < coded.length;) {
    const length = coded.readUIntBE(at, lengthBytes)
    at += lengthBytes
    if (!clearUnit(coded.subarray(at, at + length))) return false
    at += length
  }
  let at = ARRAYS_AT + 1
  for (let arrays = parameters.readUInt8(ARRAYS_AT); arrays > 0; arrays--) {
    let units = parameters.readUInt16BE(at + 1)
    at += 3
    for (; units > 0; units--) {
      const length = parameters.readUInt16BE(at)
      if (!clearUnit(parameters.subarray(at + 2, at + 2 + length))) return false
      at += 2 + length
    }
  }
  return at === parameters.length
}

/** @returns false if the unit can't be cleared, or decoders may need its content */
function clearUnit(unit: Buffer): boolean {
  const type = (unit.readUInt8(0) >> 1) & 63
  const content = unit.subarray(UNIT_HEAD)
  if (type <= LAST_CODED) return type < FIRST_MARK ? !isReservedHevc(type) : content.length < 2
  if (type === FILLER) {
    content.fill(0xff)
    endWithBit(content)
    return true
  }
  if (!MESSAGES.includes(type)) return false
  const kinds = messagesIn(unit)
  if (kinds.every((kind) => kind === 'known')) return true
  // HDR depends on known messages, which may not move.
  if (kinds.includes('known') || !fillWithMessages(content.subarray(0, -1))) return false
  endWithBit(content)
  return true
}

const UNIT_HEAD = 2

/** A single bit marks the end of a unit's content. */
function endWithBit(content: Buffer): void {
  if (content.length > 0) content.writeUInt8(0x80, content.length - 1)
}

/** Returns for each message of a unit whether it may stay (`known`). A single bit marks the end of the messages. */
function messagesIn(unit: Buffer): readonly ('known' | 'other')[] {
  const kinds: ('known' | 'other')[] = []
  for (let at = UNIT_HEAD; at < unit.length - 1;) {
    const kind = variable(unit, at)
    const length = variable(unit, kind.end)
    const content = unit.subarray(length.end, length.end + length.value)
    const isEncoder = kind.value === USER_DATA && content.toString('hex', 0, 16) === X265
    kinds.push(isEncoder || KNOWN_MESSAGES.has(kind.value) ? 'known' : 'other')
    at = length.end + length.value
  }
  return kinds
}

/** Longest content of a message whose length takes one byte, and the bytes of its type and its length. */
const [MOST_CONTENT, MESSAGE_HEAD] = [254, 2]

/** Overwrites the bytes with filler messages. @returns false if there isn't room for one */
function fillWithMessages(bytes: Buffer): boolean {
  if (bytes.length < MESSAGE_HEAD) return false
  bytes.fill(0xff)
  for (let at = 0; at < bytes.length;) {
    const left = bytes.length - at
    // The rest must have room for another message.
    const whole =
      left > MESSAGE_HEAD + MOST_CONTENT ? Math.min(left - MESSAGE_HEAD, MESSAGE_HEAD + MOST_CONTENT) : left
    bytes.writeUInt8(FILLER_MESSAGE, at)
    bytes.writeUInt8(whole - MESSAGE_HEAD, at + 1)
    at += whole
  }
  return true
}

/** Reads a number that is the sum of its bytes: zero or more bytes of 255, then a smaller one. */
function variable(unit: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start
  while (unit.readUInt8(at) === 0xff) at++
  return { value: (at - start) * 0xff + unit.readUInt8(at), end: at + 1 }
}
