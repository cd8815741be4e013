/** Recognizes audio files by their first bytes. */
import { openRegular } from './open-regular.ts'

/** First bytes of the containers that audio results use. Some of these containers can also hold videos. */
const SIGNATURES: readonly (readonly [offset: number, bytes: string])[] = [
  [4, 'ftyp'],
  [0, 'OggS'],
  [0, 'ID3'],
  [0, 'fLaC'],
  [8, 'WAVE'],
  [0, '\x1aE\xdf\xa3'],
]
const HEAD_BYTES = 12

/**
 * Returns whether a file begins like audio; false for anything but a regular file.
 * @throws the file system's error
 */
export async function isAudioFile(path: string): Promise<boolean> {
  await using file = await openRegular(path, 'follow')
  if (file === undefined) return false
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = buffer.toString('latin1', 0, bytesRead)
  return SIGNATURES.some(([offset, bytes]) => head.startsWith(bytes, offset)) || isMpegFrame(buffer)
}

/** An MP3 without tags begins with its first frame: eleven set bits and a layer that isn't reserved (ISO/IEC 11172-3, 2.4.1.3). */
const isMpegFrame = ([first = 0, second = 0]: Uint8Array): boolean =>
  first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0
