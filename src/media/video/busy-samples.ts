/** Takes samples of a video where it has the most motion, and tests encoders on them. */
import type { EncodedCodec } from './encoder-settings.ts'
import type { OpenEncoder } from './video-encoder.ts'
import { encodeSample, type Sample, type SampleJob, type Samples, takeSamples } from './sample.ts'
import { scoreOf } from './score.ts'
import { openSourceFile } from './source-file.ts'
import { sampleWindows, surveyVideo } from './survey.ts'

/** Maximum size of all samples together. Decoded frames are large, and all samples are in memory at once. */
const MAX_SAMPLE_BYTES = 400_000_000
const MAX_FRAMES = 90

/**
 * Fraction of each sample, from its start, that isn't scored, unless the samples cover the whole video. Encoders spend more on a keyframe,
 * and the frames right after it still benefit.
 */
const NOT_TYPICAL = 1 / 3

export type BusySamples = Samples & {
  /** Whether the video is so short that the samples cover all of it. */
  readonly areAll: boolean
}

export async function busySamples(job: SampleJob, codec: EncodedCodec): Promise<BusySamples> {
  const { windows, areAll } = await busyWindows(job)
  return { ...(await takeSamples(job, codec, windows)), areAll }
}

async function busyWindows({ inputPath, signal, pause }: SampleJob) {
  await using source = await openSourceFile(inputPath, signal, pause)
  const survey = await surveyVideo(source, signal)
  const { width, height } = source.video.codecpar
  const affordable = Math.min(MAX_FRAMES, MAX_SAMPLE_BYTES / (width * height * 1.5))
  return {
    windows: sampleWindows(survey, 'busy', affordable),
    areAll: survey.frames.length <= affordable,
  }
}

export type Trial = Awaited<ReturnType<typeof tryOut>>

/**
 * Encodes the samples and measures the result.
 * @returns `decibels` XPSNR against the original frames: the mean of all samples, because the worst sample may be a single moment
 */
export async function tryOut({ samples, areAll }: BusySamples, encoderFor: (sample: Sample) => OpenEncoder) {
  let [noise, frames, bytes, milliseconds] = [0, 0, 0, 0]
  for (const sample of samples) {
    const count = sample.frames.length
    using encoded = await encodeSample(sample, encoderFor(sample))
    const leftOut = areAll ? 0 : Math.floor(count * NOT_TYPICAL)
    noise += 10 ** (-(await scoreOf(sample, encoded, leftOut)) / 10) * count
    frames += count
    bytes += encoded.alone.bytes + encoded.following.bytes
    milliseconds += encoded.milliseconds
  }
  return { decibels: -10 * Math.log10(noise / frames), bytes, milliseconds }
}
