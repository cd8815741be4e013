/** Processes one video with FFmpeg's libraries, in the current process. */
import { rm } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type HardwareCodec, hardwareCodecOf } from '../../shared/video-cores.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { silenceFfmpeg } from '../ffmpeg/ffmpeg.ts'
import { chooseHardware } from './choose-hardware.ts'
import { type HardwareEncoder, possibleHardware } from './hardware-encoders.ts'
import { convertVideo } from './convert-video.ts'
import { holdVideo } from '../inventory/hold-video.ts'
import { isVideoCodec } from './encoder-settings.ts'
import { crfForVisualQuality } from './find-visual-quality.ts'
import { fitVideo } from './fit-size.ts'
import { neverLarger } from './never-larger.ts'
import type { OpenEncoder } from './video-encoder.ts'

export { useCores } from './codec-threads.ts'

/**
 * @param candidates hardware encoders that may be used; tests can replace them
 * @throws FailureError with a reason for the user
 * @throws `signal.reason` soon after the job was stopped. The caller must remove any files written so far.
 */
export async function processVideo(
  job: FileJob<VideoRecipe>,
  candidates: readonly HardwareEncoder[] = possibleHardware(),
): Promise<FinishedFile> {
  silence()
  const finished = await neverLarger(job, await byRecipe(job, candidates), convertVideo)
  // An exact copy has everything that the original has.
  return finished.notes.includes('original-kept') ? finished : holdVideo(job, finished)
}

async function byRecipe(
  job: FileJob<VideoRecipe>,
  candidates: readonly HardwareEncoder[],
): Promise<FinishedFile> {
  const { recipe } = job
  if (recipe.maxBytes !== undefined) return fitVideo(job, recipe.maxBytes)
  const { codec, look } = recipe
  if (look === undefined || !isVideoCodec(codec)) return onBestEngine(job, candidates)
  const crf = await crfForVisualQuality(job, codec, look)
  return onBestEngine({ ...job, recipe: { ...recipe, look: undefined, crf } }, candidates)
}

/** Like `chooseHardware`, but returns undefined if the samples can't be encoded, because encoding the whole video may still succeed. */
async function chosenHardware(
  job: FileJob<VideoRecipe>,
  codec: HardwareCodec,
  candidates: readonly HardwareEncoder[],
): Promise<OpenEncoder | undefined> {
  try {
    return await chooseHardware(job, codec, candidates)
  } catch {
    job.signal.throwIfAborted()
    return undefined
  }
}

/** Encodes the video with the best encoder. If a hardware encoder fails at any point, encodes the video in software from scratch. */
async function onBestEngine(
  job: FileJob<VideoRecipe>,
  candidates: readonly HardwareEncoder[],
): Promise<FinishedFile> {
  const codec = hardwareCodecOf(job.recipe)
  const open = codec && (await chosenHardware(job, codec, candidates))
  if (open === undefined) return convertVideo(job)
  let unfinished: string | undefined
  try {
    const onHardware = {
      ...job,
      temporaryPath: (extension: string) => (unfinished = job.temporaryPath(extension)),
    }
    const finished = await convertVideo(onHardware, { open })
    return { ...finished, notes: [...finished.notes, 'hardware-encoder'] }
  } catch {
    job.signal.throwIfAborted()
    if (unfinished !== undefined) await rm(unfinished, { force: true })
    const finished = await convertVideo(job)
    return { ...finished, notes: [...finished.notes, 'software-after-failure'] }
  }
}

/** Silences FFmpeg and SVT-AV1, which has its own log. */
export function silence(): void {
  silenceFfmpeg()
  process.env['SVT_LOG'] = '1'
}
