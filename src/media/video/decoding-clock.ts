import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { Packet } from 'node-av/lib'

/** No encoder reorders pictures over more than this. */
const LONGEST_REORDERING_SECONDS = 30

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
