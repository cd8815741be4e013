/** One picture, from file to file. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp, { type FailOnOptions } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { ResultNote } from '../../shared/result-notes.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { drawPicture, isAnimated, planDrawing } from './draw-picture.ts'
import { isSharpFormat, keepsHdr, type OutputFormat, sharpEncoded } from './encode-picture.ts'
import { encodeToGoal, hasGoal } from './encode-to-goal.ts'
import type { Extent } from './geometry.ts'
import { drawGainMap, encodeWithGainMap } from './draw-gain-map.ts'
import { describeFailure } from './picture-failure.ts'
import { isTooLarge, takeOriginal } from '../never-larger.ts'
import { onlyCompresses } from './only-compresses.ts'
import { inOrdinaryLight } from './ordinary-light.ts'
import { flawsBehind } from './picture-flaws.ts'
import { openPicture, type Picture } from './picture.ts'

// Each worker has one picture at a time and there is a worker for each core: more threads would only wait for each
// other. No two pictures are alike either, so that a cache would only hold memory.
sharp.concurrency(1)
sharp.cache(false)

/**
 * @throws ProcessingError with a reason for people when the file can't be processed
 * @throws the signal's reason when the job was stopped
 */
export async function processImage(job: FileJob<ImageRecipe>): Promise<FinishedFile> {
  try {
    job.onProgress({ phase: 'Reading', share: 0 })
    const opened = await openPicture(job.inputPath)
    job.signal.throwIfAborted()
    const format = outputFormatFor(opened, job.recipe.format)
    const picture = staysBright(format, job) ? opened : inOrdinaryLight(opened)
    const extension = extensionFor(format, job.inputPath)
    const temporaryPath = job.temporaryPath(extension)
    job.onProgress({ phase: 'Processing', share: 0.1 })
    const {
      flaws = picture.flaws,
      isToneMapped,
      ...size
    } = await writePicture(picture, format, job, temporaryPath)
    const notes: readonly ResultNote[] = isToneMapped ? ['tone-mapped'] : []
    job.onProgress({ phase: 'Saving', share: 1 })
    // Not every program passes over flaws, and none has to for what is made here.
    if (flaws !== undefined)
      return { temporaryPath, extension, ...size, notes: [...notes, 'flaws-passed-over'], detail: flaws }
    const takesOriginal =
      !isToneMapped &&
      (await isTooLarge(job, temporaryPath)) &&
      (await onlyCompresses(picture, format, job.recipe, job.inputPath))
    if (takesOriginal) await takeOriginal(job, temporaryPath)
    return { temporaryPath, extension, ...size, notes: takesOriginal ? ['original-kept'] : notes }
  } catch (error) {
    if (job.signal.aborted) throw error
    throw describeFailure(error)
  }
}

type WrittenPicture = Extent & {
  readonly flaws?: string
  /** Whether the original could be shown brighter than the result can. */
  readonly isToneMapped: boolean
}

async function writePicture(
  picture: Picture,
  format: OutputFormat,
  job: FileJob<ImageRecipe>,
  temporaryPath: string,
): Promise<WrittenPicture> {
  const { hdr } = picture
  // Eight bits would be too coarse for it.
  const recipe: ImageRecipe = hdr === undefined ? job.recipe : { ...job.recipe, bitDepth: 10 }
  const settings = { ...recipe, hdrColours: hdr }
  const drawing = await planDrawing(picture, format, { ...job, recipe })
  const gainMap = await drawGainMap(drawing)
  const isToneMapped = gainMap === 'lost' || picture.isToneMapped === true
  const write = async (failOn: FailOnOptions) => {
    const image = await drawPicture(drawing, failOn)
    if (isSharpFormat(format) && !hasGoal(recipe) && hdr === undefined && typeof gainMap === 'string') {
      const written = await sharpEncoded(image, format, recipe).toFile(temporaryPath)
      return { width: written.width, height: written.pageHeight ?? written.height, isToneMapped }
    }
    const trying = { isAnimated: isAnimated(drawing), beforeEach: () => job.signal.throwIfAborted() }
    const { bytes, ...extent } =
      typeof gainMap === 'string'
        ? await encodeToGoal(image, format, settings, trying)
        : await encodeWithGainMap(image, gainMap, recipe, trying)
    await writeFile(temporaryPath, bytes, { flag: 'wx' })
    return { ...extent, isToneMapped }
  }
  try {
    return await write('warning')
  } catch (error) {
    const flaws = await flawsBehind(error, drawing.source)
    return { ...(await write('error')), flaws }
  }
}

/** What a variation does to colours is meant for ordinary ones. */
function staysBright(format: OutputFormat, { recipe, variation }: FileJob<ImageRecipe>): boolean {
  return keepsHdr(format) && recipe.hdr === 'keep' && variation === undefined
}

/** What can be written as itself stays; everything else becomes JPEG, or where that would lose something, PNG or WebP. */
export function outputFormatFor(picture: Picture, wanted: ImageRecipe['format']): OutputFormat {
  if (wanted !== 'same') return wanted
  const { format } = picture
  if (format === 'heic' || format === 'bmp') return picture.hasAlpha ? 'png' : 'jpeg'
  if (format === 'gif') return picture.frames > 1 ? 'webp' : 'png'
  return format
}

/** Without the dot. A `.jpeg` that stays JPEG is not renamed. */
function extensionFor(format: OutputFormat, inputPath: string): string {
  if (format !== 'jpeg') return format
  return path.extname(inputPath).toLowerCase() === '.jpeg' ? 'jpeg' : 'jpg'
}
