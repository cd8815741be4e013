/** Recognizes media files by their first bytes, regardless of their names. The service, the intake and downloads all use this table. */
import type { FileHandle } from 'node:fs/promises'
import type { MediaKind } from '../shared/media-types.ts'
import { openRegular } from './open-regular.ts'

export type MediaContent = {
  readonly kind: MediaKind
  /** Valid extensions without the dot, the most common one first. */
  readonly extensions: readonly [string, ...string[]]
  /** Whether other files, such as text and audio files, may begin with the same bytes. If so, the name must match as well. */
  readonly isWeak?: boolean
}

/** Number of bytes at the start of a file that are enough to recognize it. */
export const SIGNATURE_BYTES = 400

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

/**
 * MPEG-TS has no file header. Each packet starts with the same byte. In recordings from cameras and discs, a four-byte timestamp precedes
 * that byte.
 */
const transportStream = (
  extensions: MediaContent['extensions'],
  offset: number,
  size: number,
): Signature => ({
  kind: 'video',
  extensions,
  parts: [0, 1, 2].map((packet) => part(offset + packet * size, 'G')),
})

const TIFF = ['tiff', 'tif'] as const
const QUICKTIME_ATOMS = 'moov mdat wide free skip pnot junk pict prfl udta uuid styp'.split(' ')

const SIGNATURES: readonly Signature[] = [
  signature('image', ['jpg', 'jpeg'], 0, '\xff\xd8\xff'),
  signature('image', ['png'], 0, '\x89PNG\r\n\x1a\n'),
  signature('image', ['gif'], 0, 'GIF87a'),
  signature('image', ['gif'], 0, 'GIF89a'),
  riff('image', 'webp', 'WEBP'),
  ...[12, 40, 52, 56, 64, 108, 124].map((size): Signature => ({
    ...signature('image', ['bmp'], 0, 'BM'),
    parts: [part(0, 'BM'), part(14, `${String.fromCharCode(size)}\0\0\0`)],
  })),
  { ...signature('image', ['bmp'], 0, 'BM'), isWeak: true },
  signature('image', TIFF, 0, 'II*\0'),
  signature('image', TIFF, 0, 'MM\0*'),
  signature('image', TIFF, 0, 'II+\0'),
  signature('image', TIFF, 0, 'MM\0+'),
  signature('image', ['jxl'], 0, '\0\0\0\x0cJXL \r\n\x87\n'),
  { ...signature('image', ['jxl'], 0, '\xff\n'), isWeak: true },
  // QuickTime files that predate `ftyp` begin with one of these. So do files that start with a box that players skip, such as free space.
  ...QUICKTIME_ATOMS.map((atom): Signature => ({
    ...signature('video', ['mov', 'mp4', 'm4v'], 4, atom),
    isWeak: true,
  })),
  riff('video', 'avi', 'AVI '),
  // Players open these, too.
  riff('video', 'avi', 'AVIX'),
  riff('video', 'avi', 'AVI\x19'),
  signature('video', ['mkv', 'webm'], 0, '\x1aE\xdf\xa3'),
  // Other video formats that users may store under a supported extension. The decoder identifies them by content.
  signature('video', ['mpg', 'mpeg'], 0, '\0\0\x01\xba'),
  signature('video', ['mpg', 'mpeg'], 0, '\0\0\x01\xb3'),
  transportStream(['ts', 'mts', 'm2ts'], 0, 188),
  transportStream(['ts', 'mts', 'm2ts'], 4, 192),
  signature('video', ['flv'], 0, 'FLV\x01'),
  signature('video', ['ogv', 'ogg'], 0, 'OggS'),
  signature('video', ['wmv', 'asf'], 0, '0&\xb2u\x8ef\xcf\x11'),
]

/** Recognizes a file by its first bytes; undefined if they match neither a photo nor a video. */
export function readMediaContent(head: Uint8Array): MediaContent | undefined {
  const isThere = ({ offset, bytes }: Part) => bytes.every((byte, index) => head[offset + index] === byte)
  if (isThere(FILE_TYPE)) return isoContent(brandsIn(Buffer.from(head)))
  const found = SIGNATURES.find(({ parts }) => parts.every(isThere))
  if (found !== undefined || !isThere(START_OF_JPEG)) return found
  return FIRST_SEGMENT.test(Buffer.from(head).toString('latin1')) ? JPEG_WITH_STRAY_BYTES : undefined
}

const START_OF_JPEG = part(0, '\xff\xd8')
/** The marker of a segment that may come first in a JPEG, after the start marker. Decoders skip stray bytes before it. */
const FIRST_SEGMENT = /\xff[\xc0-\xcf\xdb\xdd\xe0-\xef\xfe]/
const JPEG_WITH_STRAY_BYTES: MediaContent = {
  kind: 'image',
  extensions: ['jpg', 'jpeg', 'jfif', 'jpe'],
  isWeak: true,
}

const FILE_TYPE = part(4, 'ftyp')

const AVIF_BRANDS: readonly string[] = ['avif', 'avis', 'MA1A', 'MA1B']
const HEIC_BRANDS: readonly string[] = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']
/** Brands that don't show which codec is used, and those of codecs that are rare in images. */
const IMAGE_BRANDS: readonly string[] =
  'mif1 msf1 mif2 mif3 miaf avci avcs jpeg jpgs j2ki j2is vvic vvis unif'.split(' ')
const AUDIO_BRANDS: readonly string[] = ['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B ']

/** Returns the major brand of an ISO container, then the compatible brands that fit into the first bytes. */
function brandsIn(head: Buffer): readonly string[] {
  const end = Math.min(head.length, head.readUInt32BE(0))
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}

/** Returns the content of an ISO container, which holds images, videos or audio (ISO/IEC 14496-12, 4.3). */
function isoContent([major = '', ...compatible]: readonly string[]): MediaContent {
  if (AVIF_BRANDS.includes(major)) return { kind: 'image', extensions: ['avif'] }
  if (HEIC_BRANDS.includes(major)) return { kind: 'image', extensions: ['heic', 'heif', 'avif'] }
  if (IMAGE_BRANDS.includes(major)) {
    const isAvif = compatible.some((brand) => AVIF_BRANDS.includes(brand))
    const isHeic = compatible.some((brand) => HEIC_BRANDS.includes(brand))
    return { kind: 'image', extensions: isAvif && !isHeic ? ['avif', 'heif'] : ['heic', 'heif', 'avif'] }
  }
  if (major === 'qt  ') return { kind: 'video', extensions: ['mov', 'mp4', 'm4v'] }
  const isWeak = AUDIO_BRANDS.includes(major)
  return { kind: 'video', extensions: ['mp4', 'mov', 'm4v'], ...(isWeak ? { isWeak } : {}) }
}

/**
 * Reads the first bytes of a file and recognizes its content.
 * @returns undefined if the content isn't recognized, and for anything but a regular file
 * @throws the file system's error
 */
export async function mediaContentOf(path: string): Promise<MediaContent | undefined> {
  await using file = await openRegular(path, 'follow')
  if (file === undefined) return undefined
  return readMediaContent(await headOf(file))
}

/** Reads the first bytes of a file, which are enough to recognize its content. */
export async function headOf(file: FileHandle): Promise<Uint8Array> {
  const head = new Uint8Array(SIGNATURE_BYTES)
  const { bytesRead } = await file.read(head, 0, SIGNATURE_BYTES, 0)
  return head.subarray(0, bytesRead)
}
