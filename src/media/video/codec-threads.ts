/**
 * Sets how many cores the video decoders and encoders of this process use. A worker processes one file at a time. Only jobs limit the
 * cores, because they process several videos in parallel.
 */
import type { EncoderSettings } from './encoder-settings.ts'

let cores: number | undefined

/** @param most undefined for all cores of the computer */
export const useCores = (most: number | undefined): void => void (cores = most)

/** Maximum number of threads that FFmpeg starts automatically. */
const MOST_DECODER_THREADS = 16

/** Returns the number of threads for a decoder; 0 if it should use all cores. */
export const decoderThreads = (): number =>
  cores === undefined ? 0 : Math.min(MOST_DECODER_THREADS, cores + 1)

/** Adds the options that limit an encoder's threads. */
export function withThreads({
  encoder,
  options,
}: Pick<EncoderSettings, 'encoder' | 'options'>): EncoderSettings['options'] {
  if (cores === undefined) return options
  const doublings = Math.floor(Math.log2(cores))
  const add = (name: string, word: string) => ({
    [name]: [...(options[name] === undefined ? [] : [options[name]]), word].join(':'),
  })
  switch (encoder) {
    // By default, x264 uses this many threads on a computer with this many cores.
    case 'libx264':
      return { ...options, threads: String(Math.ceil(cores * 1.5)) }
    // x265's threads belong to a pool. `threads` is the number of frames that are encoded in parallel.
    case 'libx265':
      return { ...options, ...add('x265-params', `pools=${cores}`), threads: String(Math.max(1, doublings)) }
    // SVT-AV1 has six levels instead of a number of threads.
    case 'libsvtav1':
      return { ...options, ...add('svtav1-params', `lp=${Math.min(6, doublings + 1)}`) }
    default:
      return { ...options, threads: String(cores) }
  }
}
