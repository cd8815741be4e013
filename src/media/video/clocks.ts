/** The times of a finished video's pictures: when each is shown, and when it is decoded. */
import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { IRational, Packet } from 'node-av/lib'

/** A little grace, so that 30 pictures a second with rounded times all fit a limit of 30. */
const SLOT_GRACE = 0.1
/** No encoder reorders pictures over more than this. */
const LONGEST_REORDERING_SECONDS = 30

/** Some containers state a rate that is only the grain of their clock. */
const HIGHEST_BELIEVABLE_RATE = 300

/** @returns the first of the stated rates that can be one, or undefined */
export function believableRate(stated: readonly IRational[]): IRational | undefined {
  return stated.find(({ num, den }) => num > 0 && den > 0 && num / den <= HIGHEST_BELIEVABLE_RATE)
}

/** Gives every picture its time: strictly rising, from the file's own clock, with no more pictures than wanted. */
export type FrameClock = {
  /**
   * @param stamp the decoder's best guess, in the time base
   * @param duration in the time base; 0 where unknown
   * @returns the time of the picture, or undefined where it is one too many
   */
  timeOf(stamp: bigint, duration: bigint): bigint | undefined
}

/**
 * @param start what the file's clock shows at its beginning, in the time base
 * @param secondsPerTick the time base
 * @param mostPerSecond pictures a second at the most; pictures are left out and never doubled, so that a variable rate
 *   stays variable
 */
export function createFrameClock(
  start: bigint,
  secondsPerTick: number,
  mostPerSecond: number | undefined,
): FrameClock {
  let last: bigint | undefined
  let lastDuration = 0n
  let lastSlot = -Infinity

  const isOneTooMany = (time: bigint): boolean => {
    if (mostPerSecond === undefined) return false
    const slot = Math.floor(Number(time) * secondsPerTick * mostPerSecond + SLOT_GRACE)
    if (slot <= lastSlot) return true
    lastSlot = slot
    return false
  }

  return {
    timeOf(stamp, duration) {
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
 * Checks the encoder's decoding times and mends impossible ones: x265 leaves that of a video with a single picture
 * uninitialized, and the muxer then refuses the packet or not, by chance.
 */
export function createDecodingClock(secondsPerTick: number): (packet: Pick<Packet, 'pts' | 'dts'>) => bigint {
  let last: bigint | undefined
  const isPossible = (pts: bigint, dts: bigint): boolean =>
    dts !== AV_NOPTS_VALUE &&
    dts <= pts &&
    Number(pts - dts) * secondsPerTick <= LONGEST_REORDERING_SECONDS &&
    (last === undefined || dts > last)
  return ({ pts, dts }) => {
    const mended = last === undefined ? pts : last + 1n
    last = isPossible(pts, dts) ? dts : mended
    return last
  }
}

/**
 * The times at which copied pictures are decoded: as the file has them, unless they are later than the order of the pictures
 * allows. FFmpeg reads short films of phones so, and no container takes them.
 *
 * @param reordering how many pictures may have to be decoded before one that is shown earlier
 */
export function createCopiedClock(
  reordering: number,
  secondsPerTick: number,
): (packet: Pick<Packet, 'pts' | 'dts' | 'duration'>) => bigint {
  const decodingTime = createDecodingClock(secondsPerTick)
  /** When the pictures are shown that were shown last, in that order. */
  let shown: bigint[] | undefined
  return ({ pts, dts, duration }) => {
    const step = duration > 0n ? duration : 1n
    shown ??= Array.from({ length: reordering }, (_, index) => pts - BigInt(reordering - index) * step)
    shown = [...shown, pts].toSorted((one, other) => (one < other ? -1 : 1)).slice(-reordering - 1)
    const [latest = pts] = shown
    return decodingTime({ pts, dts: dts === AV_NOPTS_VALUE || latest < dts ? latest : dts })
  }
}
