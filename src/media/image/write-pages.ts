/** Processes all pages of a TIFF file into another TIFF file. */
import { hasNearlyRunOut } from '../../node/memory-limit.ts'
import { rm, stat } from 'node:fs/promises'
import type { Extent } from '../../shared/extent.ts'
import type { Failure } from '../../shared/failure/failure.ts'
import { loss, type Loss, type LossCode, type LossReason, lossReason } from '../../shared/loss/loss.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { mergeLosses } from '../inventory/compare-inventories.ts'
import { holdPhoto } from '../inventory/hold-photo.ts'
import { takeOriginal } from '../never-larger.ts'
import type { FileJob } from '../protocol.ts'
import { asFailure } from './image-failure.ts'
import { onlyCompresses } from './only-compresses.ts'
import { openImage, type SourceImage } from './source-image.ts'
import { joinPages, startWithPage, type TiffPage } from './tiff-pages.ts'

type Job = FileJob<ImageRecipe>

/** Processes a single image. `path` leads to a file whose first page is that image. */
type Write<Written> = (photo: SourceImage, job: Job, path: string) => Promise<Written>

type WrittenPage = Extent & {
  readonly temporaryPath: string
  readonly warnings?: string
  readonly losses?: readonly Loss[]
  readonly isShrunk?: boolean
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
 * @throws as `processImage` does, if the first page can't be processed, or if another page fails for a reason that isn't in `OF_A_PAGE` or
 * may lack memory
 */
export async function writePages<Written extends WrittenPage>(
  photo: SourceImage,
  pages: readonly TiffPage[],
  job: Job,
  write: Write<Written>,
) {
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

async function writeAll<Written extends WrittenPage>(
  photo: SourceImage,
  pages: readonly TiffPage[],
  job: Job,
  write: Write<Written>,
) {
  const first = await write(photo, job, job.inputPath)
  const append = await joinPages(first.temporaryPath)
  const copy = await takeOriginal(job, 'tiff')
  let losses: readonly Loss[] = []
  const flaws = [first.warnings ?? photo.warnings]
  let { isShrunk = false } = first
  let isOnlySmaller = await compressesPage(photo, job, job.inputPath)
  for (const [index, page] of pages.entries()) {
    if (index === 0) continue
    job.signal.throwIfAborted()
    job.onProgress({ phase: 'Processing', share: 0.1 + (0.9 * index) / pages.length })
    await startWithPage(copy, page)
    const lost = await addPage(index + 1)
    losses = 'code' in lost ? [...losses, lost] : mergeLosses(losses, lost)
  }
  await rm(copy)
  const warnings = flaws.filter((one) => one !== undefined)
  return {
    /** The first page, whose file contains all pages. */
    first,
    /** What later pages lost. */
    losses,
    /** Flaws of any page that don't affect its image. */
    warnings: warnings.length === 0 ? undefined : [...new Set(warnings)].join('; '),
    /** Whether the maximum file size required smaller dimensions of any page. */
    isShrunk,
    /**
     * Whether the recipe only changes the file size of each page, and no page has losses. With `neverLarger: 'always'`, losses don't count.
     */
    onlyCompresses: isOnlySmaller && (losses.length === 0 || job.neverLarger === 'always'),
  }

  /** Writes the page that `copy` starts with and appends it to the result. Returns what the page lost, or that it is missing. */
  async function addPage(number: number): Promise<readonly Loss[] | Loss> {
    try {
      const page = await openImage(copy)
      const written = await write(page, job, copy)
      const { temporaryPath, warnings = page.warnings, width, height } = written
      const lost = [...(page.losses ?? []), ...(written.losses ?? [])]
      const { losses: all } = await holdPhoto(
        { ...job, inputPath: copy },
        { photo: page },
        { temporaryPath, extension: 'tiff', width, height, losses: lost, notes: [] },
      )
      const isAdded = await append(temporaryPath)
      await rm(temporaryPath)
      isOnlySmaller &&= await compressesPage(page, job, copy)
      if (!isAdded) return pageLoss(number, lossReason('formatLimit', { format: 'TIFF' }))
      flaws.push(warnings)
      if (written.isShrunk === true) isShrunk = true
      return all.filter(({ code }) => !OF_FILE.has(code))
    } catch (error) {
      job.signal.throwIfAborted()
      const known = asFailure(error)
      const reason = OF_A_PAGE[known.failure.code]
      if (reason === undefined || hasNearlyRunOut()) throw known
      return pageLoss(number, reason)
    }
  }
}

/** Losses of the whole file, which don't count for a page. The copy still contains the data of all other pages. */
const OF_FILE: ReadonlySet<LossCode> = new Set<LossCode>(['pages', 'appendedData'])

const pageLoss = (page: number, why: LossReason): Loss =>
  loss('pages', { count: 1, first: page, last: page }, why)

async function compressesPage(page: SourceImage, job: Job, inputPath: string): Promise<boolean> {
  const stored = page.stored && { stored: { ...page.stored, pages: 1 } }
  return onlyCompresses({ ...page, ...stored }, 'tiff', { ...job, inputPath })
}
