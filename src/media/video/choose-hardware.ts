/**
 * Decides whether to encode a video in hardware. Tries each hardware encoder on the parts with the most motion, at the recipe's bit rate
 * or, without one, at the software encoder's file size. Chooses the first one that is much faster and looks almost as good. If the recipe
 * asks for hardware, chooses the first one that works.
 */
import { AV_PIX_FMT_YUV420P } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { HardwareCodec } from '../../shared/video-cores.ts'
import { mustSucceed, newFrame } from '../ffmpeg/ffmpeg.ts'
import type { FileJob } from '../protocol.ts'
import { busySamples, type Trial, tryOut } from './busy-samples.ts'
import type { HardwareEncoder, HardwareRequest } from './hardware-encoders.ts'
import { isCopied } from './convert-video.ts'
import type { OpenEncoder } from './video-encoder.ts'

const LEAST_GAIN = 2
const MOST_LOSS_DB = 0.5

export const isWorthIt = (hardware: Trial, software: Trial): boolean =>
  hardware.milliseconds * LEAST_GAIN <= software.milliseconds &&
  hardware.decibels >= software.decibels - MOST_LOSS_DB

/**
 * Compares hardware with software on samples. Returns the hardware encoder to use; undefined if software should encode the video, or if the
 * video is copied.
 * @param measure replaced in tests, so that they don't depend on timing
 */
export async function chooseHardware(
  job: FileJob<VideoRecipe>,
  codec: HardwareCodec,
  candidates: readonly HardwareEncoder[],
  measure = tryOut,
): Promise<OpenEncoder | undefined> {
  const present = await presentHardware(candidates, codec)
  if (present.length === 0 || (await isCopied(job))) return undefined
  const { recipe, signal } = job
  job.onProgress({ phase: 'Measuring', share: 0 })
  using tried = await busySamples(job, codec)
  // Encoding a video this short takes less time than the trial.
  if (tried.areAll && recipe.engine === 'auto') return undefined
  const software = await measure(tried, (sample) => sample.software(recipe))
  for (const hardware of present) {
    signal.throwIfAborted()
    const found = await atSizeOf(software, recipe, async (request) => {
      const open = hardware.encoder(codec, request)
      return open && (await measure(tried, () => open).catch(() => undefined))
    })
    if (found === undefined) continue
    if (recipe.engine === 'hardware' || isWorthIt(found.trial, software))
      return hardware.encoder(codec, found.request)
  }
  return undefined
}

/** Whether each encoder is available, by name and codec. Each process checks an encoder only once. */
const answers = new Map<string, Promise<boolean>>()

async function presentHardware(
  candidates: readonly HardwareEncoder[],
  codec: HardwareCodec,
): Promise<readonly HardwareEncoder[]> {
  const present: HardwareEncoder[] = []
  for (const hardware of candidates) {
    const key = `${hardware.name} ${codec}`
    const answer = answers.get(key) ?? opens(hardware, codec)
    answers.set(key, answer)
    if (await answer) present.push(hardware)
  }
  return present
}

async function opens(hardware: HardwareEncoder, codec: HardwareCodec): Promise<boolean> {
  const open = hardware.encoder(codec, { kind: 'coarseness', coarseness: 0.5 })
  if (open === undefined) return false
  using frame = blankFrame()
  try {
    using _ = await open({ frame, timeBase: { num: 1, den: 25 } }, { num: 25, den: 1 })
    return true
  } catch {
    return false
  }
}

/** Creates a frame of a size that every hardware encoder accepts. */
function blankFrame(): Frame {
  const frame = newFrame()
  frame.width = 640
  frame.height = 480
  frame.format = AV_PIX_FMT_YUV420P
  mustSucceed(frame.allocBuffer(), 'prepared')
  return frame
}

const MOST_TRIALS = 6
/**
 * Size at which the search ends early, as a fraction (0..1) of the software encoder's. The upper limit is 1, because a hardware encoder
 * must not look better just by using more bytes.
 */
const NEAR_ENOUGH = 0.95

type Found = { readonly request: HardwareRequest; readonly trial: Trial }

/**
 * Bisects the hardware encoder's quality scale to match the size of the software encoder's result. A bit rate needs only one trial. Returns
 * undefined if a trial fails, or if every result is too large.
 */
export async function atSizeOf(
  software: Pick<Trial, 'bytes'>,
  { bitrate }: Pick<VideoRecipe, 'bitrate'>,
  measure: (request: HardwareRequest) => Promise<Trial | undefined>,
): Promise<Found | undefined> {
  if (bitrate !== undefined) {
    const request = { kind: 'bitrate', bitrate } as const
    const trial = await measure(request)
    return trial && { request, trial }
  }
  let [finest, coarsest] = [0, 1]
  let best: Found | undefined
  for (let count = 0; count < MOST_TRIALS; count++) {
    const request = { kind: 'coarseness', coarseness: (finest + coarsest) / 2 } as const
    const trial = await measure(request)
    if (trial === undefined) return undefined
    if (trial.bytes > software.bytes) {
      finest = request.coarseness
      continue
    }
    best = { request, trial }
    if (trial.bytes >= software.bytes * NEAR_ENOUGH) break
    coarsest = request.coarseness
  }
  return best
}
