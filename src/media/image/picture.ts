/** An opened picture: what is known about it before a pixel is decoded, and what sharp is to read then. */
import { open, readFile } from 'node:fs/promises'
import sharp, { type Metadata, type SharpInput, type SharpOptions } from 'sharp'
import { ProcessingError } from '../protocol.ts'
import { decodeBmp, looksLikeBmp } from './bmp.ts'
import { withoutStrayBytes } from './embedded-metadata.ts'
import { type GainMap, readGainMap, readGainMapIn } from './gain-map.ts'
import type { Extent } from './geometry.ts'
import { openPlainHeic, openRareHeic, type OpenHeic } from './heic.ts'
import { type HdrColours, hdrColoursOfPng } from './hdr-colours.ts'
import { readHeifGainMap } from './heif-gain-map.ts'
import { lightOfHeif, looksLikeHeif, type SaidOfLight } from './heif-file.ts'
import { looksLikeJpegXl } from './jpeg-xl-file.ts'
import { MAX_PIXELS, refuseTooManyPixels } from './picture-failure.ts'
import { decodeOddTiff } from './odd-tiff.ts'
import type { RawPicture } from './raw-picture.ts'
import { wrapAsPng } from './stored-png.ts'
import { looksLikeTiff } from './tiff-directory.ts'

// Of the many formats that libvips reads, only those that hold photos under the endings of the API (section 1) are let in,
// whatever a file calls itself: a decoder that nobody needs is one more that a hostile file can reach.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Tiff', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}`),
})

export type PictureFormat = 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif' | 'avif' | 'jxl' | 'heic' | 'bmp'

/** What sharp is to read. */
export type PictureSource = { readonly input: SharpInput; readonly options: SharpOptions }

export type Picture = {
  /**
   * @param scaled the size that the whole picture is to have: a decoder that can hand it out so does it for less. It may be ignored
   */
  source(scaled?: Extent): Promise<PictureSource>
  readonly format: PictureFormat
  /** Of one frame, upright, in pixels. */
  readonly width: number
  readonly height: number
  readonly frames: number
  /** Whether the file asks to be turned by a quarter. */
  readonly turnedByFile: boolean
  readonly hasAlpha: boolean
  readonly isGray: boolean
  readonly isCmyk: boolean
  readonly is16Bit: boolean
  readonly hasProfile: boolean
  /** Only where they are not those of ordinary screens; its numbers then stand for them, whatever its profile says. */
  readonly hdr?: HdrColours
  /** Whether it was brighter than ordinary and isn't any more. */
  readonly isToneMapped?: boolean
  /** What makes it brighter on screens that can show that. */
  gainMap?(): Promise<GainMap | undefined>
  /** Whether it has a gain map that nothing here reads. */
  readonly losesGainMap?: boolean
  /** What was odd about the file and is mended already, for the log. */
  readonly flaws?: string
  /** Only of what is read as it lies in the file. */
  readonly stored?: StoredPicture
}

/** What a file says beside its pixels. */
export type StoredPicture = {
  /** Whether the file asks to be shown in another way than its pixels lie. */
  readonly isTurned: boolean
  /** Frames count as pages. */
  readonly pages: number
  readonly hasMetadata: boolean
  readonly profile: 'none' | 'sRGB' | 'other'
}

/** @throws ProcessingError for what is no picture; whatever sharp throws for a damaged one */
export async function openPicture(inputPath: string): Promise<Picture> {
  const head = await readHead(inputPath)
  if (looksLikeBmp(head)) return openBmp(inputPath)
  if (looksLikeJpegXl(head)) return openJpegXl(inputPath)
  const plain = looksLikeHeif(head) ? await openPlainHeic(inputPath) : undefined
  if (plain !== undefined) return heicPicture(plain)
  const odd = looksLikeTiff(head) ? await decodeOddTiff(inputPath) : undefined
  if (odd !== undefined) return decodedPicture(odd, 'tiff')
  let isOdd = false
  const metadata = await sharp(inputPath, { limitInputPixels: false })
    .on('warning', () => (isOdd = true))
    .metadata()
  const format = formatOf(metadata)
  const frames = format === 'webp' || format === 'gif' ? (metadata.pages ?? 1) : 1
  refuseTooManyPixels(metadata.width, metadata.pageHeight ?? metadata.height, frames)
  if (format === 'heic') return heicPicture(await openRareHeic(inputPath, metadata))
  const light = await storedLight(inputPath, format)
  const mended = isOdd && format === 'jpeg' ? await mendJpeg(inputPath) : undefined
  const input = mended?.file ?? inputPath
  const options = {
    autoOrient: true,
    limitInputPixels: MAX_PIXELS,
    ...(light.hdr === undefined ? {} : { ignoreIcc: true }),
  }
  const source = { input, options }
  return {
    ...factsOf(metadata),
    ...light,
    ...(format === 'avif' && light.losesGainMap === true && light.hdr === undefined
      ? { gainMap: async () => readHeifGainMap(await readFile(inputPath)) }
      : {}),
    source: () => Promise.resolve(source),
    format,
    frames,
    stored: storedFacts(metadata),
    ...(format === 'jpeg'
      ? {
          gainMap: () => {
            const { orientation = 1 } = metadata
            return mended === undefined
              ? readGainMapIn(inputPath, orientation)
              : readGainMap(mended.file, orientation)
          },
        }
      : {}),
    ...(mended === undefined ? {} : { flaws: mended.flaws }),
  }
}

/** Of files that are read by sharp, which takes no notice of it. */
async function storedLight(inputPath: string, format: PictureFormat): Promise<LightFacts> {
  if (format === 'png') return lightFacts({ hdr: hdrColoursOfPng(await readFile(inputPath)) })
  return format === 'avif' ? lightFacts(lightOfHeif(await readFile(inputPath))) : {}
}

type LightFacts = Partial<Pick<Picture, 'hdr' | 'hasProfile' | 'losesGainMap'>>

const lightFacts = ({ hdr, hasGainMap = false }: Partial<SaidOfLight>): LightFacts => ({
  ...(hdr === undefined ? {} : { hdr, hasProfile: false }),
  ...(hasGainMap ? { losesGainMap: true } : {}),
})

/** @returns undefined where there is nothing to mend */
async function mendJpeg(inputPath: string): Promise<{ file: Buffer; flaws: string } | undefined> {
  const original = await readFile(inputPath)
  const file = withoutStrayBytes(original)
  const stray = original.length - file.length
  return stray === 0 ? undefined : { file, flaws: `JPEG with ${stray} stray bytes between its segments` }
}

async function openBmp(inputPath: string): Promise<Picture> {
  const { data, width, height, channels } = await decodeBmp(inputPath)
  const source = { input: data, options: { raw: { width, height, channels }, limitInputPixels: MAX_PIXELS } }
  return {
    source: () => Promise.resolve(source),
    format: 'bmp',
    width,
    height,
    frames: 1,
    turnedByFile: false,
    hasAlpha: channels === 4,
    isGray: false,
    isCmyk: false,
    is16Bit: false,
    hasProfile: false,
  }
}

async function openJpegXl(inputPath: string): Promise<Picture> {
  // FFmpeg is loaded with the first picture that needs it.
  const { decodeJpegXl } = await import('./jpeg-xl.ts')
  return decodedPicture(await decodeJpegXl(inputPath), 'jxl')
}

function decodedPicture(raw: RawPicture, format: PictureFormat): Picture {
  const { width, height, channels, depth, metadata } = raw
  return {
    source: () => Promise.resolve({ input: wrapAsPng(raw), options: { limitInputPixels: MAX_PIXELS } }),
    format,
    width,
    height,
    frames: 1,
    turnedByFile: false,
    hasAlpha: channels === 2 || channels === 4,
    isGray: channels <= 2,
    isCmyk: false,
    is16Bit: depth === 16,
    hasProfile: metadata.icc !== undefined,
    ...lightFacts({ hdr: raw.hdr }),
  }
}

function heicPicture(heic: OpenHeic): Picture {
  const { width, height, hasAlpha, hasProfile, light } = heic
  return {
    // The pixels come upright: the same wish in the Exif data must not be followed again.
    source: async (scaled) => ({
      input: await heic.pixels(isReduction(scaled, { width, height }) ? scaled : undefined),
      options: { limitInputPixels: MAX_PIXELS },
    }),
    format: 'heic',
    width,
    height,
    frames: 1,
    turnedByFile: false,
    hasAlpha,
    isGray: false,
    isCmyk: false,
    is16Bit: light.hdr !== undefined,
    hasProfile,
    ...lightFacts(light),
    ...(heic.gainMap === undefined ? {} : { gainMap: heic.gainMap }),
  }
}

/** FFmpeg would enlarge in another way than sharp does. */
const isReduction = (scaled: Extent | undefined, { width, height }: Extent): boolean =>
  scaled !== undefined && scaled.width <= width && scaled.height <= height

function factsOf(metadata: Metadata) {
  const height = metadata.pageHeight ?? metadata.height
  const turnedByFile = (metadata.orientation ?? 1) >= 5
  return {
    width: turnedByFile ? height : metadata.width,
    height: turnedByFile ? metadata.width : height,
    turnedByFile,
    hasAlpha: metadata.hasAlpha,
    isGray: metadata.space === 'b-w' || metadata.space === 'grey16',
    isCmyk: metadata.space === 'cmyk',
    is16Bit: metadata.depth === 'ushort',
    hasProfile: metadata.hasProfile,
  }
}

function storedFacts(metadata: Metadata): StoredPicture {
  const { orientation = 1, pages = 1, exif, xmp, iptc, comments, icc } = metadata
  return {
    isTurned: orientation !== 1,
    pages,
    hasMetadata: [exif, xmp, iptc, comments].some((part) => part !== undefined),
    profile: icc === undefined ? 'none' : isSrgb(icc) ? 'sRGB' : 'other',
  }
}

/** By the description, in one byte a character or in two. */
const isSrgb = (icc: Buffer): boolean => icc.toString('latin1').replaceAll('\0', '').includes('sRGB')

function formatOf(metadata: Metadata): PictureFormat {
  switch (metadata.format) {
    case 'jpeg':
    case 'png':
    case 'webp':
    case 'tiff':
    case 'gif':
      return metadata.format
    case 'heif':
      return metadata.compression === 'av1' ? 'avif' : 'heic'
    default:
      throw new ProcessingError(
        `The file is not a photo but ${metadata.format}, which is not processed here.`,
      )
  }
}

async function readHead(inputPath: string): Promise<Buffer> {
  const file = await open(inputPath, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    if (bytesRead === 0) throw new ProcessingError('The file is empty.')
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
