/**
 * Recognizes user data that belongs to the picture: captions, the part of the frame that is shown, dynamic HDR. Codecs have the same
 * messages in different places.
 */

const isCaptionOrBars = (atsc: Buffer): boolean =>
  // ATSC A/53, part 4, 6.2: captions and bars.
  (atsc.toString('latin1', 0, 4) === 'GA94' && (atsc[4] === 3 || atsc[4] === 6)) ||
  // Active format description.
  atsc.toString('latin1', 0, 4) === 'DTG1'

/** Countries and providers of dynamic HDR (ITU-T T.35): Samsung's HDR10+, Dolby Vision, SMPTE ST 2094-50, HDR Vivid. */
const HDR = ['b5003c', 'b5003b', 'b50090', '260004']
/** ATSC, and DirecTV, which sends the same captions. */
const ATSC = 'b50031'
const DIRECTV = 'b5002f'
/** Noise that AV1 decoders add. */
const NOISE = 'b55890'

/** @param message as ITU-T T.35 defines it, with its country and provider */
export function isPictureMessage(message: Buffer): boolean {
  const sender = message.toString('hex', 0, 3)
  if (sender === ATSC) return isCaptionOrBars(message.subarray(3))
  return sender === DIRECTV || sender === NOISE || HDR.includes(sender)
}

/** Captions of DVDs, of SCTE 20 and of Dish, the arrangement of stereo 3D, and a mark of an encoder with its own tables. */
const MPEG_BEGINNINGS = ['CC\x01', '\x03', '\x05\x02', 'JP3D', '\0TMPGEXS\0']

/** @param content of user data in MPEG-1, MPEG-2 and VC-1 */
export const isPictureUserData = (content: Buffer): boolean =>
  isCaptionOrBars(content) ||
  MPEG_BEGINNINGS.some((each) => content.toString('latin1', 0, each.length) === each)
