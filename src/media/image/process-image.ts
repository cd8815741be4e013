/** Processes one image, from input file to output file. */
import { writeFile } from 'node:fs/promises'
import type { Extent } from '../../shared/extent.ts'
import sharp, { type FailOnOptions } from 'sharp'
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import { holding, type OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import type { ResultNote } from '../../shared/result-notes.ts'
import { describeResult } from '../metadata/describe-result.ts'
import type { ResultPlan } from '../metadata/result-plan.ts'
import { isEmptyMetadata, NO_METADATA, type PhotoMetadata } from '../metadata/photo-metadata.ts'
import { metadataIn, readMetadata } from '../metadata/read-metadata.ts'
import { mappingOf } from '../metadata/result-mapping.ts'
import { withoutLocation } from '../metadata/without-location.ts'
import type { DescribedFormat } from '../metadata/metadata-formats.ts'
import { shortenMetadata } from '../metadata/shorten-metadata.ts'
import { fitMetadata } from '../metadata/write-metadata.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { dateOfPhoto } from './capture-date.ts'
import { densityOf, needsHeader, setDensityOf, turnedDensity } from './density.ts'
import { drawImage, planDrawing, profileBytes } from './draw-image.ts'
import { isSharpFormat, sharpEncoders } from './encode-image.ts'
import { encodeToGoal, hasGoal } from './encode-to-goal.ts'
import { planGeometry } from './geometry.ts'
import { drawGainMap, encodeWithGainMap } from './draw-gain-map.ts'
import { asFailure } from './image-failure.ts'
import { borrowJpeg } from '../borrowed-file.ts'
import { holdPhoto } from '../inventory/hold-photo.ts'
import { extensionOfCopy, isTooLarge, takeOriginal } from '../never-larger.ts'
import { isStoredWithoutLoss, onlyCompresses, onlyRemovesMetadata } from './only-compresses.ts'
import { toSdr } from './to-sdr.ts'
import { harmlessWarnings, refuseDamage } from './decoder-warnings.ts'
import { pagesOfTiff } from './tiff-pages.ts'
import { writePages } from './write-pages.ts'
import { openImage, type SourceImage } from './source-image.ts'

// Each core has one worker, and each worker processes one image at a time. More threads would only compete with each other. A cache
// would only use memory, because each image is read only once.
sharp.concurrency(1)
sharp.cache(false)

/**
 * @throws FailureError with a reason for the user if the file can't be processed
 * @throws the signal's reason if the job was stopped
 */
export async function processImage(job: FileJob<ImageRecipe>): Promise<FinishedFile> {
  try {
    job.onProgress({ phase: 'Reading', share: 0 })
    // Read a JPEG here, because libvips would open the file a dozen times to find out its format.
    using jpeg = borrowJpeg(job.inputPath)
    const image = await openImage(job.inputPath, jpeg?.content)
    job.signal.throwIfAborted()
    const metadata = await metadataOf(job.inputPath, image)
    const opened = { ...image, density: uprightDensity(image, metadata) }
    const format = outputFormatFor(opened, job.recipe, job.variation !== undefined)
    const original = { photo: opened, metadata }
    const photo = staysHdr(format, job) ? opened : toSdr(opened)
    const fitting = fitMetadata(wantedOf(metadata, job.recipe), format)
    const extension = extensionFor(format)
    const copied = await withPixelsKept(opened, job, metadata)
    if (copied !== undefined) return await holdPhoto(job, original, copied, false)
    const exact = await withoutNewLoss(opened, job)
    job.onProgress({ phase: 'Processing', share: 0.1, pixels: pixelsOfWork(photo, job) })
    const write = async (page: SourceImage, own = exact, path = job.inputPath) => {
      const described = path === job.inputPath ? metadata : await metadataOf(path, page)
      const kept = fitMetadata(wantedOf(described, job.recipe), format)
      return writeImage(page, format, { ...own, extension, metadata: kept.metadata })
    }
    const isTiff = format === 'tiff' && opened.format === 'tiff'
    const { pages } = isTiff ? await pagesOfTiff(job.inputPath) : { pages: [] }
    const whole = pages.length > 1 ? await writePages(photo, pages, exact, write) : undefined
    const {
      warnings: reported = photo.warnings,
      isToneMapped,
      isShrunk = false,
      temporaryPath,
      losses: lostForSize = [],
      ...size
    } = whole?.first ?? (await write(photo))
    const warnings = whole === undefined ? reported : whole.warnings
    const isEncodedInstead = exact === job && wantsPixelsKept(opened, job)
    const notes: readonly ResultNote[] = [
      ...(isToneMapped ? (['tone-mapped'] as const) : []),
      ...(isEncodedInstead ? (['encoded-instead'] as const) : []),
      ...((whole?.isShrunk ?? isShrunk) ? (['shrunk-to-fit'] as const) : []),
    ]
    const losses = [...(photo.losses ?? []), ...fitting.losses, ...lostForSize, ...(whole?.losses ?? [])]
    const made = {
      extension,
      ...size,
      ...(exact === job ? {} : LOSSLESS),
      taken: dateOfPhoto(metadata),
      losses,
    }
    job.onProgress({ phase: 'Saving', share: 1 })
    const takesOriginal =
      // Some programs reject a flawed original, but none reject the re-encoded file.
      ((warnings === undefined && !isToneMapped) || job.neverLarger === 'always') &&
      (await isTooLarge(job, temporaryPath)) &&
      (whole?.onlyCompresses ?? (await onlyCompresses(opened, format, job)))
    if (takesOriginal) return { ...made, ...(await originalOf(job)) }
    const flaws = flawsOf(warnings)
    return await holdPhoto(job, original, {
      ...made,
      temporaryPath,
      ...flaws,
      notes: [...notes, ...flaws.notes],
    })
  } catch (error) {
    if (job.signal.aborted) throw error
    throw asFailure(error)
  }
}

const LOSSLESS = { quality: 'lossless' } as const

const wantsPixelsKept = (photo: SourceImage, { variation, recipe }: FileJob<ImageRecipe>): boolean =>
  variation === undefined && onlyRemovesMetadata(photo, recipe)

/** Reports flaws of the original that don't affect its image. */
const flawsOf = (warnings: string | undefined): Pick<FinishedFile, 'notes' | 'detail'> =>
  warnings === undefined ? { notes: [] } : { notes: ['flaws-passed-over'], detail: warnings }

async function originalOf(job: FileJob<ImageRecipe>) {
  const extension = await extensionOfCopy(job.inputPath)
  const temporaryPath = await takeOriginal(job, extension)
  return { extension, temporaryPath, notes: ['original-kept'], losses: [], quality: 'lossless' } as const
}

/**
 * Returns the horizontal pixels per inch of the upright image. The file states them for its stored orientation, which matters if pixels
 * aren't square.
 */
function uprightDensity({ density, rotatedByFile, pixelAspect = 1 }: SourceImage, { exif }: PhotoMetadata) {
  const stored = densityOf(density, exif)
  return stored !== undefined && rotatedByFile ? stored / pixelAspect : stored
}

const metadataOf = async (path: string, { format, content }: SourceImage): Promise<PhotoMetadata> =>
  content === undefined ? readMetadata(path, format) : metadataIn(content, format)

/**
 * Changes only the metadata and keeps the coded pixels.
 * @returns undefined if the recipe changes more than the metadata, or the pixels must be re-encoded anyway
 */
async function withPixelsKept(
  photo: SourceImage,
  job: FileJob<ImageRecipe>,
  metadata: PhotoMetadata,
): Promise<FinishedFile | undefined> {
  const { format } = photo
  if (format === 'bmp' || !wantsPixelsKept(photo, job)) return undefined
  const { changeMetadata } = await import('./bare/change-metadata.ts')
  const { losses } = fitMetadata(wantedOf(metadata, job.recipe), format)
  const wanted = (all: PhotoMetadata) => fitMetadata(wantedOf(all, job.recipe), format).metadata
  const extension = extensionFor(format)
  const file = await changeMetadata(job, { photo, format, metadata, wanted }, extension)
  return file && { ...file, ...LOSSLESS, taken: dateOfPhoto(metadata), losses, ...flawsOf(photo.warnings) }
}

/** Returns the job with lossless encoding if it only removes metadata from lossless pixels. */
async function withoutNewLoss(photo: SourceImage, job: FileJob<ImageRecipe>): Promise<FileJob<ImageRecipe>> {
  const isExact = wantsPixelsKept(photo, job) && (await isStoredWithoutLoss(job.inputPath, photo))
  return isExact ? { ...job, recipe: { ...job.recipe, lossless: true } } : job
}

function pixelsOfWork(photo: SourceImage, { recipe, variation }: FileJob<ImageRecipe>): number {
  const { scaled = photo } = planGeometry(photo, recipe, variation)
  return photo.frames * (photo.width * photo.height + scaled.width * scaled.height)
}

type Described = { readonly extension: string; readonly metadata: PhotoMetadata }

type WrittenImage = Extent & {
  readonly temporaryPath: string
  readonly quality?: Quality | undefined
  readonly warnings?: string
  /** What didn't fit into the maximum file size. */
  readonly losses?: readonly Loss[]
  /** Whether HDR brightness was lost, because the image was tone-mapped or its gain map couldn't be kept. */
  readonly isToneMapped: boolean
  /** Whether the maximum file size required smaller dimensions. */
  readonly isShrunk?: boolean
}

function wantedOf(metadata: PhotoMetadata, { metadata: wanted }: ImageRecipe): PhotoMetadata {
  if (wanted === 'strip') return NO_METADATA
  return wanted === 'keep' ? metadata : withoutLocation(metadata)
}

async function writeImage(
  photo: SourceImage,
  format: OutputFormat,
  { extension, metadata, ...job }: FileJob<ImageRecipe> & Described,
): Promise<WrittenImage> {
  const { hdr } = photo
  const bitDepth = depthOfAvif(photo, format, job.recipe)
  const recipe: ImageRecipe = { ...job.recipe, bitDepth: bitDepth === 8 ? 8 : 10 }
  const { drawing, room } = await planWithinSize(photo, format, { ...job, recipe })
  const plan: ResultPlan = {
    format,
    original: photo,
    mapping: mappingOf(photo, drawing.geometry),
    isSrgb: hdr === undefined && drawing.recipe.colour === 'srgb',
  }
  const isPlain = isEmptyMetadata(metadata)
  let lostTags = 0
  const describe = isPlain
    ? undefined
    : (extent: Extent) => {
        const shortened = shortenMetadata(describeResult(metadata, plan, extent), room)
        // If the result has no Exif left, its comparison with the original reports that.
        lostTags = shortened.metadata.exif === undefined ? 0 : shortened.count
        return shortened.metadata
      }
  const stored = { perInch: photo.density, aspect: photo.pixelAspect ?? 1 }
  const density = drawing.geometry.rotation % 180 === 0 ? stored : turnedDensity(stored)
  const settings = { ...recipe, bitDepth, hdrColors: hdr, describe, density, timing: drawing.timing }
  const gainMap = await drawGainMap(drawing)
  const isToneMapped = gainMap === 'lost' || photo.isToneMapped === true
  const said: string[] = []
  const write = async (failOn: FailOnOptions) => {
    const image = await drawImage(drawing, failOn)
    image.on('warning', (warning: string) => said.push(warning))
    const temporaryPath = job.temporaryPath(extension)
    const isOnlyPixels = isPlain && typeof gainMap === 'string' && !needsHeader(format, density)
    const isStill = hdr === undefined && settings.timing === undefined
    if (isSharpFormat(format) && isOnlyPixels && isStill && !hasGoal(recipe)) {
      const written = await sharpEncoders[format](image, settings).toFile(temporaryPath)
      if (format === 'jpeg' || format === 'png') setDensityOf(temporaryPath, format, density)
      const height = written.pageHeight ?? written.height
      return { temporaryPath, width: written.width, height, isToneMapped }
    }
    const trying = { beforeEach: () => job.signal.throwIfAborted() }
    const { bytes, ...extent } =
      typeof gainMap === 'string'
        ? await encodeToGoal(image, format, settings, trying)
        : await encodeWithGainMap(image, gainMap, settings, trying)
    await writeFile(temporaryPath, bytes, { flag: 'wx' })
    const hasOtherColors = drawing.recipe.colour !== recipe.colour && photo.hasOwnColors
    const losses = [
      ...(lostTags === 0 ? [] : [loss('tags', { count: lostTags }, lossReason('notWritten'))]),
      ...(hasOtherColors ? [loss('color', {}, lossReason('notWritten'))] : []),
    ]
    const { framed, kept, image: planned } = drawing.geometry
    const { width, height } = framed ?? kept ?? planned
    const isShrunk = extent.width < width || extent.height < height
    return { ...extent, temporaryPath, isToneMapped, isShrunk, losses }
  }
  try {
    const written = await write('warning')
    refuseDamage(said)
    return written
  } catch (error) {
    const warnings = await harmlessWarnings(error, drawing.source)
    return { ...(await write('error')), warnings }
  }
}

/** Fraction of the maximum file size that the color profile and the metadata may use. The image uses the rest. */
const MOST_OF_ROOM = 0.5

/**
 * Plans a drawing. Converts its colors to sRGB if the profile would leave too little room for the image.
 * @returns `room`: maximum number of bytes of the metadata
 */
async function planWithinSize(photo: SourceImage, format: OutputFormat, job: FileJob<ImageRecipe>) {
  const { recipe } = job
  const drawing = await planDrawing(photo, format, job)
  if (recipe.maxBytes === undefined) return { drawing, room: Infinity }
  const room = recipe.maxBytes * MOST_OF_ROOM
  const rest = room - (await profileBytes(drawing))
  if (rest >= 0) return { drawing, room: rest }
  const inSrgb = { ...job, recipe: { ...recipe, colour: 'srgb' as const } }
  return { drawing: await planDrawing(photo, format, inSrgb), room }
}

/** Returns the bits per channel that an AVIF gets. At 8 bits, HDR shows banding. */
function depthOfAvif(photo: SourceImage, format: OutputFormat, recipe: ImageRecipe): 8 | 10 | 12 {
  const staysAvif = recipe.format === 'same' && format === 'avif'
  const least = photo.hdr === undefined ? recipe.bitDepth : 10
  return staysAvif && photo.bits > least ? (photo.bits > 10 ? 12 : 10) : least
}

/** Returns whether HDR is kept. Variations always use SDR, because their color changes are designed for it. */
function staysHdr(format: OutputFormat, { recipe, variation }: FileJob<ImageRecipe>): boolean {
  return holding(format).hasHdr && recipe.hdr === 'keep' && variation === undefined
}

/**
 * Returns the requested format. For `same`, returns the input's format if this module can write it. HEIC and BMP become JPEG, or PNG if
 * they have alpha. A BMP also becomes PNG if the recipe only removes metadata. GIF becomes PNG, or WebP if it is animated.
 */
export function outputFormatFor(photo: SourceImage, recipe: ImageRecipe, isVaried = false): OutputFormat {
  if (recipe.format !== 'same') return recipe.format
  const { format } = photo
  if (format === 'bmp' && !isVaried && onlyRemovesMetadata(photo, recipe)) return 'png'
  if (format === 'heic' || format === 'bmp') return photo.hasAlpha ? 'png' : 'jpeg'
  if (format === 'gif') return photo.frames > 1 ? 'webp' : 'png'
  return format
}

const extensionFor = (format: DescribedFormat): string => (format === 'jpeg' ? 'jpg' : format)
