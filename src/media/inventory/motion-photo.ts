/** Finds the video that a phone has appended to a photo, whether or not the photo's metadata announces it. */
import { boxIn } from '../../node/media-header/heif-boxes.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import type { SourceFormat } from '../image/sharp-source.ts'

/** Type of an MP4's first box. Follows the box's length. */
const FILE_TYPE = Buffer.from('ftyp', 'latin1')
/** The box that holds the video in HEIC. */
const VIDEO_BOX = 'mpvd'
/** Maximum number of attempts to find the video. A hostile file may repeat the beginning of an MP4. */
const MOST_ATTEMPTS = 16

/** Returns the video's length in seconds: 0 if it is unknown; undefined without a video, or if a JPEG's video can't be read. */
export function motionPhotoSeconds(file: Buffer, format: SourceFormat): number | undefined {
  if (format === 'jpeg') return secondsAfterJpeg(file)
  if (format !== 'heic' && format !== 'avif') return undefined
  const box = unlessTooShort(() => boxIn(file, 0, file.length, VIDEO_BOX))
  return box && (secondsOf(file.subarray(box.body, box.end)) ?? 0)
}

function secondsAfterJpeg(file: Buffer): number | undefined {
  let at = file.indexOf(FILE_TYPE)
  for (let left = MOST_ATTEMPTS; at >= 4 && left > 0; left--) {
    const seconds = secondsOf(file.subarray(at - 4))
    if (seconds !== undefined) return seconds
    at = file.indexOf(FILE_TYPE, at + 4)
  }
  return undefined
}

/** @param content begins with the video. Other data may follow it */
function secondsOf(content: Buffer): number | undefined {
  return unlessTooShort(() => {
    const head = boxIn(content, 0, content.length, 'moov', 'mvhd')
    if (head === undefined) return undefined
    const isLong = content.readUInt8(head.body) === 1
    const scale = content.readUInt32BE(head.body + (isLong ? 20 : 12))
    const length = isLong
      ? Number(content.readBigUInt64BE(head.body + 24))
      : content.readUInt32BE(head.body + 16)
    // All bits are set if the length isn't known.
    const isKnown = scale > 0 && length < (isLong ? 2 ** 64 : 2 ** 32 - 1)
    return isKnown ? length / scale : 0
  })
}
