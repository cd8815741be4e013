/**
 * Recognizes media files by their first bytes, regardless of their names. The service, the intake and downloads all use this table.
 */
import type { MediaKind } from '../shared/media-types.ts'
import { openRegular } from './open-regular.ts'

export type MediaContent = {
  readonly kind: MediaKind
  /** Valid extensions without the dot, the most common one first. */
  readonly extensions: readonly [string, ...string[]]
}

/** Number of bytes at the start of a file that are enough to recognize it. */
const SIGNATURE_BYTES = 32

type Part = { readonly offset: number; readonly bytes: Uint8Array }
/** A file matches if all parts match. */
type Signature = MediaContent & { readonly parts: readonly Part[] }

const part = (offset: number, bytes: string): Part => ({ offset, bytes: Buffer.from(bytes, 'latin1') })
const signature = (
  kind: MediaKind,
  extensions: MediaContent['extensions'],
  offset: number,
  bytes: string,
): Signature => ({ kind, extensions, parts: [part(offset, bytes)] })
/** In RIFF files, the content type follows the length. */
const riff = (kind: MediaKind, extension: string, form: string): Signature => ({
  kind,
  extensions: [extension],
  parts: [part(0, 'RIFF'), part(8, form)],
})

const TIFF = ['tiff', 'tif'] as const
const ISO_VIDEO = ['mp4', 'mov', 'm4v'] as const
const HEIF = ['heic', 'heif', 'avif'] as const

/** The most specific signatures come first, because ISO containers hold both images and videos. */
const SIGNATURES: readonly Signature[] = [
  signature('image', ['jpg', 'jpeg'], 0, '\xff\xd8\xff'),
  signature('image', ['png'], 0, '\x89PNG\r\n\x1a\n'),
  signature('image', ['gif'], 0, 'GIF87a'),
  signature('image', ['gif'], 0, 'GIF89a'),
  riff('image', 'webp', 'WEBP'),
  signature('image', ['bmp'], 0, 'BM'),
  signature('image', TIFF, 0, 'II*\0'),
  signature('image', TIFF, 0, 'MM\0*'),
  signature('image', TIFF, 0, 'II+\0'),
  signature('image', TIFF, 0, 'MM\0+'),
  signature('image', ['jxl'], 0, '\0\0\0\x0cJXL \r\n\x87\n'),
  signature('image', ['jxl'], 0, '\xff\n'),
  ...['avif', 'avis'].map((brand) => signature('image', ['avif'], 4, `ftyp${brand}`)),
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1', 'mif2'].map((brand) =>
    signature('image', HEIF, 4, `ftyp${brand}`),
  ),
  signature('video', ['mov', 'mp4', 'm4v'], 4, 'ftypqt  '),
  signature('video', ISO_VIDEO, 4, 'ftyp'),
  // QuickTime files that predate `ftyp` begin with any of these.
  ...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((atom) =>
    signature('video', ['mov', 'mp4', 'm4v'], 4, atom),
  ),
  riff('video', 'avi', 'AVI '),
  signature('video', ['mkv', 'webm'], 0, '\x1aE\xdf\xa3'),
  // Other video formats that users may store under a supported extension. The decoder identifies them by content.
  signature('video', ['mpg', 'mpeg'], 0, '\0\0\x01\xba'),
  signature('video', ['mpg', 'mpeg'], 0, '\0\0\x01\xb3'),
  signature('video', ['flv'], 0, 'FLV\x01'),
  signature('video', ['ogv', 'ogg'], 0, 'OggS'),
  signature('video', ['wmv', 'asf'], 0, '0&\xb2u\x8ef\xcf\x11'),
]

/** Returns undefined if the first bytes match neither a photo nor a video. */
export function readMediaContent(head: Uint8Array): MediaContent | undefined {
  const isThere = ({ offset, bytes }: Part) => bytes.every((byte, index) => head[offset + index] === byte)
  return SIGNATURES.find(({ parts }) => parts.every(isThere))
}

/**
 * Reads the first bytes of a file and recognizes its content.
 * @returns undefined if the content isn't recognized or it isn't a regular file
 * @throws the file system's error
 */
export async function mediaContentOf(path: string): Promise<MediaContent | undefined> {
  const file = await openRegular(path, 'follow')
  if (file === undefined) return undefined
  try {
    const head = new Uint8Array(SIGNATURE_BYTES)
    const { bytesRead } = await file.read(head, 0, SIGNATURE_BYTES, 0)
    return readMediaContent(head.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}
