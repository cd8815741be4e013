/** Converts times of packets between a stream's time base and seconds. */
import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { IRational, Packet, Stream } from 'node-av/lib'
import type { TimedFrame } from '../ffmpeg/filter-chain.ts'

/** Returns when a packet is shown, or when it is decoded if that is unknown. */
export const timeOf = ({ pts, dts }: Packet): bigint => (pts === AV_NOPTS_VALUE ? dts : pts)

export const secondsIn = (
  { timeBase: { num, den } }: { readonly timeBase: IRational },
  time: bigint,
): number => (Number(time) * num) / den

export const ticksIn = ({ timeBase: { num, den } }: Stream, seconds: number): bigint =>
  BigInt(Math.round((seconds * den) / num))

/** Returns when a frame is shown, in seconds. */
export const secondsOf = ({ frame: { pts }, timeBase }: TimedFrame): number => secondsIn({ timeBase }, pts)
