/** Finds what a photo's file contains in addition to its image and its metadata: appended data, credentials, layers, and paths. */
import { type Box, boxesIn } from '../../node/media-header/heif-boxes.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { endOfGif } from '../image/gif-blocks.ts'
import { isNamed, MARKERS, segmentsOf } from '../image/jpeg-segments.ts'
import type { SourceFormat } from '../image/sharp-source.ts'
import { WEBP_HEAD_BYTES, webpChunks } from '../image/webp-chunks.ts'
import { bytesOf } from '../metadata/exif-directories.ts'
import { isXmp } from '../metadata/xmp-packets.ts'
import { hasPath } from '../metadata/iptc.ts'
import { PHOTOSHOP_NAME } from '../metadata/jpeg-metadata.ts'
import { NOTHING_IN_TIFF, type TiffParts } from './tiff-parts.ts'
import { type AppendedParts, appendedParts, type Known, NOTHING_APPENDED } from './appended-parts.ts'

export type FileParts = AppendedParts & TiffParts

export const NO_PARTS: FileParts = { ...NOTHING_APPENDED, ...NOTHING_IN_TIFF }

/** @param format any but TIFF, which isn't read as a whole */
export function fileParts(file: Buffer, format: SourceFormat, known: Known): FileParts {
  if (format === 'bmp') return NO_PARTS
  return unlessTooShort(() => partsOf(file, format, known)) ?? NO_PARTS
}

function partsOf(file: Buffer, format: SourceFormat, known: Known): FileParts {
  switch (format) {
    case 'jpeg':
      return { ...NO_PARTS, ...partsOfSegments(file), ...appendedParts(file, known) }
    case 'png':
      return partsOfChunks(file, partsOfPng(file))
    case 'webp':
      return partsOfChunks(file, partsOfWebp(file))
    case 'gif':
      return { ...NO_PARTS, appendedData: hasContent(file.subarray(endOfGif(file))) }
    default:
      return partsOfBoxes(file)
  }
}

/** JPEG universal metadata box format (JUMBF, ISO/IEC 19566-5). C2PA stores its manifests in these boxes. */
const BOX_NAME = 'JP'
const BOX_TYPE = 'jumb'

function partsOfSegments(file: Buffer): Pick<FileParts, 'contentCredentials' | 'clippingPath'> {
  const segments = segmentsOf(file)
  const resources = segments
    .filter((one) => one.marker === MARKERS.APP13 && isNamed(file, one, PHOTOSHOP_NAME))
    .map(({ body, end }) => file.subarray(body + PHOTOSHOP_NAME.length, end))
  return {
    contentCredentials: segments.some(
      (one) =>
        one.marker === MARKERS.APP11 &&
        isNamed(file, one, BOX_NAME) &&
        file.subarray(one.body, one.end).includes(BOX_TYPE),
    ),
    clippingPath: hasPath(Buffer.concat(resources)),
  }
}

/** Returns whether bytes are more than padding. */
export const hasContent = (bytes: Buffer): boolean => bytes.some((byte) => byte !== 0)

type Chunks = { readonly types: ReadonlySet<string>; readonly end: number }

/** Chunks that hold C2PA manifests in PNG and WebP. */
const CREDENTIALS = ['caBX', 'C2PA']
/** The chunk in which Adobe Fireworks keeps its layers. */
const LAYERS = 'mkBT'

const partsOfChunks = (file: Buffer, { types, end }: Chunks): FileParts => ({
  ...NO_PARTS,
  contentCredentials: CREDENTIALS.some((type) => types.has(type)),
  layers: types.has(LAYERS),
  appendedData: hasContent(file.subarray(end)),
})

function partsOfPng(file: Buffer): Chunks {
  const types = new Set<string>()
  for (let at = 8; at + 12 <= file.length;) {
    const type = file.toString('latin1', at + 4, at + 8)
    types.add(type)
    at += 12 + file.readUInt32BE(at)
    if (type === 'IEND') return { types, end: at }
  }
  return { types, end: file.length }
}

function partsOfWebp(file: Buffer): Chunks {
  const end = Math.min(file.length, 8 + file.readUInt32LE(4))
  const chunks = webpChunks(bytesOf(file), WEBP_HEAD_BYTES, end)
  return { types: new Set(chunks.map(({ type }) => type)), end }
}

/** UUID of C2PA's box in HEIF, MP4 and QuickTime, in hexadecimal. JPEG XL has a separate box. */
export const CREDENTIALS_ID = 'd8fec3d61b0e483c92975828877ec481'

function partsOfBoxes(file: Buffer): FileParts {
  const boxes = boxesIn(file, 0, file.length)
  const other = boxes.findIndex(({ type, end }) => end > file.length || !/^[\x20-\x7e\xa9]{4}$/.test(type))
  const end = boxes.slice(0, other < 0 ? boxes.length : other).at(-1)?.end ?? file.length
  return {
    ...NO_PARTS,
    contentCredentials: boxes.some(holdsCredentials(file)),
    appendedData: hasContent(file.subarray(end)) || hasMoreXml(file, boxes),
  }
}

/** Returns whether one of several packets isn't XMP. A single packet isn't checked, because it is always read as XMP. */
function hasMoreXml(file: Buffer, boxes: readonly Box[]): boolean {
  const packets = boxes
    .filter(({ type }) => type === 'xml ')
    .map(({ body, end }) => file.subarray(body, end))
    .filter(hasContent)
  return packets.length > 1 && !packets.every(isXmp)
}

const holdsCredentials =
  (file: Buffer) =>
  ({ type, body }: { readonly type: string; readonly body: number }): boolean =>
    type === BOX_TYPE || (type === 'uuid' && file.toString('hex', body, body + 16) === CREDENTIALS_ID)
