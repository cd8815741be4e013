/** Every parser in this project that reads untrusted files, with valid files to start from. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { appleHeadroom } from '../../../src/media/image/apple-gain-map.ts'
import { parseBmp } from '../../../src/media/image/bmp.ts'
import { carriesMetadata } from '../../../src/media/image/bare/bare.ts'
import { withoutStrayBytes } from '../../../src/media/image/jpeg-parts.ts'
import { gainSegments, readIsoGain } from '../../../src/media/image/gain-description.ts'
import { gainMapSource, readGainMap, readGainMapIn } from '../../../src/media/image/gain-map.ts'
import { joinApng, partsOfApng, timingOfApng } from '../../../src/media/image/apng.ts'
import { withProfile } from '../../../src/media/image/avif-colors.ts'
import { timingOfSequence, viewOfSequence } from '../../../src/media/image/heif-sequence.ts'
import { pagesOfTiff } from '../../../src/media/image/tiff-pages.ts'
import { colorsOfPng, withPngProfile } from '../../../src/media/image/png-colors.ts'
import {
  auxiliariesOf,
  describedBy,
  endsTooEarly,
  itemsOf,
  hdrFactsOfHeif,
  readCodedItem,
  readHevcImage,
  toneMapOf,
} from '../../../src/media/image/heif-file.ts'
import { contentNamed, segmentsOf, withSegments, XMP_NAME } from '../../../src/media/image/jpeg-segments.ts'
import { withoutJpegMetadata } from '../../../src/media/image/jpeg-reconstruction.ts'
import { readMetadata, headerOf, withMetadata } from '../../../src/media/image/jpeg-xl-file.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { openTiff } from '../../../src/media/image/tiff/open-tiff.ts'
import { joinGainMap, xmpWithGainMap } from '../../../src/media/image/ultra-hdr.ts'
import { svtHdr, x265Hdr } from '../../../src/media/video/hdr-metadata.ts'
import { readLine, type TextSubtitle, writeLine } from '../../../src/media/video/subtitle-text.ts'
import { readMediaContent } from '../../../src/node/media-content.ts'
import { exifWith } from '../../media/image/apple-note.ts'
import { dateOfPhoto } from '../../../src/media/image/capture-date.ts'
import { describeResult } from '../../../src/media/metadata/describe-result.ts'
import { bytesOf } from '../../../src/media/metadata/exif-directories.ts'
import { partsOfGif } from '../../../src/media/image/gif-blocks.ts'
import { gifMetadata } from '../../../src/media/metadata/gif-metadata.ts'
import { jpegMetadata } from '../../../src/media/metadata/jpeg-metadata.ts'
import { pngMetadata } from '../../../src/media/metadata/png-metadata.ts'
import { tiffMetadata } from '../../../src/media/metadata/tiff-metadata.ts'
import { webpMetadata } from '../../../src/media/metadata/webp-metadata.ts'
import { exifWithoutLocation, xmpWithoutLocation } from '../../../src/media/metadata/without-location.ts'
import { fitMetadata, withMetadata as withAnyMetadata } from '../../../src/media/metadata/write-metadata.ts'
import { AUXILIARY, makeHeic, PICTURE } from '../../media/image/make-heic.ts'
import { makePages, makeTiff, oldJpegInTiff, type TiffShape } from '../../media/image/make-tiff.ts'

export type Parser = {
  /** Valid files that the damaged ones are derived from. */
  readonly seeds: () => Promise<readonly Buffer[]> | readonly Buffer[]
  readonly parse: (file: Buffer) => unknown
  /** Whether a library's decoder reads the file too. It may fail with its own message. */
  readonly hasDecoder?: true
}

const XMP = Buffer.from(
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><a:Directory><b/></a:Directory></rdf:RDF></x:xmpmeta>',
)
const EXIF = exifWith({ 0x21: 1.2, 0x30: 0 })
const DESCRIPTION = {
  gains: [{ min: 0, max: 2, gamma: 1, offsetSdr: 0.015, offsetHdr: 0.015 }],
  headroom: { least: 0, full: 2 },
}
const ISO_GAIN = gainSegments(DESCRIPTION)[1]?.subarray(4 + 28) ?? Buffer.alloc(0)

const photo = (): Sharp =>
  sharp({ create: { width: 48, height: 32, channels: 3, background: '#a06030' } }).withXmp(XMP.toString())
const described = () => photo().withExif({ IFD0: { Copyright: 'Somebody' } })

async function ultraHdr(): Promise<Buffer> {
  const map = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
    .toColourspace('b-w')
    .jpeg()
    .toBuffer()
  return joinGainMap(await described().jpeg().toBuffer(), withSegments(map, gainSegments(DESCRIPTION)))
}

function bitmap(bits: number, compression: number, pixels: Buffer): Buffer {
  const colors = bits <= 8 ? Buffer.alloc(4 * 2 ** bits, 0x5a) : Buffer.alloc(0)
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(header.length + colors.length, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(4, 18)
  header.writeInt32LE(2, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(bits, 28)
  header.writeUInt32LE(compression, 30)
  return Buffer.concat([header, colors, pixels])
}

const bitmaps = (): readonly Buffer[] => [
  ...[1, 4, 8, 16, 24, 32].map((bits) => bitmap(bits, 0, Buffer.alloc(32, 0x35))),
  bitmap(8, 1, Buffer.from([4, 1, 0, 0, 0, 4, 1, 2, 3, 4, 0, 1])),
  bitmap(4, 2, Buffer.from([4, 0x12, 0, 0, 0, 2, 1, 0, 3, 0x21, 0, 1])),
]

const small: TiffShape = { width: 6, height: 4, sample: (x, y, channel) => x * 20 + y * 9 + channel }
const rgb = { ...small, photometric: 2, samples: 3 }

const oddTiffs = async (): Promise<readonly Buffer[]> => [
  makeTiff({ ...rgb, bits: 4, compression: 'packBits' }),
  makeTiff({ ...rgb, samples: 4, extraSamples: [2], isPlanar: true, tile: [16, 16] }),
  makeTiff({ ...rgb, photometric: 8, tags: { 34_675: [1, 2, 3, 4, 5] } }),
  makeTiff({ ...rgb, bits: 16, sampleFormat: 3, predictor: 3, compression: 'deflate', isBig: true }),
  makeTiff({ ...rgb, photometric: 6, subsampling: [2, 2], isBigEndian: true }),
  makeTiff({
    ...small,
    bits: 4,
    samples: 2,
    photometric: 3,
    tags: { 320: Array.from({ length: 48 }, () => 9) },
  }),
  makePages([
    { ...small, tags: { 254: [1] } },
    { ...rgb, width: 12, bits: 12 },
  ]),
  oldJpegInTiff(await photo().jpeg({ optimiseCoding: false }).toBuffer(), 'tables'),
  await photo().tiff({ compression: 'lzw' }).toBuffer(),
]

function animatedPng(): Buffer {
  const control = Buffer.alloc(26)
  control.writeUInt16BE(1, 20)
  control.writeUInt16BE(10, 22)
  return joinApng(
    pngChunk('IHDR', Buffer.alloc(13)),
    [
      Buffer.concat([pngChunk('fcTL', control), pngChunk('IDAT', Buffer.alloc(9))]),
      Buffer.concat([pngChunk('fcTL', control), pngChunk('fdAT', Buffer.alloc(9))]),
    ],
    { delays: [100, 200], loop: 3 },
  )
}

const isoBox = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...parts])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}
const numbers = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** The boxes of an image sequence that tell its timing. */
function sequence(): Buffer {
  const media = isoBox(
    'mdia',
    isoBox('mdhd', numbers(0, 0, 0, 1000, 700)),
    isoBox('hdlr', numbers(0, 0), Buffer.from('pict', 'latin1')),
    isoBox('minf', isoBox('stbl', isoBox('stts', numbers(0, 2, 3, 100, 1, 400)))),
  )
  const edits = isoBox('edts', isoBox('elst', numbers(1, 1, 700, 0, 0x10000)))
  return isoBox('moov', isoBox('trak', isoBox('tkhd', numbers(0, 0, 0, 1, 0, 2100)), edits, media))
}

const packed = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(`brob${type}`, 'latin1'), brotliCompressSync(content)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}

/** A truncated JPEG XL image: its dimensions can be read, its pixels can't. */
const CODESTREAM = Buffer.from('ff0a7f002088064b12000800000000000000000000', 'hex')

const jpegXls = (): readonly Buffer[] => {
  const plain = withMetadata(CODESTREAM, { exif: EXIF, xmp: XMP })
  const head = plain.subarray(0, 32)
  return [
    CODESTREAM,
    plain,
    Buffer.concat([head, packed('Exif', Buffer.concat([Buffer.alloc(4), EXIF])), packed('xml ', XMP)]),
  ]
}

const describedAgain = (metadata: Parameters<typeof fitMetadata>[0]) => {
  const plan = { format: 'jpeg', original: tile, mapping: [0, 1, 0, 1, 0, 0], isSrgb: true } as const
  const changed = describeResult(metadata, plan, tile)
  return withAnyMetadata(Buffer.from([0xff, 0xd8, 0xff, 0xd9]), 'jpeg', fitMetadata(changed, 'jpeg').metadata)
}

const tile = { width: 64, height: 64 }
const heics = (): readonly Buffer[] => [
  makeHeic({ tile, columns: 2, rows: 2, width: 120, height: 100 }),
  makeHeic({
    tile,
    width: 64,
    height: 64,
    auxiliary: 'urn:com:apple:photo:2020:aux:hdrgainmap',
    more: [
      {
        type: 'Exif',
        data: Buffer.concat([Buffer.alloc(4), EXIF]),
        reference: { type: 'cdsc', to: [PICTURE] },
      },
      { type: 'mime', data: XMP, reference: { type: 'cdsc', to: [PICTURE, AUXILIARY] } },
      {
        type: 'tmap',
        data: Buffer.concat([Buffer.alloc(1), ISO_GAIN]),
        reference: { type: 'dimg', to: [PICTURE, AUXILIARY] },
      },
    ],
  }),
]

/** Reads every box that is parsed before a decoder runs. */
function readHeif(file: Buffer): void {
  endsTooEarly(file)
  hdrFactsOfHeif(file)
  readHevcImage(file)
  const items = itemsOf(file)
  if (items?.primary === undefined) return
  toneMapOf(items, items.primary)
  const map = auxiliariesOf(file, items, items.primary)[0]?.item ?? AUXILIARY
  appleHeadroom(describedBy(items, items.primary), describedBy(items, map))
  for (const coding of ['hevc', 'av1'] as const) readCodedItem(file, items, map, coding)
}

/** For parsers that open the file themselves. */
async function inFile<T>(content: Buffer, use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-fuzz-'))
  try {
    const path = join(folder, 'file')
    writeFileSync(path, content)
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const metadataOf = (format: 'jpeg' | 'png' | 'webp'): Parser => ({
  seeds: async () => [await described().toFormat(format).toBuffer()],
  parse: (file) => inFile(file, (path) => carriesMetadata(path, format)),
})

const SUBTITLES: Readonly<Record<TextSubtitle, string>> = {
  subrip: '<i>Good</i> evening,\r\n<font color="red">everybody</font>',
  text: 'Good evening',
  ass: '0,0,Default,,0,0,0,,{\\i1}Good{\\i0}\\Nevening,\\heverybody',
  ssa: '0,0,Default,,0,0,0,,Good evening',
  webvtt: '<v Somebody>Good <b>evening</b>',
  mov_text: '\0\x0cGood evening',
}

const subtitles = ([kind, text]: readonly [string, string]): readonly [string, Parser] => [
  `subtitles: ${kind}`,
  {
    seeds: () => [Buffer.from(text, 'latin1')],
    parse: (packet) => writeLine('mov_text', readLine(kind as TextSubtitle, packet)),
  },
]

export const PARSERS: Readonly<Record<string, Parser>> = {
  BMP: { seeds: bitmaps, parse: parseBmp },
  'HEIF boxes': { seeds: heics, parse: readHeif },
  'JPEG XL boxes': {
    seeds: jpegXls,
    parse: (file) => [headerOf(file), readMetadata(file)],
  },
  'odd TIFF': {
    seeds: oddTiffs,
    parse: (file) => inFile(file, openTiff),
    hasDecoder: true,
  },
  'pages of a TIFF': {
    seeds: oddTiffs,
    parse: (file) => inFile(file, pagesOfTiff),
  },
  'chunks of an animated PNG': {
    seeds: () => [animatedPng()],
    parse: (file) => [timingOfApng(file), partsOfApng(file)],
  },
  'image sequence': {
    seeds: () => [sequence()],
    parse: (file) => [timingOfSequence(file), viewOfSequence(file)],
  },
  'HEIF with a profile': { seeds: heics, parse: (file) => withProfile(file, Buffer.alloc(128)) },
  'PNG with a profile': {
    seeds: () => [animatedPng()],
    parse: (file) => withPngProfile(file, Buffer.alloc(128)),
  },
  'JPEG segments': {
    seeds: async () => [await described().jpeg().toBuffer(), await ultraHdr()],
    parse: (file) => [segmentsOf(file), contentNamed(file, XMP_NAME), withoutStrayBytes(file)],
  },
  'gain map of a JPEG': {
    seeds: async () => [await ultraHdr()],
    async parse(file) {
      const gainMap = await readGainMap(file, 6)
      await inFile(file, (path) => readGainMapIn(path, 1))
      return gainMap && gainMapSource(gainMap)
    },
    hasDecoder: true,
  },
  'description of a gain map': { seeds: () => [ISO_GAIN], parse: readIsoGain },
  "Apple's note": {
    seeds: () => [EXIF, Buffer.from('<a HDRGainMapHeadroom="  4.5"/>')],
    parse: (exif) => [appleHeadroom({ exif }, {}), appleHeadroom({}, { xmp: exif })],
  },
  'metadata of a result': {
    seeds: () => [EXIF, XMP],
    parse: (file) => [{ exif: file }, { xmp: file }].map((one) => describedAgain({ ...one, comments: [] })),
  },
  'data for going back to a JPEG': {
    seeds: () => [Buffer.from('0002002200600000c001', 'hex'), Buffer.alloc(64, 0x66)],
    parse: withoutJpegMetadata,
  },
  'metadata in segments': {
    seeds: async () => [await described().jpeg().toBuffer()],
    parse: jpegMetadata,
  },
  'metadata in PNG chunks': {
    seeds: async () => [await described().png().toBuffer()],
    parse: (file) => pngMetadata(bytesOf(file)),
  },
  'metadata in WebP chunks': {
    seeds: async () => [await described().webp().toBuffer()],
    parse: (file) => webpMetadata(bytesOf(file)),
  },
  'metadata in tags': {
    seeds: async () => [await described().tiff().toBuffer()],
    parse: (file) => tiffMetadata(bytesOf(file)),
  },
  'metadata in a GIF': {
    seeds: async () => [await described().gif().toBuffer()],
    parse: (file) => [gifMetadata(file), partsOfGif(file)],
  },
  'Exif location': { seeds: () => [EXIF], parse: exifWithoutLocation },
  'XMP location': { seeds: () => [XMP], parse: xmpWithoutLocation },
  'capture date': {
    seeds: () => [EXIF, XMP],
    parse: (file) => [dateOfPhoto({ exif: file }), dateOfPhoto({ xmp: file })],
  },
  'XMP next to a gain map': { seeds: () => [XMP], parse: (xmp) => xmpWithGainMap(xmp, 1) },
  'colors of a PNG': {
    seeds: async () => [await described().png().toBuffer()],
    parse: colorsOfPng,
  },
  'metadata of a JPEG': metadataOf('jpeg'),
  'metadata of a PNG': metadataOf('png'),
  'metadata of a WebP': metadataOf('webp'),
  'HDR metadata of a video': {
    seeds: () => [Buffer.alloc(96, 1)],
    parse: (bytes) => [x265Hdr, svtHdr].map((words) => words({ screen: bytes, light: bytes })),
  },
  ...Object.fromEntries(Object.entries(SUBTITLES).map(subtitles)),
  'first bytes': {
    seeds: async () => [await photo().webp().toBuffer(), Buffer.from('\0\0\0\x18ftypmif1', 'latin1')],
    parse: readMediaContent,
  },
}
