/**
 * How like two runs of pictures look, by XPSNR: the ratio of signal to noise in dB, where errors count for more that the eye
 * sees more of. Of the luma alone, in which the eye is sharp.
 */
import { AV_BUFFERSRC_FLAG_KEEP_REF } from 'node-av/constants'
import { Filter, type FilterContext, FilterGraph, Frame } from 'node-av/lib'
import { mustSucceed } from '../ffmpeg/ffmpeg.ts'
import { decodeSample } from './decode-sample.ts'
import { sourceOf } from './picture-filters.ts'
import type { FilteredPicture } from './picture-stages.ts'
import type { EncodedSample, Sample } from './sample.ts'

/** Pictures without any difference would have infinitely many. */
const MOST_DB = 100

/**
 * @param leftOut how many pictures at the beginning of the sample don't count
 * @returns dB, over all others
 */
export async function scoreOf(
  { pictures }: Pick<Sample, 'pictures'>,
  encoded: EncodedSample,
  leftOut: number,
): Promise<number> {
  const meter = await createScoreMeter(pictures[0])
  let count = 0
  try {
    await decodeSample(encoded, (frame) => {
      const original = pictures[count]
      if (original === undefined) return
      if (count >= leftOut) meter.add(original.frame, frame)
      count += 1
    })
    return meter.score()
  } finally {
    meter.free()
  }
}

export type ScoreMeter = {
  /** The next picture of each run; both are of one size and format. */
  add(original: Frame, other: Frame): void
  /** @returns dB, over all pictures so far */
  score(): number
  free(): void
}

/** @param like the first picture, or one like it */
export async function createScoreMeter({ frame, timeBase }: FilteredPicture): Promise<ScoreMeter> {
  const graph = new FilterGraph()
  graph.alloc()
  const { parameters } = sourceOf(frame, timeBase)
  const originals = part(graph, 'buffer', 'originals', parameters)
  const others = part(graph, 'buffer', 'others', parameters)
  const meter = part(graph, 'xpsnr', 'meter', null)
  const sink = part(graph, 'buffersink', 'out', null)
  mustSucceed(originals.link(0, meter, 0), 'compared')
  mustSucceed(others.link(0, meter, 1), 'compared')
  mustSucceed(meter.link(0, sink, 0), 'compared')
  mustSucceed(await graph.config(), 'compared')
  let pictures = 0
  let noise = 0
  return {
    add(original, other) {
      // Only the order counts here, and both runs have the same.
      put(originals, original, pictures)
      put(others, other, pictures)
      const compared = new Frame()
      compared.alloc()
      mustSucceed(sink.buffersinkGetFrameSync(compared), 'compared')
      noise += 10 ** (-decibels(compared.getMetadata().get('lavfi.xpsnr.xpsnr.y')) / 10)
      pictures += 1
      compared.free()
    },
    score: () => Math.min(MOST_DB, -10 * Math.log10(noise / pictures)),
    free: () => graph.free(),
  }
}

function part(graph: FilterGraph, name: string, label: string, options: string | null): FilterContext {
  const filter = Filter.getByName(name)
  const context = filter && graph.createFilter(filter, label, options)
  if (!context) throw new Error(`This build of FFmpeg has no filter ${name}`)
  return context
}

function put(input: FilterContext, frame: Frame, index: number): void {
  const copy = frame.clone()
  if (copy === null) throw new Error('There is no memory for another picture')
  copy.pts = BigInt(index)
  mustSucceed(input.buffersrcAddFrameSync(copy, AV_BUFFERSRC_FLAG_KEEP_REF), 'compared')
  copy.free()
}

function decibels(text: string | null): number {
  const value = text === 'inf' ? MOST_DB : Number(text ?? Number.NaN)
  if (Number.isNaN(value)) throw new Error(`The comparison says ${text ?? 'nothing'}`)
  return Math.min(MOST_DB, value)
}
