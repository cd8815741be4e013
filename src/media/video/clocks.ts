/** Computes presentation and decoding times for the frames of the result. */
import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { IRational, Packet, Stream } from 'node-av/lib'

/** Tolerance for rounded times, in frames. It keeps every frame of a 30 fps video at a limit of 30 fps. */
const SLOT_GRACE = 0.1
/** Upper limit for the delay of a frame by reordering. Encoders stay well below it. */
const LONGEST_REORDERING_SECONDS = 30

/** Highest plausible frame rate. Some containers state the resolution of their clock instead. */
const HIGHEST_BELIEVABLE_RATE = 300

/** Returns the first plausible rate, if any. */
export function believableRate(stated: readonly IRational[]): IRational | undefined {
  return stated.find(({ num, den }) => num > 0 && den > 0 && num / den <= HIGHEST_BELIEVABLE_RATE)
}

/** Returns the rate that a track states, or a usual one. */
export function rateOf({ avgFrameRate, rFrameRate }: Stream): IRational {
  const { num, den } = believableRate([avgFrameRate, rFrameRate]) ?? { num: 25, den: 1 }
  return { num, den }
}

/** Returns the slot of a time. At a maximum frame rate, only the first frame in each slot is kept. */
export const slotAt = (seconds: number, mostPerSecond: number): number =>
  Math.floor(seconds * mostPerSecond + SLOT_GRACE)

/**
 * Creates a clock that gives each frame its presentation time.
 * @param start first timestamp of the file, in the time base
 * @param secondsPerTick length of one unit of the time base
 * @param mostPerSecond maximum frame rate; frames are dropped but never duplicated, so that a variable rate stays variable
 */
export function createFrameClock(start: bigint, secondsPerTick: number, mostPerSecond: number | undefined) {
  let last: bigint | undefined
  let lastDuration = 0n
  let lastSlot = -Infinity

  const isOneTooMany = (time: bigint): boolean => {
    if (mostPerSecond === undefined) return false
    const slot = slotAt(Number(time) * secondsPerTick, mostPerSecond)
    if (slot <= lastSlot) return true
    lastSlot = slot
    return false
  }

  return {
    /**
     * Returns a frame's presentation time, or undefined to drop the frame.
     * @param stamp the decoder's best guess of the frame's time, in the time base
     * @param duration in the time base; 0 if unknown
     */
    timeOf(stamp: bigint, duration: bigint): bigint | undefined {
      const expected = last === undefined ? 0n : last + (lastDuration > 0n ? lastDuration : 1n)
      const stamped = stamp === AV_NOPTS_VALUE ? expected : stamp - start
      const time = last !== undefined && stamped <= last ? last + 1n : stamped
      lastDuration = duration
      last = time
      return isOneTooMany(time) ? undefined : time
    },
  }
}

/**
 * Creates a function that gives each packet a valid decoding time.
 * x265 doesn't initialize the decoding time of a single-frame video, and not every muxer accepts such a packet.
 */
export function createDecodingClock(secondsPerTick: number): (packet: Pick<Packet, 'pts' | 'dts'>) => bigint {
  let last: bigint | undefined
  const isPossible = (pts: bigint, dts: bigint): boolean =>
    dts !== AV_NOPTS_VALUE &&
    dts <= pts &&
    Number(pts - dts) * secondsPerTick <= LONGEST_REORDERING_SECONDS &&
    (last === undefined || dts > last)
  return ({ pts, dts }) => {
    const corrected = last === undefined ? pts : last + 1n
    last = isPossible(pts, dts) ? dts : corrected
    return last
  }
}

/**
 * Creates a function that gives each copied packet its decoding time.
 * Keeps the file's own time unless it is missing or later than the frame order allows. For some short phone videos, FFmpeg reads late
 * times, and muxers reject them.
 * @param reordering maximum number of frames that are decoded before a frame that is shown earlier
 */
export function createCopiedClock(
  reordering: number,
  secondsPerTick: number,
): (packet: Pick<Packet, 'pts' | 'dts' | 'duration'>) => bigint {
  const decodingTime = createDecodingClock(secondsPerTick)
  /** The `reordering + 1` latest presentation times so far, in ascending order. */
  let shown: bigint[] | undefined
  return ({ pts, dts, duration }) => {
    const step = duration > 0n ? duration : 1n
    shown ??= Array.from({ length: reordering }, (_, index) => pts - BigInt(reordering - index) * step)
    shown = [...shown, pts].toSorted((one, other) => (one < other ? -1 : 1)).slice(-reordering - 1)
    const [latest = pts] = shown
    return decodingTime({ pts, dts: dts === AV_NOPTS_VALUE || latest < dts ? latest : dts })
  }
}
