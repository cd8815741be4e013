/** Takes the inventory of a photo. Reads headers and metadata, but decodes pixels only to see whether an alpha channel is used. */
import type { Extent } from '../../shared/extent.ts'
import sharp from 'sharp'
import { type OutputFormat, PHOTO_FORMATS } from '../../shared/preset/photo-formats.ts'
import { borrowFile } from '../borrowed-file.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { metadataIn, readMetadata } from '../metadata/read-metadata.ts'
import { codestreamOf } from '../image/jpeg-xl-file.ts'
import type { SourceFormat } from '../image/sharp-source.ts'
import type { SourceImage } from '../image/source-image.ts'
import { GUIDES } from '../metadata/iptc.ts'
import type { PhotoMetadata } from '../metadata/photo-metadata.ts'
import { heifImages } from './heif-images.ts'
import { fileParts, hasContent, NO_PARTS } from './file-parts.ts'
import type { PhotoInventory } from './inventory.ts'
import { motionPhotoSeconds } from './motion-photo.ts'
import { isFilled, tagsOf } from './photo-tags.ts'
import { tiffParts } from './tiff-parts.ts'
import { pagesOfTiff } from '../image/tiff-pages.ts'

export const nameOfFormat = (format: SourceFormat): string =>
  format in PHOTO_FORMATS ? PHOTO_FORMATS[format as OutputFormat].name : format.toUpperCase()

export type PhotoFacts = Extent &
  Pick<SourceImage, 'format' | 'frames' | 'animation' | 'bits' | 'hasAlpha' | 'hasOwnColors'> &
  Pick<
    SourceImage,
    'isCmyk' | 'hdr' | 'losesHighlights' | 'gainMap' | 'losesGainMap' | 'content' | 'pixelAspect'
  >

const NO_BYTES = Buffer.alloc(0)

/** @param known the photo's metadata, if it has already been read */
export async function photoInventory(
  path: string,
  photo: PhotoFacts,
  known?: PhotoMetadata,
): Promise<PhotoInventory> {
  const { format, width, height } = photo
  const isTiff = format === 'tiff'
  // Read all formats except TIFF once and synchronously, which takes half the time. A TIFF may be too large for that.
  using borrowed = isTiff || photo.content !== undefined ? undefined : borrowFile(path)
  const file = photo.content ?? borrowed?.content ?? NO_BYTES
  const metadata = known ?? (isTiff ? await readMetadata(path, format) : metadataIn(file, format))
  const heif = format === 'heic' || format === 'avif' ? heifImages(file) : undefined
  const tiff = isTiff ? await pagesOfTiff(path) : undefined
  const { frames, animation } = photo
  const hasMap = await hasGainMap(photo)
  const motionPhoto = motionPhotoSeconds(file, format)
  const xmp = metadata.xmp?.toString('utf8') ?? ''
  const listed = { xmp, hasGainMap: hasMap, hasVideo: motionPhoto !== undefined }
  const parts = isTiff ? { ...NO_PARTS, ...(await tiffParts(path)) } : fileParts(file, format, listed)
  return {
    kind: 'image',
    format: nameOfFormat(format),
    width,
    height,
    pages: Math.max(1, tiff?.pages.length ?? heif?.pages ?? 1),
    frames,
    animationMs: animation?.delays.reduce((sum, ms) => sum + ms, 0),
    loop: animation?.loop,
    bitDepth: photo.bits,
    pixelAspect: photo.pixelAspect ?? 1,
    hasAlpha: photo.hasAlpha,
    color: photo.isCmyk ? 'inks' : photo.hasOwnColors ? 'own' : 'sRGB',
    hdr: photo.hdr?.curve ?? (hasMap ? 'gainMap' : photo.losesHighlights === true ? 'float' : 'none'),
    exif: isFilled(metadata.exif),
    xmp: metadata.xmp !== undefined,
    iptc: metadata.iptc !== undefined || metadata.photoshop?.some(({ id }) => id !== GUIDES) === true,
    georeference: metadata.geo !== undefined,
    comment: metadata.comments.some(({ text }) => text.trim() !== ''),
    tags: tagsOf(metadata),
    motionPhoto,
    ...parts,
    appendedData: parts.appendedData || (format === 'jxl' && (await hasTail(file))),
    furtherPictures: parts.furtherPictures + (tiff?.masks ?? 0),
    depthMap: heif?.depthMap === true || parts.depthMap || holdsData(xmp, DEPTH_MAPS),
    embeddedImages:
      (heif?.embeddedImages ?? 0) + parts.embeddedImages + (holdsData(xmp, FURTHER_IMAGES) ? 1 : 0),
  }
}

/** Returns whether the codestream of a JPEG XL contains anything after its pixels. */
async function hasTail(file: Buffer): Promise<boolean> {
  const { withoutTail } = await import('../image/jpeg-xl.ts')
  const coded = unlessTooShort(() => codestreamOf(file))
  if (coded === undefined) return false
  const pixels = withoutTail(coded)
  return pixels !== undefined && hasContent(coded.subarray(pixels.length))
}

const DEPTH_MAPS = 'http://ns.google.com/photos/1.0/depthmap/'
/** The unprocessed image of a photo with an artificial depth of field. */
const FURTHER_IMAGES = 'http://ns.google.com/photos/1.0/image/'

/** Returns whether XMP contains an image in this namespace. Other properties of the namespace only describe an image. */
function holdsData(xmp: string, namespace: string): boolean {
  const before = xmp.slice(0, Math.max(0, xmp.indexOf(namespace)))
  const prefix = /xmlns:([\w-]+)\s*=\s*["']$/.exec(before.slice(-MOST_PREFIX))?.[1]
  return prefix !== undefined && xmp.includes(`${prefix}:Data`)
}

const MOST_PREFIX = 100

const OPAQUE = 255

/**
 * Returns whether any pixel is transparent, as far as 8 bits show it. A screenshot often has an alpha channel that is opaque everywhere.
 * Statistics of all channels would take ten times as long.
 */
export async function usesAlpha(photo: SourceImage): Promise<boolean> {
  const { input, options } = await photo.source()
  const image = sharp(input, { ...options, failOn: 'none' })
  const alpha = await image.ensureAlpha().extractChannel('alpha').raw().toBuffer()
  for (let at = 0; at < alpha.length; at++) if ((alpha[at] ?? 0) < OPAQUE) return true
  return false
}

const hasGainMap = async (photo: PhotoFacts): Promise<boolean> =>
  photo.losesGainMap === true || (await photo.gainMap?.().catch(() => undefined)) !== undefined
