/** Finds text and other content that is coded together with pixels, in AV1 and HEVC. */

/**
 * Returns whether an item has, or may have, data other than its pixels and the parameters for showing them.
 * @param type of the item
 * @param parameters of HEVC, which may also contain messages
 */
export function hasUserData(
  type: string,
  coded: Buffer | undefined,
  parameters: Buffer | undefined,
): boolean {
  if (coded === undefined) return true
  if (type === 'av01') return av1HasMore(coded)
  return type === 'hvc1' && (parameters === undefined || hevcHasMore(coded, parameters))
}

const [METADATA, AV1_PADDING] = [5, 15]
/** Content light level and mastering display. */
const AV1_HDR: ReadonlySet<number> = new Set([1, 2])

/** Checks the units of an AV1 image (AV1 specification, 5.3). */
function av1HasMore(coded: Buffer): boolean {
  for (let at = 0; at < coded.length;) {
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
    if (type === AV1_PADDING || (type === METADATA && !AV1_HDR.has(coded.readUInt8(at)))) return true
    at += length
  }
  return false
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

/** Units with messages (ITU-T H.265, 7.4.2.2). Those with lower numbers have parameters and pixels. */
const [LAST_CODED, MESSAGES] = [38, [39, 40]]
/** Decoded picture hash, mastering display, content light level, alternative transfer, ambient viewing environment (D.2.1). */
const KNOWN_MESSAGES: ReadonlySet<number> = new Set([132, 137, 144, 147, 148])
const USER_DATA = 5
/** Identifies a message with x265's options. */
const X265 = '2ca2de09b51747dbbb55a4fe7fc2fc4e'
/** Offsets in the parameters (ISO/IEC 14496-15, 8.3.3.1). */
const [LENGTH_AT, ARRAYS_AT] = [21, 22]

/**
 * Checks the units of a HEVC image and of its parameters.
 * @throws RangeError if a unit ends early
 */
function hevcHasMore(coded: Buffer, parameters: Buffer): boolean {
  const lengthBytes = (parameters.readUInt8(LENGTH_AT) & 3) + 1
  for (let at = 0; at < coded.length;) {
    const length = coded.readUIntBE(at, lengthBytes)
    at += lengthBytes
    if (isMore(coded.subarray(at, at + length))) return true
    at += length
  }
  let at = ARRAYS_AT + 1
  for (let arrays = parameters.readUInt8(ARRAYS_AT); arrays > 0; arrays--) {
    let units = parameters.readUInt16BE(at + 1)
    at += 3
    for (; units > 0; units--) {
      const length = parameters.readUInt16BE(at)
      if (isMore(parameters.subarray(at + 2, at + 2 + length))) return true
      at += 2 + length
    }
  }
  return at !== parameters.length
}

function isMore(unit: Buffer): boolean {
  const type = (unit.readUInt8(0) >> 1) & 63
  if (type <= LAST_CODED) return false
  if (!MESSAGES.includes(type)) return true
  // A unit may have several messages. A single bit marks their end.
  for (let at = 2; at < unit.length - 1;) {
    const kind = variable(unit, at)
    const length = variable(unit, kind.end)
    const content = unit.subarray(length.end, length.end + length.value)
    const isEncoder = kind.value === USER_DATA && content.toString('hex', 0, 16) === X265
    if (!isEncoder && !KNOWN_MESSAGES.has(kind.value)) return true
    at = length.end + length.value
  }
  return false
}

/** Reads a number that is the sum of its bytes: zero or more bytes of 255, then a smaller one. */
function variable(unit: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start
  while (unit.readUInt8(at) === 0xff) at++
  return { value: (at - start) * 0xff + unit.readUInt8(at), end: at + 1 }
}
