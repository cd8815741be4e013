/** Measures how similar results look to their originals, without delaying jobs much. Loads image and video code on first use. */
import type { Loss, LossCode } from '../shared/loss/loss.ts'
import type { Quality } from '../shared/quality/quality.ts'
import type { FinishedFile, WorkerTask } from './protocol.ts'

/** Maximum time for measuring, as a share of the processing time. Results that must be measured are exempt. */
const MOST_SHARE = { image: 1 / 40, video: 1 / 20 }

let processingMs = 0
let measuringMs = 0
/**
 * Expected time for the next measurement: the time for the last one. The initial values are typical for 12 megapixels and for a long video
 * of 1080p.
 */
const expectedMs = { image: 250, video: 2_000 }

/**
 * Returns the finished file with its quality. Doesn't measure the quality if it is already known or isn't wanted, or if measuring would
 * take too long. Leaves out a quality that can't be measured, and `lossless` if colors were lost.
 * @param made path of the original, which is still open, and the time in ms that processing it took
 * @throws the signal's reason
 */
export async function rateResult(file: FinishedFile, task: WorkerTask, made: Made): Promise<FinishedFile> {
  const { quality: found, ...rated } = await measured(file, task, made)
  const quality = unlessColorsLost(found, rated.losses)
  return quality === undefined ? rated : { ...rated, quality }
}

/** Losses that occur before encoding. With one of them, even a losslessly encoded result may look different. */
const OF_COLORS: ReadonlySet<LossCode> = new Set(['inks', 'color', 'bitDepth', 'alpha', 'hdr', 'gainMap'])

const changesColors = ({ code }: Loss): boolean => OF_COLORS.has(code)

/** Returns the quality of a result with these losses; undefined if it is called lossless, but its colors were lost. */
export const unlessColorsLost = (
  quality: Quality | undefined,
  losses: readonly Loss[],
): Quality | undefined => (quality === 'lossless' && losses.some(changesColors) ? undefined : quality)

async function measured(
  file: FinishedFile,
  { keepBelowQuality, isRated, recipe, variation }: WorkerTask,
  made: Made,
): Promise<FinishedFile> {
  const { inputPath, signal } = made
  processingMs += made.milliseconds
  // A variation is meant to look different.
  const isNeeded = keepBelowQuality !== undefined
  if ((isRated !== true && !isNeeded) || variation !== undefined || file.quality !== undefined) return file
  if (hasSamePictures(file, recipe)) return { ...file, quality: 'lossless' }
  if (!isNeeded && measuringMs + expectedMs[recipe.kind] > processingMs * MOST_SHARE[recipe.kind]) return file
  const begun = performance.now()
  const quality = await measure(inputPath, file.temporaryPath, recipe, signal).catch(() => undefined)
  const milliseconds = performance.now() - begun
  expectedMs[recipe.kind] = milliseconds
  measuringMs += milliseconds
  signal.throwIfAborted()
  return quality === undefined ? file : { ...file, quality }
}

type Made = { readonly inputPath: string; readonly milliseconds: number; readonly signal: AbortSignal }

function hasSamePictures({ notes }: FinishedFile, recipe: WorkerTask['recipe']): boolean {
  const isCopied =
    notes.includes('pictures-copied') || (recipe.kind === 'video' && recipe.video.codec === 'copy')
  return notes.includes('original-kept') || (isCopied && !notes.includes('encoded-instead'))
}

async function measure(
  inputPath: string,
  resultPath: string,
  recipe: WorkerTask['recipe'],
  signal: AbortSignal,
): Promise<Quality | undefined> {
  if (recipe.kind === 'image') {
    const { qualityOfFile } = await import('./image/photo-quality.ts')
    return qualityOfFile(inputPath, resultPath, recipe.image)
  }
  const { qualityOfVideo } = await import('./video/video-quality.ts')
  return qualityOfVideo(inputPath, resultPath, recipe.video, signal)
}
