/** Processes all pages of a TIFF file into another TIFF file. */
import { rm, stat } from 'node:fs/promises'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { loss, type Loss, type LossReason, lossReason } from '../../shared/loss/loss.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { isWorthComparing, looksLikeOriginal } from '../inventory/same-picture.ts'
import { takeOriginal } from '../never-larger.ts'
import type { FileJob } from '../protocol.ts'
import { asFailure } from './image-failure.ts'
import { onlyCompresses } from './only-compresses.ts'
import { openImage, type SourceImage } from './source-image.ts'
import { joinPages, startWithPage, type TiffPage } from './tiff-pages.ts'

type Job = FileJob<ImageRecipe>

/** Processes a single image. `path` leads to a file whose first page is that image. */
type Write<Written> = (photo: SourceImage, job: Job, path: string) => Promise<Written>

export type WrittenPages<Written> = {
  /** The first page, whose file contains all pages. */
  readonly first: Written
  /** Pages that the result lacks. */
  readonly losses: readonly Loss[]
  /** Whether the recipe only changes the file size of each page. */
  readonly onlyCompresses: boolean
}

/** Failures that cost only the affected page. All other failures, such as a full disk, end the task. */
const OF_A_PAGE: Readonly<Partial<Record<Failure['code'], LossReason>>> = {
  fileDamaged: lossReason('damaged'),
  photoUnsupported: lossReason('undecodable'),
  tiffUnsupported: lossReason('undecodable'),
  photoOfOtherKind: lossReason('undecodable'),
  photoUnknown: lossReason('undecodable'),
  photoTooLarge: lossReason('undecodable'),
}

/**
 * Processes all pages into one file. If the recipe has a maximum file size, may process them twice.
 * @param photo the first page
 * @throws as `processImage` does, if the first page can't be processed
 */
export async function writePages<Written extends { readonly temporaryPath: string }>(
  photo: SourceImage,
  pages: readonly TiffPage[],
  job: Job,
  write: Write<Written>,
): Promise<WrittenPages<Written>> {
  const { maxBytes } = job.recipe
  if (maxBytes === undefined) return writeAll(photo, pages, job, write)
  const sizes: number[] = []
  const whole = await writeAll(photo, pages, withLimit(job, undefined), async (page, own, path) => {
    const written = await write(page, own, path)
    sizes.push((await stat(written.temporaryPath)).size + PADDING)
    return written
  })
  const limit = limitOfPage(sizes, maxBytes)
  if (limit === undefined) return whole
  await rm(whole.first.temporaryPath)
  return writeAll(photo, pages, withLimit(job, limit), write)
}

const withLimit = (job: Job, maxBytes: number | undefined): Job => ({
  ...job,
  recipe: { ...job.recipe, maxBytes },
})

/** Additional bytes that a page may need in a file with other pages. */
const PADDING = 1

/** Returns the largest size that each page may have; undefined if no page must become smaller. */
function limitOfPage(sizes: readonly number[], maxBytes: number): number | undefined {
  let left = maxBytes
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const fair = left / (sizes.length - index)
    if (size > fair) return Math.floor(fair) - PADDING
    left -= size
  }
  return undefined
}

async function writeAll<Written extends { readonly temporaryPath: string }>(
  photo: SourceImage,
  pages: readonly TiffPage[],
  job: Job,
  write: Write<Written>,
): Promise<WrittenPages<Written>> {
  const first = await write(photo, job, job.inputPath)
  const append = await joinPages(first.temporaryPath)
  const copy = await takeOriginal(job, 'tiff')
  const losses: Loss[] = []
  let isOnlySmaller = await compressesPage(photo, job, job.inputPath)
  for (const [index, page] of pages.entries()) {
    if (index === 0) continue
    job.signal.throwIfAborted()
    job.onProgress({ phase: 'Processing', share: 0.1 + (0.9 * index) / pages.length })
    await startWithPage(copy, page)
    const missing = await addPage()
    if (missing !== undefined) losses.push(pageLoss(index + 1, missing))
  }
  await rm(copy)
  return {
    first,
    losses,
    onlyCompresses: isOnlySmaller && (losses.length === 0 || job.neverLarger === 'always'),
  }

  /** Writes the page that `copy` starts with and appends it to the result. Returns why the page is missing; undefined if it isn't. */
  async function addPage(): Promise<LossReason | undefined> {
    try {
      const page = await openImage(copy)
      const written = await write(page, job, copy)
      const { temporaryPath } = written
      if (job.variation === undefined && isWorthComparing(page))
        if (!(await looksLikeOriginal(copy, page, temporaryPath, job.recipe)))
          throw new FailureError(failure('resultDiffers'))
      const isAdded = await append(temporaryPath)
      await rm(temporaryPath)
      isOnlySmaller &&= await compressesPage(page, job, copy)
      return isAdded ? undefined : lossReason('formatLimit', { format: 'TIFF' })
    } catch (error) {
      job.signal.throwIfAborted()
      const known = asFailure(error)
      const reason = OF_A_PAGE[known.failure.code]
      if (reason === undefined) throw known
      return reason
    }
  }
}

const pageLoss = (page: number, why: LossReason): Loss =>
  loss('pages', { count: 1, first: page, last: page }, why)

async function compressesPage(page: SourceImage, job: Job, inputPath: string): Promise<boolean> {
  const stored = page.stored && { stored: { ...page.stored, pages: 1 } }
  return onlyCompresses({ ...page, ...stored }, 'tiff', { ...job, inputPath })
}
