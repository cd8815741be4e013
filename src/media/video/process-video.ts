/** One video in, one video out. Everything happens in this process, on FFmpeg's libraries. */
import { rm } from 'node:fs/promises'
import { AV_LOG_QUIET } from 'node-av/constants'
import { Log } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { chipCodecOf, chooseChip } from './choose-chip.ts'
import { type Chip, type ChipCodec, chipsHere } from './chips.ts'
import { convertVideo } from './convert-video.ts'
import { crfForLook } from './find-look.ts'
import { fitVideo } from './fit-size.ts'
import { neverLarger } from './never-larger.ts'
import type { OpenEncoder } from './picture-encoder.ts'

/**
 * @param chips that may encode it, for tests
 * @throws ProcessingError with a reason for a person; `signal.reason` soon after the job was stopped. What was written
 *   until then is left for the caller to remove
 */
export async function processVideo(
  job: FileJob<VideoRecipe>,
  chips: readonly Chip[] = chipsHere(),
): Promise<FinishedFile> {
  silence()
  return neverLarger(job, await byRecipe(job, chips), convertVideo)
}

async function byRecipe(job: FileJob<VideoRecipe>, chips: readonly Chip[]): Promise<FinishedFile> {
  const { recipe } = job
  if (recipe.maxBytes !== undefined) return fitVideo(job, recipe.maxBytes)
  if (recipe.look === undefined || recipe.codec === 'copy' || recipe.codec === 'webp')
    return onBestEngine(job, chips)
  const crf = await crfForLook(job, recipe.codec, recipe.look)
  return onBestEngine({ ...job, recipe: { ...recipe, look: undefined, crf } }, chips)
}

/** Where a part of the film can't be tried, all of it may still be worth encoding. */
async function chosenChip(
  job: FileJob<VideoRecipe>,
  codec: ChipCodec,
  chips: readonly Chip[],
): Promise<OpenEncoder | undefined> {
  try {
    return await chooseChip(job, codec, chips)
  } catch {
    job.signal.throwIfAborted()
    return undefined
  }
}

/** A chip that fails, at once or in the middle, costs nothing but time. */
async function onBestEngine(job: FileJob<VideoRecipe>, chips: readonly Chip[]): Promise<FinishedFile> {
  const codec = chipCodecOf(job.recipe)
  const open = codec && (await chosenChip(job, codec, chips))
  if (open === undefined) return convertVideo(job)
  let unfinished: string | undefined
  try {
    const onChip = {
      ...job,
      temporaryPath: (extension: string) => (unfinished = job.temporaryPath(extension)),
    }
    const finished = await convertVideo(onChip, { open })
    return { ...finished, notes: [...finished.notes, 'hardware-encoder'] }
  } catch {
    job.signal.throwIfAborted()
    if (unfinished !== undefined) await rm(unfinished, { force: true })
    const finished = await convertVideo(job)
    return { ...finished, notes: [...finished.notes, 'software-after-failure'] }
  }
}

/** What goes wrong comes back as an error code; the libraries' own talk would only fill the log. */
export function silence(): void {
  Log.setLevel(AV_LOG_QUIET)
  process.env['SVT_LOG'] = '1'
}
