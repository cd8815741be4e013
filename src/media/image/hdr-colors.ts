/** HDR color spaces, by their numbers in ITU-T H.273. */

const PQ = 16
const HLG = 18

export type HdrColors = {
  /** 1 is BT.709, 9 is BT.2020, 12 is Display P3. */
  readonly primaries: number
  readonly curve: 'pq' | 'hlg'
}

export const TRANSFERS = { pq: PQ, hlg: HLG } as const

/** @returns undefined for SDR */
export function hdrColors(primaries: number, transfer: number): HdrColors | undefined {
  if (transfer === PQ) return { primaries, curve: 'pq' }
  if (transfer === HLG) return { primaries, curve: 'hlg' }
  return undefined
}
