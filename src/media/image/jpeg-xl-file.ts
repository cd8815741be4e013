/** What lies around the coded picture in a JPEG XL file (ISO/IEC 18181-2), and the size at its very beginning (18181-1). */
import { brotliDecompressSync } from 'node:zlib'
import { boxesIn } from './heif-boxes.ts'
import type { Extent } from './geometry.ts'
import type { PictureMetadata } from './heif-file.ts'

const CODESTREAM = Buffer.from([0xff, 0x0a])
const SIGNATURE_BOX = Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1')
const FILE_TYPE_BOX = box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'))
/** A picture that needs more than most decoders for it promise says so before anything else. */
const LEVEL = 'jxll'

/** Far more than any metadata needs; a few bytes that were squeezed can claim to be gigabytes. */
const MOST_METADATA_BYTES = 64 * 1024 * 1024

/** By its first bytes: a bare picture, or one in a container. */
export const looksLikeJpegXl = (head: Buffer): boolean =>
  startsWith(head, CODESTREAM) || startsWith(head, SIGNATURE_BOX)

/**
 * The picture as the encoder gave it, with its metadata beside it. The colour profile is a part of the picture already.
 *
 * @param coded bare, or in a container without metadata
 */
export function withMetadata(coded: Buffer, { exif, xmp }: Pick<PictureMetadata, 'exif' | 'xmp'>): Buffer {
  if (exif === undefined && xmp === undefined) return coded
  const described = [
    // Its first four bytes say how far behind them the block begins.
    ...(exif === undefined ? [] : [box('Exif', Buffer.concat([Buffer.alloc(4), withoutPrefix(exif)]))]),
    ...(xmp === undefined ? [] : [box('xml ', xmp)]),
  ]
  const head = [SIGNATURE_BOX, FILE_TYPE_BOX]
  if (startsWith(coded, CODESTREAM)) return Buffer.concat([...head, ...described, box('jxlc', coded)])
  const boxes = boxesIn(coded, 0, coded.length)
  const boxesCalled = (...types: readonly string[]) =>
    boxes
      .filter(({ type }) => types.includes(type))
      .map(({ type, body, end }) => box(type, coded.subarray(body, end)))
  return Buffer.concat([...head, ...boxesCalled(LEVEL), ...described, ...boxesCalled('jxlc', 'jxlp')])
}

/** @throws RangeError where a box ends before what it has to hold */
export function readMetadata(file: Buffer): Pick<PictureMetadata, 'exif' | 'xmp'> {
  if (startsWith(file, CODESTREAM)) return {}
  const boxes = new Map(
    boxesIn(file, 0, file.length)
      .toReversed()
      .map(({ type, body, end }) => {
        const content = file.subarray(body, end)
        // Squeezed by Brotli, behind the type that it has in truth.
        return type === 'brob' ? [content.toString('latin1', 0, 4), squeezed(content)] : [type, content]
      }),
  )
  const exif = boxes.get('Exif')
  const block = exif && exif.length > 12 ? exif.subarray(4 + exif.readUInt32BE(0)) : undefined
  return { exif: block !== undefined && block.length > 8 ? block : undefined, xmp: boxes.get('xml ') }
}

function squeezed(content: Buffer): Buffer | undefined {
  if (!['Exif', 'xml '].includes(content.toString('latin1', 0, 4))) return undefined
  try {
    return brotliDecompressSync(content.subarray(4), { maxOutputLength: MOST_METADATA_BYTES })
  } catch {
    // A picture is worth more than what is said of it.
    return undefined
  }
}

/** Width to height, by the number that stands for it (18181-1, table "Aspect ratio"). */
const RATIOS = [undefined, [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]] as const
const SIDE_BITS = [9, 13, 18, 30] as const

/** As stored, before it is turned. @returns undefined where no picture begins */
export function sizeOf(file: Buffer): Extent | undefined {
  const coded = codestreamOf(file)
  if (coded === undefined || coded.length < 12) return undefined
  const bits = bitsFrom(coded.subarray(CODESTREAM.length))
  const isSmall = bits(1) === 1
  const side = () => (isSmall ? (bits(5) + 1) * 8 : bits(SIDE_BITS[bits(2)] ?? 0) + 1)
  const height = side()
  const ratio = RATIOS[bits(3)]
  return { width: ratio === undefined ? side() : Math.floor((height * ratio[0]) / ratio[1]), height }
}

function codestreamOf(file: Buffer): Buffer | undefined {
  if (startsWith(file, CODESTREAM)) return file
  const first = boxesIn(file, 0, file.length).find(({ type }) => type === 'jxlc' || type === 'jxlp')
  if (first === undefined) return undefined
  // A part of a picture begins with its number.
  const coded = file.subarray(first.type === 'jxlp' ? first.body + 4 : first.body, first.end)
  return startsWith(coded, CODESTREAM) ? coded : undefined
}

/** Numbers with their lowest bit first. */
function bitsFrom(bytes: Buffer): (count: number) => number {
  let at = 0
  return (count) => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit
    return value
  }
}

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')
const withoutPrefix = (exif: Buffer): Buffer =>
  startsWith(exif, EXIF_PREFIX) ? exif.subarray(EXIF_PREFIX.length) : exif

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(16)
  head.write(type, 4, 'latin1')
  if (content.length + 8 < 2 ** 32) {
    head.writeUInt32BE(content.length + 8, 0)
    return Buffer.concat([head.subarray(0, 8), content])
  }
  head.writeUInt32BE(1, 0)
  head.writeBigUInt64BE(BigInt(content.length + 16), 8)
  return Buffer.concat([head, content])
}

const startsWith = (bytes: Buffer, start: Buffer): boolean => bytes.subarray(0, start.length).equals(start)
