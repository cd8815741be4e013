/** Parts of a film where most moves, and how an encoder does on them. */
import type { EncodedCodec } from './encoder-settings.ts'
import type { OpenEncoder } from './picture-encoder.ts'
import { encodeSample, type Sample, type SampleJob, takeSample } from './sample.ts'
import { scoreOf } from './score.ts'
import { openSourceFile } from './source-file.ts'
import { sampleWindows, type Survey, surveyFilm } from './survey.ts'

/** Decoded pictures are large, and all of the samples are in memory at once. */
const MOST_SAMPLE_BYTES = 400_000_000
const MOST_PICTURES = 90

/** Of a sample: encoders spend more on a picture that stands alone, and what follows it first still gains from that. */
const NOT_TYPICAL = 1 / 3

export type Samples = {
  readonly samples: readonly Sample[]
  /** Whether the film is so short that it is its own sample. */
  readonly areAll: boolean
}

export async function busySamples(job: SampleJob, codec: EncodedCodec): Promise<Samples> {
  const source = await openSourceFile(job.inputPath, job.signal)
  let survey: Survey
  let affordable: number
  try {
    survey = await surveyFilm(source, job.signal)
    const { width, height } = source.picture.codecpar
    affordable = Math.min(MOST_PICTURES, MOST_SAMPLE_BYTES / (width * height * 1.5))
  } finally {
    await source.close()
  }
  const samples: Sample[] = []
  try {
    for (const window of sampleWindows(survey, 'busy', affordable)) {
      samples.push(await takeSample(job, codec, window))
    }
    return { samples, areAll: survey.pictures.length <= affordable }
  } catch (error) {
    for (const sample of samples) sample.free()
    throw error
  }
}

export type Trial = {
  /** How like the originals the pictures look. */
  readonly decibels: number
  readonly bytes: number
  /** What encoding took. */
  readonly milliseconds: number
}

/** The worst of the samples would be a single moment; the mean over all their pictures is what a person sees. */
export async function tryOut(
  { samples, areAll }: Samples,
  encoderFor: (sample: Sample) => OpenEncoder,
): Promise<Trial> {
  let [noise, pictures, bytes, milliseconds] = [0, 0, 0, 0]
  for (const sample of samples) {
    const count = sample.pictures.length
    const encoded = await encodeSample(sample, encoderFor(sample))
    try {
      const leftOut = areAll ? 0 : Math.floor(count * NOT_TYPICAL)
      noise += 10 ** (-(await scoreOf(sample, encoded, leftOut)) / 10) * count
      pictures += count
      bytes += encoded.alone.bytes + encoded.following.bytes
      milliseconds += encoded.milliseconds
    } finally {
      encoded.free()
    }
  }
  return { decibels: -10 * Math.log10(noise / pictures), bytes, milliseconds }
}
