/** Opens an image: reads its properties, in most formats without decoding pixels, and provides the source for sharp. */
import { type Area, type Extent, MAX_PIXELS, MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import { failed } from '../../shared/failure/failure-error.ts'
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import { once } from '../../shared/once.ts'
import { open, readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { type Animation, shownFor } from './animation.ts'
import { hasOtherImage, isCutApng, partsOfApng, timingOfApng, withFirstFrame } from './apng.ts'
import { densityOfBmp, looksLikeBmp, parseBmp } from './bmp.ts'
import { damagedFile } from '../damaged-file.ts'
import type { GainMap } from './gain-map.ts'
import { composeFrames } from './compose-frames.ts'
import { withoutUnusedAlpha } from './frame-strip.ts'
import { endOfGif, isCutGif, looksLikeGif, partsOfGif } from './gif-blocks.ts'
import { openJpeg } from './jpeg-image.ts'
import { openPlainHeic, openRareHeic, type OpenHeic } from './heic.ts'
import { withProfile } from './avif-colors.ts'
import { refuseMissingTiles } from './avif-tiles.ts'
import type { HdrColors } from './hdr-colors.ts'
import { readHeifGainMap } from './heif-gain-map.ts'
import { hdrFactsOfHeif, looksLikeHeif, type HdrFacts } from './heif-file.ts'
import { viewed, withoutView } from './heif-view.ts'
import { turned, withPixels } from './with-pixels.ts'
import {
  asAvifImage,
  framesOfTrack,
  hasItems,
  looksLikeAvifSequence,
  mayBeSequence,
  timingOfSequence,
} from './heif-sequence.ts'
import { codestreamOf, headerOf, looksLikeJpegXl } from './jpeg-xl-file.ts'
import { MOST_PAGES, refuseTooManyPages, refuseTooManyPixels, unlessTooShort } from './image-failure.ts'
import { pixelAspectOf } from './pixel-aspect.ts'
import { isPhonePng, looksLikePng } from './png-chunks.ts'
import { colorsOfPng, withPngProfile } from './png-colors.ts'
import { profileOf } from './matrix-profile.ts'
import { factsOf, formatOf, profileFacts, type StoredImage, storedFacts } from './metadata-facts.ts'
import type { RawImage } from './raw-image.ts'
import { readHead } from './read-head.ts'
import { withEarlyExif } from '../metadata/png-metadata.ts'
import { withStraightAlpha } from './straight-alpha.ts'
import { countWebpFrames, deniesTransparency, looksLikeWebp, withStatedTransparency } from './webp-frames.ts'
import { type SharpSource, sharpSource, type SourceFormat } from './sharp-source.ts'
import { stripSource, withFrames } from './with-frames.ts'
import { wrapAsPng } from './stored-png.ts'
import { countDirectories, looksLikeTiff } from './tiff/directory.ts'
import { openTiff, type OpenTiff, refuseDamagedTiff } from './tiff/open-tiff.ts'

// Allow only the decoders for supported photo formats. libvips ignores file names, so a hostile file
// could otherwise reach any decoder.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Tiff', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}`),
})

export type SourceImage = {
  /**
   * Returns the source to decode.
   * @param scaled target size of the whole image. A decoder that can scale while decoding does so; other decoders ignore it.
   */
  source(scaled?: Extent): Promise<SharpSource>
  readonly format: SourceFormat
  /** Size of one upright frame, in pixels. */
  readonly width: number
  readonly height: number
  readonly frames: number
  /** Set only for animations whose frames can be kept. */
  readonly animation?: Animation
  /** Decodes all frames of an animation. Set only if sharp can't read all frames correctly from the file itself. */
  readonly frameSource?: () => Promise<SharpSource>
  readonly rotatedByFile: boolean
  readonly hasAlpha: boolean
  readonly isGray: boolean
  readonly isCmyk: boolean
  readonly is16Bit: boolean
  /** Bits per channel in the file. */
  readonly bits: number
  readonly hasProfile: boolean
  /** Whether the file defines colors other than sRGB: by a profile, by numbers, or as Lab. CMYK without a profile doesn't count. */
  readonly hasOwnColors: boolean
  /** Pixels per inch, if the file states it. */
  readonly density?: number | undefined
  /** Width of an upright pixel as a share of its height; undefined if it is square. */
  readonly pixelAspect?: number
  /** Set for HDR only. It overrides the file's color profile. */
  readonly hdr?: HdrColors
  readonly isToneMapped?: boolean
  /** Reads the gain map, which makes the image brighter on HDR screens. */
  gainMap?(): Promise<GainMap | undefined>
  /** Whether floating-point samples are brighter than white, which no encoder here writes. */
  readonly losesHighlights?: boolean
  /** Whether the file has a HEIF gain map. It is lost if `gainMap` is missing or can't read it. */
  readonly losesGainMap?: boolean
  /** Parts that can't be read from the file, with the reasons. The comparison with the result finds other losses. */
  readonly losses?: readonly Loss[]
  /** Flaws of the file that this module has already fixed, for the log. */
  readonly warnings?: string
  /** The whole file, if it had to be read. Without the flaws in `warnings`. */
  readonly content?: Buffer | undefined
  /** What sharp reports about the stored image; undefined if the file needs another decoder. */
  readonly stored?: StoredImage
}

/**
 * @param jpeg the whole file, if it is a JPEG that has been read
 * @throws FailureError if the file isn't a supported image or is damaged; sharp's own error for other damage
 */
export async function openImage(inputPath: string, jpeg?: Buffer): Promise<SourceImage> {
  const head = jpeg ?? readHead(inputPath)
  const photo = await (jpeg === undefined
    ? openByHead(inputPath, head)
    : openWithSharp(inputPath, jpeg, jpeg))
  const aspect = await pixelAspectOf(inputPath, photo.format, photo.content ?? head)
  if (aspect === 1) return photo
  return { ...photo, pixelAspect: photo.rotatedByFile ? 1 / aspect : aspect }
}

async function openByHead(inputPath: string, head: Buffer): Promise<SourceImage> {
  if (looksLikeBmp(head)) return openBmp(inputPath)
  if (looksLikeJpegXl(head)) return openJpegXl(inputPath)
  if (isPhonePng(head)) throw failed('photoOfOtherKind', { format: 'CgBI PNG' })
  if (looksLikePng(head)) {
    const file = await readFile(inputPath)
    const early = withEarlyExif(file)
    return openWithSharp(inputPath, early, early ?? file)
  }
  if (looksLikeGif(head)) {
    const file = await readFile(inputPath)
    // If a GIF has a comment, libvips treats data after its end as a damaged frame.
    return openWithSharp(inputPath, file.subarray(0, endOfGif(file)), file)
  }
  const isSequence = looksLikeAvifSequence(head) || (looksLikeHeif(head) && mayBeSequence(head))
  if (isSequence && !hasItems(await readFile(inputPath))) throw failed('photoUnsupported')
  if (looksLikeAvifSequence(head)) return openWithSharp(inputPath, asAvifImage(await readFile(inputPath)))
  const plain = looksLikeHeif(head) ? await openPlainHeic(inputPath) : undefined
  if (plain !== undefined) {
    const { content, metadata } = plain
    const timing = mayBeSequence(head) ? timingOfSequence(content) : undefined
    return withFrames(
      turned(heicImage(plain), content),
      timing,
      metadata,
      framesOfTrack(inputPath, content, false),
    )
  }
  await refuseManyPages(inputPath, head)
  const converted = looksLikeTiff(head) ? await openTiff(inputPath) : undefined
  if (converted !== undefined) return tiffImage(converted)
  return openWithSharp(
    inputPath,
    deniesTransparency(head) ? withStatedTransparency(await readFile(inputPath)) : undefined,
  )
}

/**
 * @param input input for sharp, if it isn't the file itself
 * @param content the whole file, if it has been read
 */
async function openWithSharp(
  inputPath: string,
  input: string | Buffer = inputPath,
  content?: Buffer,
): Promise<SourceImage> {
  let isUnusual = false
  const metadata = await sharp(input, { limitInputPixels: false })
    .on('warning', () => (isUnusual = true))
    .metadata()
  const format = formatOf(metadata)
  const frames = format === 'webp' || format === 'gif' ? (metadata.pages ?? 1) : 1
  refuseTooManyPages(metadata.pages ?? 1)
  refuseTooManyPixels(metadata.width, metadata.pageHeight ?? metadata.height, frames)
  const { delay, loop = 0 } = metadata
  const animation =
    frames > 1 && delay !== undefined ? { animation: { delays: delay.map(shownFor), loop } } : {}
  const facts = { ...factsOf(metadata), format, frames, ...animation, stored: storedFacts(metadata) }
  switch (format) {
    case 'heic':
      return { ...heicImage(await openRareHeic(inputPath, metadata)), bits: facts.bits }
    case 'jpeg':
      return { ...facts, content, ...(await openJpeg(content ?? inputPath, metadata, isUnusual)) }
    case 'png': {
      const stored = content ?? (await readFile(inputPath))
      if (isCutApng(stored)) throw damagedFile('imagePartMissing')
      const file = withFirstFrame(stored)
      const colors = colorsOfPng(file)
      const profile = profileOfNumbers(colors, facts)
      const profiled = profile && withPngProfile(file, profile)
      const losses = hasOtherImage(stored)
        ? [loss('embeddedImages', { count: 1 }, lossReason('noFormat'))]
        : []
      const still = profiled ?? (file === stored ? input : file)
      const opened = openWithLight(still, { ...facts, content: file, losses }, colors)
      const described = { ...metadata, icc: profile ?? metadata.icc }
      return withFrames(opened, timingOfApng(file), described, () =>
        composed(partsOfApng(file), metadata, facts.is16Bit ? 16 : 8),
      )
    }
    case 'avif': {
      const file = await readFile(inputPath)
      const light = hdrFactsOfHeif(file)
      const profile = profileOfNumbers(light, facts)
      const own = withoutView(Buffer.isBuffer(input) ? input : file)
      const readable = own?.file ?? input
      const profiled = profile && withProfile(Buffer.isBuffer(readable) ? readable : file, profile)
      const check = () => refuseMissingTiles(Buffer.isBuffer(readable) ? readable : file)
      const coded = openWithLight(profiled ?? readable, { ...facts, content: file }, light, check)
      const shown = own === undefined ? coded : withPixels(coded, (raw) => viewed(raw, own.view))
      const still = light.isPremultiplied ? withPixels(shown, withStraightAlpha) : shown
      const described = { icc: profile ?? metadata.icc, xmp: metadata.xmp }
      const timing = timingOfSequence(file)
      const opened = withFrames(
        turned(still, file),
        timing,
        described,
        framesOfTrack(inputPath, file, light.isPremultiplied),
      )
      // A gain map turns SDR into HDR, so an image that is already HDR doesn't need it.
      if (!light.hasGainMap || light.hdr !== undefined) return opened
      return { ...opened, gainMap: async () => readHeifGainMap(await readFile(inputPath)) }
    }
    case 'gif':
      return openGif(
        { ...facts, content: content ?? (await readFile(inputPath)) },
        sharpSource(input, format),
      )
    case 'tiff':
      return openWithLight(input, facts, {}, () => refuseDamagedTiff(inputPath))
    default:
      return openWithLight(input, facts, {})
  }
}

const composed = async (...[parts, extent, depth]: Parameters<typeof composeFrames>) =>
  withoutUnusedAlpha(await composeFrames(parts, extent, depth))

/** Opens a GIF. libvips shows areas that no frame covers as black, unless one of the GIF's colors is transparent. */
function openGif(
  facts: Omit<SourceImage, 'source'> & { readonly content: Buffer },
  plain: SharpSource,
): SourceImage {
  const { width, height, frames, content } = facts
  if (isCutGif(content)) throw damagedFile('imagePartMissing')
  const parts = facts.hasAlpha ? [] : (unlessTooShort(() => partsOfGif(content)) ?? [])
  const [first] = parts
  const isCovered = first !== undefined && coversAll(first, facts)
  const isPlain = isCovered && parts.every(({ after }) => after === 'keep')
  if (isPlain || parts.length !== frames) return { ...facts, source: () => Promise.resolve(plain) }
  const source = async () => {
    refuseTooManyPixels(width, height, frames, MAX_PIXELS_IN_MEMORY)
    return stripSource(await composed(parts, facts, 8), {})
  }
  return { ...facts, hasAlpha: true, source, ...(frames > 1 ? { frameSource: source } : {}) }
}

const coversAll = ({ left, top, ...part }: Area, { width, height }: Extent): boolean =>
  left === 0 && top === 0 && part.width >= width && part.height >= height

/** Opens an image that may be HDR. sharp ignores HDR colors, so for HDR it must not apply the file's additional ICC profile. */
function openWithLight(
  input: string | Buffer,
  facts: Omit<SourceImage, 'source'>,
  light: Partial<HdrFacts>,
  checkFirst: () => Promise<void> = () => Promise.resolve(),
): SourceImage {
  const source = sharpSource(input, facts.format, light.hdr === undefined ? {} : { ignoreIcc: true })
  return { ...facts, ...lightFacts(light), source: once(() => checkFirst().then(() => source)) }
}

const profileOfNumbers = (
  { numbers }: Pick<HdrFacts, 'numbers'>,
  { isGray }: Pick<SourceImage, 'isGray'>,
): Buffer | undefined => numbers && profileOf(numbers, isGray)

type LightFacts = Partial<Pick<SourceImage, 'hdr' | 'hasProfile' | 'hasOwnColors' | 'losesGainMap'>>

const lightFacts = ({ hdr, numbers, hasGainMap = false }: Partial<HdrFacts>): LightFacts => ({
  ...(hdr === undefined ? {} : { hdr, hasProfile: false, hasOwnColors: true }),
  ...(numbers === undefined ? {} : { hasProfile: true, hasOwnColors: true }),
  ...(hasGainMap ? { losesGainMap: true } : {}),
})

async function tiffImage({ input, bits, losesHighlights, isLab }: OpenTiff): Promise<SourceImage> {
  const metadata = await sharp(input, { limitInputPixels: false }).metadata()
  const source = sharpSource(input, 'tiff')
  return {
    ...factsOf(metadata),
    format: 'tiff',
    frames: 1,
    bits,
    losesHighlights,
    ...(isLab ? { hasOwnColors: true } : {}),
    source: () => Promise.resolve(source),
  }
}

async function openBmp(inputPath: string): Promise<SourceImage> {
  const file = await readFile(inputPath)
  const bitmap = parseBmp(file)
  const { pixels: input, width, height, channels } = bitmap
  const options = { raw: { width, height, channels }, limitInputPixels: MAX_PIXELS }
  const image = { ...decodedImage(bitmap, 'bmp'), density: densityOfBmp(file) }
  if (bitmap.metadata.icc !== undefined) return image
  // Without a profile, the pixels don't need to be wrapped.
  return { ...image, source: () => Promise.resolve({ input, options }) }
}

async function openJpegXl(inputPath: string): Promise<SourceImage> {
  const { decodeJpegXl } = await import('./jpeg-xl.ts')
  const file = await readFile(inputPath)
  const raw = await decodeJpegXl(file)
  const coded = codestreamOf(file)
  const { bits = 8, plays } = coded === undefined ? {} : headerOf(coded)
  const still = { ...decodedImage(raw, 'jxl'), bits, content: file }
  if (coded === undefined || plays === undefined) return still
  const { decodeJpegXlFrames } = await import('./decode-frames.ts')
  const strip = await decodeJpegXlFrames(coded)
  if (strip === undefined) return still
  const { delays } = strip
  return {
    ...still,
    frames: delays.length,
    ...(raw.hdr === undefined ? { animation: { delays, loop: plays } } : {}),
    frameSource: () => Promise.resolve(stripSource(strip, raw.metadata)),
  }
}

/** Facts of every image that we decode ourselves. */
const UPRIGHT = { frames: 1, rotatedByFile: false, isCmyk: false } as const

function decodedImage(raw: RawImage, format: SourceFormat): SourceImage {
  const { width, height, channels, depth = 8, metadata } = raw
  return {
    source: () => Promise.resolve({ input: wrapAsPng(raw), options: { limitInputPixels: MAX_PIXELS } }),
    ...UPRIGHT,
    format,
    width,
    height,
    hasAlpha: channels === 2 || channels === 4,
    isGray: channels <= 2,
    is16Bit: depth === 16,
    bits: depth,
    ...profileFacts(metadata.icc),
    ...lightFacts({ hdr: raw.hdr }),
  }
}

function heicImage(heic: OpenHeic): SourceImage {
  const { width, height, hasAlpha, metadata, light, bits, content } = heic
  return {
    // The pixels are already upright, so the Exif orientation must not be applied again.
    source: async (scaled) => ({
      input: await heic.pixels(isReduction(scaled, { width, height }) ? scaled : undefined),
      options: { limitInputPixels: MAX_PIXELS },
    }),
    ...UPRIGHT,
    format: 'heic',
    content,
    width,
    height,
    hasAlpha,
    isGray: false,
    is16Bit: bits > 8 || light.hdr !== undefined,
    bits,
    ...profileFacts(metadata.icc),
    ...lightFacts(light),
    ...(heic.gainMap === undefined ? {} : { gainMap: heic.gainMap }),
  }
}

/**
 * Returns whether scaling only reduces the image. Only then may the decoder scale, because FFmpeg enlarges differently than sharp.
 */
const isReduction = (scaled: Extent | undefined, { width, height }: Extent): boolean =>
  scaled !== undefined && scaled.width <= width && scaled.height <= height

/** Refuses a TIFF or WebP with too many pages or frames, because the decoding time grows faster than their number. */
async function refuseManyPages(inputPath: string, head: Buffer): Promise<void> {
  const count = looksLikeTiff(head) ? countDirectories : looksLikeWebp(head) ? countWebpFrames : undefined
  if (count === undefined) return
  await using file = await open(inputPath, 'r')
  refuseTooManyPages(await count(file, MOST_PAGES))
}
