/**
 * Scores how similar two sequences of frames look, with XPSNR: the signal-to-noise ratio in dB, weighted by how visible each error
 * is.
 * Uses only luma, because the eye is most sensitive to it.
 */
import { AV_BUFFERSRC_FLAG_KEEP_REF } from 'node-av/constants'
import { type FilterContext, FilterGraph, type Frame } from 'node-av/lib'
import { cloneOf, mustSucceed, newFrame } from '../ffmpeg/ffmpeg.ts'
import { createFilter, sourceOf, type TimedFrame } from '../ffmpeg/filter-chain.ts'
import { wholeScore } from '../../shared/quality/quality.ts'
import { decodeSample } from './decode-sample.ts'
import type { EncodedSample, Sample } from './sample.ts'

/** XPSNR to report for identical frames, whose signal-to-noise ratio is infinite. */
const MOST_DB = 100

/**
 * Maps XPSNR to the scale of visual quality. 45 dB is a score of 90: no one sees a difference side by side. 33.75 dB is a score of 45:
 * everyone sees it.
 */
export const DECIBELS_OF_0 = 22.5
export const SCORE_PER_DECIBEL = 4

export const scoreOfDecibels = (decibels: number): number =>
  wholeScore((decibels - DECIBELS_OF_0) * SCORE_PER_DECIBEL)

/**
 * Returns the XPSNR of an encoded sample, in dB.
 * @param leftOut number of frames to ignore at the start of the sample
 */
export async function scoreOf(
  { frames }: Pick<Sample, 'frames'>,
  encoded: EncodedSample,
  leftOut: number,
): Promise<number> {
  using meter = await createScoreMeter(frames[0])
  let count = 0
  await decodeSample(encoded, (frame) => {
    const original = frames[count]
    if (original === undefined) return
    if (count >= leftOut) meter.add(original.frame, frame)
    count += 1
  })
  return meter.score()
}

/** Creates a meter for frames of the same size and format as this one. */
export async function createScoreMeter({ frame, timeBase }: TimedFrame) {
  const graph = new FilterGraph()
  graph.alloc()
  const { parameters } = sourceOf(frame, timeBase)
  const meter = createFilter(graph, 'xpsnr', 'meter', null)
  const sink = createFilter(graph, 'buffersink', 'out', null)
  function addInput(index: number): FilterContext {
    const input = createFilter(graph, 'buffer', `in${index}`, parameters)
    const enlarged = createFilter(graph, 'scale', `enlarged${index}`, enlargement(frame))
    mustSucceed(input.link(0, enlarged, 0), 'compared')
    mustSucceed(enlarged.link(0, meter, index), 'compared')
    return input
  }
  const [originals, others] = [addInput(0), addInput(1)]
  mustSucceed(meter.link(0, sink, 0), 'compared')
  mustSucceed(await graph.config(), 'compared')
  let frames = 0
  let noise = 0
  return {
    /** Adds the next frame of each sequence. Both must have the same size and format. */
    add(original: Frame, other: Frame): void {
      // Use the frame's index as its timestamp. Only the order matters, and it is the same in both sequences.
      put(originals, original, frames)
      put(others, other, frames)
      using compared = newFrame()
      mustSucceed(sink.buffersinkGetFrameSync(compared), 'compared')
      noise += 10 ** (-decibels(compared.getMetadata().get('lavfi.xpsnr.xpsnr.y')) / 10)
      frames += 1
    },
    /** Returns the XPSNR of all frames added so far, in dB. */
    score: (): number => Math.min(MOST_DB, -10 * Math.log10(noise / frames)),
    [Symbol.dispose]: () => graph.free(),
  }
}

/** With fewer pixels, the comparison's blocks have a width of 0, and dividing by it would end the process. */
const LEAST_PIXELS = 2025

/** Returns parameters for the `scale` filter, which repeats the pixels of frames that are too small to compare. */
function enlargement({ width, height }: Frame): string {
  const times = Math.ceil(Math.sqrt(LEAST_PIXELS / (width * height)))
  return `${width * times}:${height * times}:flags=neighbor`
}

function put(input: FilterContext, frame: Frame, index: number): void {
  using copy = cloneOf(frame)
  copy.pts = BigInt(index)
  mustSucceed(input.buffersrcAddFrameSync(copy, AV_BUFFERSRC_FLAG_KEEP_REF), 'compared')
}

function decibels(text: string | null): number {
  const value = text === 'inf' ? MOST_DB : Number(text ?? Number.NaN)
  if (Number.isNaN(value)) throw new Error(`Unexpected comparison result: ${text ?? 'nothing'}`)
  return Math.min(MOST_DB, value)
}
