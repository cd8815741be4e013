/** Reads and writes metadata in the chunks of a PNG (PNG, third edition). */
import { deflateSync, inflateSync } from 'node:zlib'
import { EXIF_NAME, XMP_NAME } from '../image/jpeg-segments.ts'
import { chunksOf, PNG_SIGNATURE, pngChunk } from '../image/png-chunks.ts'
import { withoutExifName } from '../image/tiff-block.ts'
import { bytesOf, type ByteSource } from './exif-directories.ts'
import { plainIptc, readResources, writeResources } from './iptc.ts'
import type { Comment, PhotoMetadata } from './photo-metadata.ts'
import { joinPackets } from './xmp-packets.ts'

const XMP_KEYWORD = 'XML:com.adobe.xmp'
/** ImageMagick and older programs write metadata as hexadecimal text. */
const RAW_PROFILE = 'Raw profile type '
/** ImageMagick adds the dates of the file to each PNG. They aren't comments, and are wrong in a copy. */
const FILE_DATES: ReadonlySet<string> = new Set(['date:create', 'date:modify', 'date:timestamp'])
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024
/** Maximum number of chunks to read. A hostile file may consist of empty chunks. */
const MOST_CHUNKS = 200_000

export function pngMetadata(source: ByteSource): PhotoMetadata {
  let [exif, iptc, raw]: (Buffer | undefined)[] = []
  const packets: (Buffer | undefined)[] = []
  let photoshop: PhotoMetadata['photoshop']
  const comments: Comment[] = []
  const unpack = unpacker()
  for (let at = PNG_SIGNATURE.length, left = MOST_CHUNKS; at + 12 <= source.length && left > 0; left--) {
    const head = source.read(at, 8)
    if (head.length < 8) break
    const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
    const body = () => source.read(at + 8, length)
    if (type === 'eXIf') exif ??= body()
    const text = TEXTS[type]?.(body(), unpack)
    if (text?.keyword === XMP_KEYWORD) packets.push(text.content)
    else if (text?.keyword.startsWith(RAW_PROFILE) === true) {
      const content = rawProfile(text.content)
      const name = text.keyword.slice(RAW_PROFILE.length).toLowerCase()
      if (name === 'xmp' || isNamed(content, XMP_NAME)) packets.push(withoutName(content, XMP_NAME))
      else if (name === 'exif' || name === 'app1') raw ??= withoutName(content, EXIF_NAME)
      else if (content !== undefined && (name === 'iptc' || name === '8bim')) {
        const resources = readResources(content)
        iptc ??= resources.iptc ?? plainIptc(content)
        photoshop ??= resources.photoshop
        raw ??= resources.exif
        packets.push(resources.xmp)
      }
    } else if (text !== undefined && text.content.length > 0 && !FILE_DATES.has(text.keyword))
      comments.push({ keyword: text.keyword, text: text.content.toString('utf8') })
    if (type === 'IEND') break
    at += 12 + length
  }
  return { exif: exif ?? raw, ...joinPackets(packets), iptc, photoshop, comments }
}

/**
 * Returns a copy with Exif where decoders look for it: in its own chunk before the pixels, without the name that it has in JPEG.
 * Otherwise, they wouldn't turn the image upright.
 * @returns undefined if that changes nothing
 */
export function withEarlyExif(png: Buffer): Buffer | undefined {
  const found = pngMetadata(bytesOf(png)).exif
  const exif = found && withoutExifName(found)
  const chunks = [...chunksOf(png)]
  const [header] = chunks
  const stored = chunks.find(({ type }) => type === 'eXIf')
  const pixels = chunks.find(({ type }) => type === 'IDAT')
  if (header === undefined || exif === undefined || pixels === undefined) return undefined
  const isPlain = stored !== undefined && stored.end - stored.at === exif.length + 12
  if (isPlain && stored.at < pixels.at) return undefined
  const { at, end } = stored ?? { at: png.length, end: png.length }
  return Buffer.concat([
    png.subarray(0, header.end),
    pngChunk('eXIf', exif),
    png.subarray(header.end, at),
    png.subarray(end),
  ])
}

type Text = { readonly keyword: string; /** In UTF-8. */ readonly content: Buffer }

type Unpack = (content: Buffer) => Buffer | undefined

const TEXTS: Readonly<Record<string, (body: Buffer, unpack: Unpack) => Text | undefined>> = {
  tEXt: (body) => after(body, (content) => Buffer.from(content.toString('latin1'))),
  // The first byte is the compression method.
  zTXt: (body, unpack) => after(body, (content) => latinToUtf8(unpack(content.subarray(1)))),
  iTXt: (body, unpack) =>
    after(body, (content) => {
      const language = content.indexOf(0, 2)
      const translated = language < 0 ? -1 : content.indexOf(0, language + 1)
      if (translated < 0) return undefined
      const text = content.subarray(translated + 1)
      return content[0] === 1 ? unpack(text) : text
    }),
}

const latinToUtf8 = (bytes: Buffer | undefined): Buffer | undefined => {
  if (bytes === undefined) return undefined
  // Some programs write XMP and text in UTF-8 here.
  return bytes.toString('utf8').includes('\uFFFD') ? Buffer.from(bytes.toString('latin1')) : bytes
}

function after(body: Buffer, read: (content: Buffer) => Buffer | undefined): Text | undefined {
  const end = body.indexOf(0)
  if (end < 0) return undefined
  const content = read(body.subarray(end + 1))
  return content && { keyword: body.toString('latin1', 0, end), content }
}

/** Creates a function that decompresses the chunks of a file. Limits the number of bytes of all chunks together. */
function unpacker(): Unpack {
  let room = MOST_UNPACKED_BYTES
  return (content) => {
    try {
      const unpacked = inflateSync(content, { maxOutputLength: Math.max(1, room) })
      room -= unpacked.length
      return unpacked
    } catch {
      // The failed attempt may have used up the entire allowance.
      room = Math.floor(room / 2)
      return undefined
    }
  }
}

/** Number of bytes in which to find the name and the length before a profile. A hostile file could have megabytes of spaces. */
const LONGEST_HEAD = 100

/**
 * Reads a profile that is stored as text: a name, the length in bytes, and the content as hexadecimal digits, separated by line breaks.
 * ExifTool's names contain a space.
 */
function rawProfile(text: Buffer): Buffer | undefined {
  const start = /^\s*(?:\S.*)?\n\s*\d+\s/.exec(text.toString('latin1', 0, LONGEST_HEAD))?.[0].length
  return start === undefined
    ? undefined
    : Buffer.from(text.toString('latin1', start).replaceAll(/\s/g, ''), 'hex')
}

const isNamed = (content: Buffer | undefined, name: string): boolean =>
  content?.toString('latin1', 0, name.length) === name

const withoutName = (content: Buffer | undefined, name: string): Buffer | undefined =>
  isNamed(content, name) ? content?.subarray(name.length) : content

/** @param png with only the chunks that were written for the pixels */
export function withPngMetadata(png: Buffer, metadata: PhotoMetadata): Buffer {
  const { exif, xmp, iptc, photoshop, comments } = metadata
  const resources = writeResources(iptc, photoshop)
  const headEnd = PNG_SIGNATURE.length + 12 + png.readUInt32BE(PNG_SIGNATURE.length)
  const chunks = [
    ...(exif === undefined ? [] : [pngChunk('eXIf', exif)]),
    ...(xmp === undefined ? [] : [textChunk(XMP_KEYWORD, xmp)]),
    ...(resources.length === 0 ? [] : [rawProfileChunk('iptc', resources)]),
    ...comments.map(({ keyword = 'Comment', text }) => textChunk(validKeyword(keyword), Buffer.from(text))),
  ]
  return Buffer.concat([png.subarray(0, headEnd), ...chunks, png.subarray(headEnd)])
}

const validKeyword = (keyword: string): string => keyword.slice(0, 79) || 'Comment'

function textChunk(keyword: string, content: Buffer): Buffer {
  return pngChunk('iTXt', Buffer.concat([Buffer.from(`${keyword}\0\0\0\0\0`, 'latin1'), content]))
}

function rawProfileChunk(name: string, content: Buffer): Buffer {
  const digits = content.toString('hex').replaceAll(/(.{72})/g, '$1\n')
  const text = Buffer.from(`\n${name}\n${String(content.length).padStart(8)}\n${digits}\n`, 'latin1')
  const head = Buffer.from(`${RAW_PROFILE}${name}\0\0`, 'latin1')
  return pngChunk('zTXt', Buffer.concat([head, deflateSync(text)]))
}
