/** Converts times of packets between a stream's time base and seconds. */
import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'

/** Returns when a packet is shown, or when it is decoded if that is unknown. */
export const timeOf = ({ pts, dts }: Packet): bigint => (pts === AV_NOPTS_VALUE ? dts : pts)

export const secondsIn = ({ timeBase: { num, den } }: Stream, time: bigint): number =>
  (Number(time) * num) / den

export const ticksIn = ({ timeBase: { num, den } }: Stream, seconds: number): bigint =>
  BigInt(Math.round((seconds * den) / num))
