/** Gives every picture its time: strictly rising, from the file's own clock, with no more pictures than wanted. */
import { AV_NOPTS_VALUE } from 'node-av/constants'

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
    // A little grace, so that 30 pictures a second with rounded times all fit a limit of 30.
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

const SLOT_GRACE = 0.1
