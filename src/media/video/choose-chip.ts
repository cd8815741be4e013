/**
 * Whether a graphics chip encodes a film: tried on the parts where most moves, at the size that software would need, and taken
 * where it is much quicker there and looks hardly worse.
 */
import { AV_PIX_FMT_YUV420P } from 'node-av/constants'
import { Frame } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { mustSucceed } from '../ffmpeg/ffmpeg.ts'
import type { FileJob } from '../protocol.ts'
import { busySamples, type Trial, tryOut } from './busy-samples.ts'
import type { Chip, ChipCodec, ChipWish } from './chips.ts'
import { isCopied } from './convert-video.ts'
import type { OpenEncoder } from './picture-encoder.ts'

const LEAST_GAIN = 2
const MOST_LOSS_DB = 0.5

export const isWorthIt = (chip: Trial, software: Trial): boolean =>
  chip.milliseconds * LEAST_GAIN <= software.milliseconds && chip.decibels >= software.decibels - MOST_LOSS_DB

/** The codec of a recipe that a chip may encode, or undefined. */
export function chipCodecOf({ engine, codec, crf, maxBytes }: VideoRecipe): ChipCodec | undefined {
  // Nothing is lost by software alone, and a size is met by repeating what only software repeats exactly.
  if (engine === 'software' || crf === 0 || maxBytes !== undefined) return undefined
  return codec === 'h264' || codec === 'hevc' || codec === 'av1' ? codec : undefined
}

/**
 * @param measure for tests, in which no time may count
 * @returns undefined where software is to encode the film, or nobody
 */
export async function chooseChip(
  job: FileJob<VideoRecipe>,
  codec: ChipCodec,
  chips: readonly Chip[],
  measure = tryOut,
): Promise<OpenEncoder | undefined> {
  const present = await presentChips(chips, codec)
  if (present.length === 0 || (await isCopied(job))) return undefined
  const { recipe, signal } = job
  job.onProgress({ phase: 'Measuring', share: 0 })
  const tried = await busySamples(job, codec)
  try {
    // A film that is its own sample would be encoded by the time anything is known.
    if (tried.areAll && recipe.engine === 'auto') return undefined
    const software = await measure(tried, (sample) => sample.software(recipe))
    for (const chip of present) {
      signal.throwIfAborted()
      const found = await atSizeOf(software, recipe, async (wish) => {
        const open = chip.encoder(codec, wish)
        return open && (await unlessItFails(() => measure(tried, () => open)))
      })
      if (found === undefined) continue
      if (recipe.engine === 'hardware' || isWorthIt(found.trial, software))
        return chip.encoder(codec, found.wish)
    }
    return undefined
  } finally {
    for (const sample of tried.samples) sample.free()
  }
}

/** By name and codec; a process asks each chip once. */
const answers = new Map<string, Promise<boolean>>()

async function presentChips(chips: readonly Chip[], codec: ChipCodec): Promise<readonly Chip[]> {
  const present: Chip[] = []
  for (const chip of chips) {
    const key = `${chip.name} ${codec}`
    const answer = answers.get(key) ?? opens(chip, codec)
    answers.set(key, answer)
    if (await answer) present.push(chip)
  }
  return present
}

async function opens(chip: Chip, codec: ChipCodec): Promise<boolean> {
  const open = chip.encoder(codec, { kind: 'coarseness', coarseness: 0.5 })
  if (open === undefined) return false
  const frame = blankPicture()
  try {
    const encoder = await open({ frame, timeBase: { num: 1, den: 25 } }, { num: 25, den: 1 })
    encoder.free()
    return true
  } catch {
    return false
  } finally {
    frame.free()
  }
}

/** Of a size that every chip takes. */
function blankPicture(): Frame {
  const frame = new Frame()
  frame.alloc()
  frame.width = 640
  frame.height = 480
  frame.format = AV_PIX_FMT_YUV420P
  mustSucceed(frame.allocBuffer(), 'prepared')
  return frame
}

async function unlessItFails(trial: () => Promise<Trial>): Promise<Trial | undefined> {
  try {
    return await trial()
  } catch {
    return undefined
  }
}

const MOST_TRIALS = 6
/** Of the bytes of software: so near, and never above, lest a quick chip looks good because it spends more. */
const NEAR_ENOUGH = 0.95

type Found = { readonly wish: ChipWish; readonly trial: Trial }

/** Halves what is left of the chip's scale until it needs about what software does. */
export async function atSizeOf(
  software: Pick<Trial, 'bytes'>,
  { bitrate }: Pick<VideoRecipe, 'bitrate'>,
  measure: (wish: ChipWish) => Promise<Trial | undefined>,
): Promise<Found | undefined> {
  if (bitrate !== undefined) {
    const wish = { kind: 'bitrate', bitrate } as const
    const trial = await measure(wish)
    return trial && { wish, trial }
  }
  let [finest, coarsest] = [0, 1]
  let best: Found | undefined
  for (let count = 0; count < MOST_TRIALS; count++) {
    const wish = { kind: 'coarseness', coarseness: (finest + coarsest) / 2 } as const
    const trial = await measure(wish)
    if (trial === undefined) return undefined
    if (trial.bytes > software.bytes) {
      finest = wish.coarseness
      continue
    }
    best = { wish, trial }
    if (trial.bytes >= software.bytes * NEAR_ENOUGH) break
    coarsest = wish.coarseness
  }
  return best
}
