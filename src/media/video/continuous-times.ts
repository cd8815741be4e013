/**
 * Makes the times of joined recordings continuous: their clock starts again, or jumps, where the next recording begins.
 * Players show such a file without a break.
 */

/** Decoding time and duration of a packet, in seconds. */
export type PacketTime = { readonly stream: number; readonly time: number; readonly duration: number }

export type ContinuousTimes = {
  /** Returns how many seconds to add to the times of a packet whose decoding time is unknown. */
  readonly shift: number
  /** Returns how many seconds to add to the packet's times. */
  shiftOf(packet: PacketTime): number
  /** Starts again, after a seek. */
  reset(): void
}

/** Decoding times never step back within a recording. Smaller steps are inaccurate times. */
const BACK_SECONDS = 0.3
/** Smaller gaps are pauses of a recording, in formats whose clock may jump. */
const FORWARD_SECONDS = 10

/** @param mayJump whether the clock of the format may jump forward, as that of broadcasts does */
export function createContinuousTimes(mayJump: boolean): ContinuousTimes {
  let shift = 0
  let earlierShift = 0
  /** The last time of each stream, and where the next one is expected. */
  const reached = new Map<number, { readonly last: number; readonly due: number }>()

  function choose(time: number, { last, due }: { readonly last: number; readonly due: number }): number {
    const isLate = time + shift - due > FORWARD_SECONDS
    const isBack = time + shift < last - BACK_SECONDS
    if (!isBack && !isLate) return shift
    // Some packets of the last recording come after the first ones of the next.
    if (Math.abs(time + earlierShift - due) < FORWARD_SECONDS && time + earlierShift >= last)
      return earlierShift
    if (!isBack && !mayJump) return shift
    earlierShift = shift
    shift = due - time
    return shift
  }

  return {
    get shift() {
      return shift
    },
    shiftOf({ stream, time, duration }) {
      const before = reached.get(stream)
      const added = before === undefined ? shift : choose(time, before)
      reached.set(stream, { last: time + added, due: time + added + duration })
      return added
    },
    reset() {
      shift = 0
      earlierShift = 0
      reached.clear()
    },
  }
}
