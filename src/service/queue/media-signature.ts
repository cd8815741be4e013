import type { MediaKind } from '../../shared/media-types.ts'

/** How many bytes from a file's beginning are enough. */
export const SIGNATURE_BYTES = 32

type Signature = { readonly kind: MediaKind; readonly offset: number; readonly bytes: Uint8Array }

const signature = (kind: MediaKind, offset: number, bytes: string): Signature => ({
  kind,
  offset,
  bytes: Buffer.from(bytes, 'latin1'),
})

/** The most specific first: RIFF holds both pictures and films, and so does the ISO container. */
const SIGNATURES: readonly Signature[] = [
  signature('image', 0, '\xff\xd8\xff'),
  signature('image', 0, '\x89PNG\r\n\x1a\n'),
  signature('image', 0, 'GIF8'),
  signature('image', 8, 'WEBP'),
  signature('image', 0, 'BM'),
  signature('image', 0, 'II*\0'),
  signature('image', 0, 'MM\0*'),
  signature('image', 0, 'II+\0'),
  signature('image', 0, 'MM\0+'),
  ...[
    'heic',
    'heix',
    'heim',
    'heis',
    'hevc',
    'hevx',
    'hevm',
    'hevs',
    'mif1',
    'msf1',
    'mif2',
    'avif',
    'avis',
  ].map((brand) => signature('image', 4, `ftyp${brand}`)),
  signature('video', 4, 'ftyp'),
  // QuickTime before it had a file type of its own begins with any of these.
  ...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((atom) => signature('video', 4, atom)),
  signature('video', 8, 'AVI '),
  signature('video', 0, '\x1aE\xdf\xa3'),
  // Other films that people keep under one of the supported names; the decoder tells them apart by content.
  signature('video', 0, '\0\0\x01\xba'),
  signature('video', 0, '\0\0\x01\xb3'),
  signature('video', 0, 'FLV'),
  signature('video', 0, 'OggS'),
  signature('video', 0, '0&\xb2u\x8ef\xcf\x11'),
]

/** What a file is by its first bytes, whatever its name says; undefined where they are of neither kind. */
export function mediaKindOfContent(head: Uint8Array): MediaKind | undefined {
  return SIGNATURES.find(({ offset, bytes }) => bytes.every((byte, index) => head[offset + index] === byte))
    ?.kind
}
