/**
 * Recognizes user data that affects what is shown: captions, bars, the active format, dynamic HDR. Codecs store the same messages in
 * different places.
 */
import { withoutZeros } from './change-parts.ts'

/** First bytes and maximum length in bytes of captions, bar data and the active format (ATSC A/53, part 4, 6.2). */
const ATSC: readonly (readonly [begins: string, longest: number])[] = [
  ['GA94\x03', 120],
  ['GA94\x06', 16],
  ['DTG1', 8],
]

const isOneOf = (kinds: typeof ATSC, content: Buffer): boolean =>
  kinds.some(
    ([begins, longest]) =>
      content.length <= longest && content.toString('latin1', 0, begins.length) === begins,
  )

/** First bytes of registered messages in hexadecimal: country, provider and type (ITU-T T.35). */
const KINDS = [
  'b5003c000104', // HDR10+
  'b5003b00000800', // Dolby Vision
  'b500900001', // SMPTE ST 2094-50
  '2600040005', // HDR Vivid
  'b5589001', // noise that AV1 decoders add
  'b5002f03', // the captions of DirecTV
]
const ATSC_PROVIDER = 'b50031'

/**
 * Returns whether a registered message affects what is shown.
 * @param message as ITU-T T.35 defines it, with its country and provider
 */
export function isPictureMessage(message: Buffer): boolean {
  const start = message.toString('hex', 0, 8)
  if (start.startsWith(ATSC_PROVIDER)) return isOneOf(ATSC, message.subarray(3))
  return KINDS.some((kind) => start.startsWith(kind))
}

/**
 * First bytes and maximum length in bytes: DVD captions, SCTE 20 captions (their second byte includes reserved bits), Dish captions, the
 * arrangement of stereo 3D, and the mark of an encoder with its own quantization matrix.
 */
const MPEG: typeof ATSC = [
  ['CC\x01', 300],
  ['\x03\x80', 160],
  ['\x03\x81', 160],
  ['\x05\x02', 120],
  ['JP3D', 9],
  ['\0TMPGEXS\0', 300],
]

/** @param content of user data in MPEG-1, MPEG-2 and VC-1 */
export const isPictureUserData = (content: Buffer): boolean =>
  isOneOf([...ATSC, ...MPEG], withoutZeros(content))
