/**
 * Makes the timestamps of concatenated recordings continuous. Where the next recording begins, the clock restarts or jumps, but players
 * show the file without a break.
 */

/** Decoding time and duration of a packet, in seconds. */
export type PacketTime = { readonly stream: number; readonly time: number; readonly duration: number }

/** Minimum step back that marks the next recording. Within a recording, decoding times decrease only if timestamps are inaccurate. */
const BACK_SECONDS = 0.3
/** Minimum gap that marks the next recording, in formats whose clock may jump. Smaller gaps are pauses of a recording. */
const FORWARD_SECONDS = 10

/** The last time of a stream, when its next packet is due, and by how many seconds its times were shifted. */
type Reached = { readonly last: number; readonly due: number; readonly shift: number }

/** @param mayJump whether the format's clock may jump forward, as in broadcasts */
export function createContinuousTimes(mayJump: boolean) {
  let shift = 0
  let earlierShift = 0
  const reached = new Map<number, Reached>()

  function choose(time: number, { last, due, shift: before }: Reached): number {
    const off = (some: number): number => Math.abs(time + some - due)
    // Some packets of a recording come after the first ones of the next recording.
    if (before === earlierShift && before !== shift && off(before) <= off(shift)) return before
    const isBack = time + shift < last - BACK_SECONDS
    const isLate = mayJump && time + shift - due > FORWARD_SECONDS
    if (!isBack && !isLate) return shift
    earlierShift = shift
    shift = due - time
    return shift
  }

  return {
    /** Returns how many seconds to add to the times of a packet whose decoding time is unknown. */
    get shift() {
      return shift
    },
    /** Returns how many seconds to add to the packet's times. */
    shiftOf({ stream, time, duration }: PacketTime): number {
      const before = reached.get(stream)
      const added = before === undefined ? shift : choose(time, before)
      reached.set(stream, { last: time + added, due: time + added + duration, shift: added })
      return added
    },
    /** Starts again, after a seek. */
    reset(): void {
      shift = 0
      earlierShift = 0
      reached.clear()
    },
  }
}
