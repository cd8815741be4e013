/**
 * Sets how many cores the video decoders and encoders of this process use. A worker processes one file at a time. Jobs limit the cores,
 * because they process several videos in parallel. Everything else uses all cores that the process may use.
 */
import { availableParallelism, cpus } from 'node:os'
import type { EncoderSettings } from './encoder-settings.ts'

/**
 * Returns how many cores to use by default; undefined if the codecs' own choice is right. They count the cores that the process may run
 * on, regardless of a container's quota of processor time.
 */
export const usualCores = (available = availableParallelism(), present = cpus().length): number | undefined =>
  available < present ? available : undefined

let cores = usualCores()

/** @param most undefined for all cores that this process may use */
export const useCores = (most: number | undefined): void => void (cores = most ?? usualCores())

/** Maximum number of threads that FFmpeg starts automatically. */
const MOST_DECODER_THREADS = 16

/** Returns the number of threads for a decoder; 0 if it should use all cores. */
export const decoderThreads = (): number =>
  cores === undefined ? 0 : Math.min(MOST_DECODER_THREADS, cores + 1)

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
    // By default, x264 uses 1.5 threads per core.
    case 'libx264':
      return { ...options, threads: String(Math.floor(cores * 1.5)) }
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
