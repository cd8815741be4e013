/** Reads and writes the container around a JPEG XL codestream (ISO/IEC 18181-2). */
import { type Box, boxesIn } from '../../node/media-header/heif-boxes.ts'
import { type CodestreamHeader, readCodestreamHeader } from '../../node/media-header/jpeg-xl-codestream.ts'
import { makeBox } from '../make-box.ts'
import { exifBlockIn, type ImageMetadata } from './heif-file.ts'
import { unpacked, withoutJpegMetadata } from './jpeg-reconstruction.ts'
import { joinPackets, MOST_PACKETS } from '../metadata/xmp-packets.ts'
import { withoutExifName } from './tiff-block.ts'

const CODESTREAM = Buffer.from([0xff, 0x0a])
const SIGNATURE_BOX = Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1')
const FILE_TYPE_BOX = makeBox('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'))
/** Box that declares a higher codestream level than most decoders support. It must come first. */
const LEVEL = 'jxll'

/** Maximum unpacked size. Exif and XMP need far less, but a few compressed bytes can expand to gigabytes. */
const MOST_UNPACKED_BYTES = 8 * 1024 * 1024

/** Returns whether the file begins with a bare codestream or a container. */
export const looksLikeJpegXl = (head: Buffer): boolean =>
  startsWith(head, CODESTREAM) || startsWith(head, SIGNATURE_BOX)

/**
 * Adds metadata to an encoded image, whose codestream already includes the color profile.
 * @param coded a bare codestream, or a container without metadata
 */
export function withMetadata(coded: Buffer, { exif, xmp }: Pick<ImageMetadata, 'exif' | 'xmp'>): Buffer {
  if (exif === undefined && xmp === undefined) return coded
  const described = [
    // The first four bytes give the offset of the Exif block after them.
    ...(exif === undefined ? [] : [makeBox('Exif', Buffer.concat([Buffer.alloc(4), withoutExifName(exif)]))]),
    ...(xmp === undefined ? [] : [makeBox('xml ', xmp)]),
  ]
  const head = [SIGNATURE_BOX, FILE_TYPE_BOX]
  if (startsWith(coded, CODESTREAM)) return Buffer.concat([...head, ...described, makeBox('jxlc', coded)])
  const boxes = boxesIn(coded, 0, coded.length)
  const boxesCalled = (...types: readonly string[]) =>
    boxes
      .filter(({ type }) => types.includes(type))
      .map(({ type, body, end }) => makeBox(type, coded.subarray(body, end)))
  return Buffer.concat([
    ...head,
    ...boxesCalled(LEVEL),
    ...described,
    ...boxesCalled('jxlc', 'jxlp', RECONSTRUCTION),
  ])
}

const RECONSTRUCTION = 'jbrd'

/**
 * Returns a copy without any metadata and with the same coded pixels. If the file was made from a JPEG, that JPEG can still be
 * reconstructed without its metadata, unless only metadata turns it upright.
 * @param coded the codestream of the file, without what follows it
 * @throws RangeError if the file has too many boxes
 */
export function withoutMetadata(file: Buffer, coded: Buffer): Buffer {
  if (startsWith(file, CODESTREAM)) return coded
  const boxes = boxesIn(file, 0, file.length)
  const contentOf = (wanted: string): Buffer | undefined => {
    const box = boxes.find(({ type }) => type === wanted)
    return box && file.subarray(box.body, box.end)
  }
  const level = contentOf(LEVEL)?.subarray(0, 1)
  // The JPEG's orientation is metadata, so without it, the JPEG wouldn't be upright.
  const stored = headerOf(coded).orientation === 1 ? contentOf(RECONSTRUCTION) : undefined
  const reconstruction = stored && withoutJpegMetadata(stored)
  return Buffer.concat([
    SIGNATURE_BOX,
    FILE_TYPE_BOX,
    ...(level === undefined ? [] : [makeBox(LEVEL, level)]),
    ...(reconstruction === undefined ? [] : [makeBox(RECONSTRUCTION, reconstruction)]),
    makeBox('jxlc', coded),
  ])
}

/**
 * Returns the first Exif block and the joined XMP. Doesn't decompress anything else.
 * @throws RangeError if a box ends before its content does
 */
export function readMetadata(file: Buffer): Pick<ImageMetadata, 'exif' | 'xmp'> {
  if (startsWith(file, CODESTREAM)) return {}
  const boxes = boxesIn(file, 0, file.length)
  let room = MOST_UNPACKED_BYTES
  const contentOf = ({ type, body, end }: Box): Buffer | undefined => {
    const content = file.subarray(body, end)
    if (type !== PACKED) return content
    const plain = unpacked(content.subarray(4), room)
    room -= plain?.length ?? 0
    return plain
  }
  const allOf = (wanted: string) => boxes.filter((box) => actualType(file, box) === wanted)
  const [exif] = allOf('Exif')
  return {
    exif: exif && exifBlockIn(contentOf(exif)),
    ...joinPackets(allOf('xml ').slice(0, MOST_PACKETS).map(contentOf)),
  }
}

/** Box type of Brotli-compressed content. The box begins with the content's own type. */
const PACKED = 'brob'

const actualType = (file: Buffer, { type, body }: Box): string =>
  type === PACKED ? file.toString('latin1', body, body + 4) : type

/** @param coded as `codestreamOf` returns it */
export const headerOf = (coded: Buffer): CodestreamHeader =>
  readCodestreamHeader(coded.subarray(CODESTREAM.length))

/**
 * Returns the coded pixels without the container. A decoder that gets the container unpacks every compressed box, even if its content isn't
 * needed. A few kilobytes can become gigabytes.
 * @returns undefined if the file has no image
 * @throws RangeError if the file has too many boxes
 */
export function codestreamOf(file: Buffer): Buffer | undefined {
  if (startsWith(file, CODESTREAM)) return file.length < 12 ? undefined : file
  const boxes = boxesIn(file, 0, file.length)
  const whole = boxes.find(({ type }) => type === 'jxlc')
  // The box of a partial codestream begins with its index.
  const parts = boxes
    .filter(({ type }) => type === 'jxlp')
    .map(({ body, end }) => file.subarray(body + 4, end))
  const coded = whole === undefined ? Buffer.concat(parts) : file.subarray(whole.body, whole.end)
  return startsWith(coded, CODESTREAM) && coded.length >= 12 ? coded : undefined
}

const startsWith = (bytes: Buffer, start: Buffer): boolean => bytes.subarray(0, start.length).equals(start)
