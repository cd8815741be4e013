/** Changes a photo's metadata without encoding its pixels again: copies the coded image and writes new metadata. */
import { open, readFile, writeFile } from 'node:fs/promises'
import { uint16 } from '../../big-endian.ts'
import type { ImageRecipe } from '../../../shared/preset/preset.ts'
import { describeResult } from '../../metadata/describe-result.ts'
import { withoutAppended } from '../../metadata/describe-xmp.ts'
import { orientationExif, orientationOf } from '../../metadata/describe-exif.ts'
import { isEmptyMetadata, type PhotoMetadata } from '../../metadata/photo-metadata.ts'
import { UNCHANGED } from '../../metadata/result-mapping.ts'
import { moreForPage, tiffMetadata } from '../../metadata/tiff-metadata.ts'
import { withHeifMetadata } from '../../metadata/heif-metadata.ts'
import type { DescribedFormat } from '../../metadata/metadata-formats.ts'
import { withMetadata } from '../../metadata/write-metadata.ts'
import type { FileJob, FinishedFile } from '../../protocol.ts'
import { withAppleHeadroom } from '../apple-gain-map.ts'
import { decodeWhole } from '../decode-whole.ts'
import { bareGainMap } from '../gain-map.ts'
import { unlessTooShort } from '../image-failure.ts'
import { codestreamOf, withoutMetadata } from '../jpeg-xl-file.ts'
import { openImage, type SourceImage } from '../source-image.ts'
import { joinGainMap, xmpWithGainMap } from '../ultra-hdr.ts'
import { describedBy, itemsOf } from '../heif-file.ts'
import { withoutExifName } from '../tiff-block.ts'
import { pagesOfTiff } from '../tiff-pages.ts'
import { bare } from './bare.ts'
import { imagesOf } from './heif.ts'
import { bareTiff, beginningWith } from './tiff.ts'

export type MetadataChange = {
  readonly photo: SourceImage
  readonly format: DescribedFormat
  readonly metadata: PhotoMetadata
  /** Returns the metadata that the recipe keeps and the format can store. */
  readonly wanted: (metadata: PhotoMetadata) => PhotoMetadata
}

/**
 * Writes a file with the original's coded pixels and changed metadata.
 * @param extension of the result, without the dot
 * @returns undefined if the pixels must be re-encoded, because the file is damaged or stores them in a rare way
 */
export async function changeMetadata(
  job: FileJob<ImageRecipe>,
  change: MetadataChange,
  extension: string,
): Promise<Pick<FinishedFile, 'temporaryPath' | 'extension' | 'width' | 'height'> | undefined> {
  const { warnings, content } = change.photo
  if (change.format === 'tiff' && (await isStack(job.inputPath))) return undefined
  // Warnings are about flaws that the content no longer has.
  const file = warnings === undefined ? await readFile(job.inputPath) : content
  const bytes =
    file &&
    (await changed(file, {
      ...change,
      wanted: (all) => ofPicture(change.wanted(all)),
    }))
  if (bytes === undefined) return undefined
  job.signal.throwIfAborted()
  const path = job.temporaryPath(extension)
  await writeFile(path, bytes, { flag: 'wx' })
  if (!(await areWhole(path, change.format, bytes))) return undefined
  const { width, height } = change.photo
  return { temporaryPath: path, extension, width, height }
}

/** Returns whether a TIFF has several images but only one directory. Without its description, only the first image would be found. */
const isStack = async (path: string): Promise<boolean> =>
  (await pagesOfTiff(path)).pages.some(({ pixels }) => pixels !== undefined)

/** Returns whether all images of the new file decode completely. Copying pixels doesn't reveal that the original is damaged. */
async function areWhole(path: string, format: DescribedFormat, bytes: Buffer): Promise<boolean> {
  if (format !== 'heic' && format !== 'avif') return isWhole(path)
  const { primaryAt, images } = imagesOf(bytes)
  const file = await open(path, 'r+')
  try {
    // Only the primary image of a file can be opened. Make each image the primary one in turn, ending with the real one.
    for (const image of images.toReversed()) {
      await file.write(uint16(image), 0, undefined, primaryAt)
      if (!(await isWhole(path))) return false
    }
    return true
  } finally {
    await file.close()
  }
}

async function isWhole(path: string): Promise<boolean> {
  try {
    await decodeWhole(await openImage(path))
    return true
  } catch {
    return false
  }
}

/** Removes XMP about data after the picture, such as the video of a motion photo, because that data isn't copied. */
const ofPicture = ({ xmp, ...others }: PhotoMetadata): PhotoMetadata => ({
  ...others,
  xmp: xmp && withoutAppended(xmp),
})

async function changed(file: Buffer, change: MetadataChange): Promise<Buffer | undefined> {
  const { format, photo, metadata, wanted } = change
  switch (format) {
    case 'jpeg':
      return changedJpeg(file, change)
    case 'jxl':
      return changedJpegXl(file, change)
    case 'tiff':
      return unlessTooShort(() => changedTiff(file, wanted))
    case 'heic':
    case 'avif': {
      const described = wanted(metadata)
      const hasMap = (await photo.gainMap?.()) !== undefined
      const exif = hasMap ? withAppleHeadroom(described.exif, metadata.exif) : described.exif
      const picture = await bare(file, format)
      return (
        picture &&
        unlessTooShort(() =>
          withHeifMetadata(picture, { ...described, exif }, othersOf(file, imagesOf(picture).images, wanted)),
        )
      )
    }
    default: {
      const picture = await bare(file, format)
      return picture && withMetadata(picture, format, turned(wanted(metadata), metadata))
    }
  }
}

/** Returns the metadata to write for each image except the first, by the image's number. */
function othersOf(
  file: Buffer,
  [, ...images]: readonly number[],
  wanted: MetadataChange['wanted'],
): ReadonlyMap<number, PhotoMetadata> {
  const items = itemsOf(file)
  return new Map(
    images.map((image) => {
      const { exif, ...others } = items === undefined ? {} : describedBy(items, image)
      return [image, wanted({ ...others, exif: exif && withoutExifName(exif), comments: [] })]
    }),
  )
}

/** Keeps the Exif orientation, because only Exif rotates images in these formats. */
function turned(kept: PhotoMetadata, { exif }: PhotoMetadata): PhotoMetadata {
  const orientation = orientationOf(exif)
  return orientation === orientationOf(kept.exif) ? kept : { ...kept, exif: orientationExif(orientation) }
}

async function changedJpeg(file: Buffer, { photo, metadata, wanted }: MetadataChange) {
  const picture = await bare(file, 'jpeg')
  const described = turned(wanted(metadata), metadata)
  const map = await photo.gainMap?.()
  if (picture === undefined || map === undefined) return picture && withMetadata(picture, 'jpeg', described)
  const gainMap = bareGainMap(map)
  const xmp = gainMap && xmpWithGainMap(described.xmp, gainMap.length)
  return gainMap && joinGainMap(withMetadata(picture, 'jpeg', { ...described, xmp }), gainMap)
}

async function changedJpegXl(file: Buffer, { photo, metadata, wanted }: MetadataChange) {
  const { withoutTail } = await import('../jpeg-xl.ts')
  const coded = codestreamOf(file)
  const pixels = coded && withoutTail(coded)
  if (pixels === undefined) return undefined
  const plan = { format: 'jxl', original: photo, mapping: UNCHANGED, isSrgb: false } as const
  return withMetadata(withoutMetadata(file, pixels), 'jxl', describeResult(wanted(metadata), plan, photo))
}

/** Each page has its own metadata. Starts with the last page, because adding tags to a page moves its directory. */
function changedTiff(file: Buffer, wanted: MetadataChange['wanted']): Buffer | undefined {
  const picture = bareTiff(file)
  if (picture === undefined) return undefined
  const parts = [picture.file]
  let end = picture.file.length
  for (const { head, pointer } of picture.pages.toReversed()) {
    const metadata = wanted(tiffMetadata(beginningWith(file, head)))
    const more = isEmptyMetadata(metadata) ? [] : moreForPage(picture.file, metadata, pointer, end)
    parts.push(...more)
    end += more.reduce((sum, { length }) => sum + length, 0)
  }
  return Buffer.concat(parts)
}
