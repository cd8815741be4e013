/** What a file holds by its first bytes, whatever its name says. The only such table: service, intake and downloads share it. */
import { open } from 'node:fs/promises'
import type { MediaKind } from '../shared/media-types.ts'

export type MediaContent = {
  readonly kind: MediaKind
  /** The endings that such a file may have, without the dot, the usual one first. */
  readonly extensions: readonly [string, ...string[]]
}

/** How many bytes from a file's beginning are enough. */
const SIGNATURE_BYTES = 32

type Part = { readonly offset: number; readonly bytes: Uint8Array }
/** All parts have to be there. */
type Signature = MediaContent & { readonly parts: readonly Part[] }

const part = (offset: number, bytes: string): Part => ({ offset, bytes: Buffer.from(bytes, 'latin1') })
const signature = (
  kind: MediaKind,
  extensions: MediaContent['extensions'],
  offset: number,
  bytes: string,
): Signature => ({ kind, extensions, parts: [part(offset, bytes)] })
/** RIFF says what it holds behind its length. */
const riff = (kind: MediaKind, extension: string, form: string): Signature => ({
  kind,
  extensions: [extension],
  parts: [part(0, 'RIFF'), part(8, form)],
})

const TIFF = ['tiff', 'tif'] as const
const ISO_FILM = ['mp4', 'mov', 'm4v'] as const
const HEIF = ['heic', 'heif', 'avif'] as const

/** The most specific first: the ISO container holds both pictures and films. */
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
  signature('video', ISO_FILM, 4, 'ftyp'),
  // QuickTime before it had a file type of its own begins with any of these.
  ...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((atom) =>
    signature('video', ['mov', 'mp4', 'm4v'], 4, atom),
  ),
  riff('video', 'avi', 'AVI '),
  signature('video', ['mkv', 'webm'], 0, '\x1aE\xdf\xa3'),
  // Other films that people keep under one of the supported names; the decoder tells them apart by content.
  signature('video', ['mpg', 'mpeg'], 0, '\0\0\x01\xba'),
  signature('video', ['mpg', 'mpeg'], 0, '\0\0\x01\xb3'),
  signature('video', ['flv'], 0, 'FLV\x01'),
  signature('video', ['ogv', 'ogg'], 0, 'OggS'),
  signature('video', ['wmv', 'asf'], 0, '0&\xb2u\x8ef\xcf\x11'),
]

/** @returns undefined where the first bytes are those of neither photo nor video */
export function readMediaContent(head: Uint8Array): MediaContent | undefined {
  const isThere = ({ offset, bytes }: Part) => bytes.every((byte, index) => head[offset + index] === byte)
  return SIGNATURES.find(({ parts }) => parts.every(isThere))
}

/** Reads a few bytes of a regular file. @throws what the file system says */
export async function mediaContentOf(path: string): Promise<MediaContent | undefined> {
  const file = await open(path, 'r')
  try {
    const head = new Uint8Array(SIGNATURE_BYTES)
    const { bytesRead } = await file.read(head, 0, SIGNATURE_BYTES, 0)
    return readMediaContent(head.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}
