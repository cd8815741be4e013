/** One video in, one video out. Everything happens in this process, on FFmpeg's libraries. */
import { AV_LOG_QUIET } from 'node-av/constants'
import { Log } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { convertVideo } from './convert-video.ts'
import { crfForLook } from './find-look.ts'
import { fitVideo } from './fit-size.ts'
import { neverLarger } from './never-larger.ts'

/**
 * @throws ProcessingError with a reason for a person; `signal.reason` soon after the job was stopped. What was written
 *   until then is left for the caller to remove
 */
export async function processVideo(job: FileJob<VideoRecipe>): Promise<FinishedFile> {
  silence()
  return neverLarger(job, await byRecipe(job), convertVideo)
}

async function byRecipe(job: FileJob<VideoRecipe>): Promise<FinishedFile> {
  const { recipe } = job
  if (recipe.maxBytes !== undefined) return fitVideo(job, recipe.maxBytes)
  if (recipe.look === undefined || recipe.codec === 'copy') return convertVideo(job)
  const crf = await crfForLook(job, recipe.codec, recipe.look)
  return convertVideo({ ...job, recipe: { ...recipe, look: undefined, crf } })
}

/** What goes wrong comes back as an error code; the libraries' own talk would only fill the log. */
export function silence(): void {
  Log.setLevel(AV_LOG_QUIET)
  process.env['SVT_LOG'] = '1'
}
