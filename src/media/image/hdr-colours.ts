/** Colours of pictures that can be brighter than ordinary white, by their numbers in ITU-T H.273. */

const PQ = 16
const HLG = 18

export type HdrColours = {
  /** 1 is BT.709, 9 is BT.2020, 12 is Display P3. */
  readonly primaries: number
  readonly curve: 'pq' | 'hlg'
}

export const TRANSFERS = { pq: PQ, hlg: HLG } as const

/** @returns undefined for ordinary colours */
export function hdrColours(primaries: number, transfer: number): HdrColours | undefined {
  if (transfer === PQ) return { primaries, curve: 'pq' }
  if (transfer === HLG) return { primaries, curve: 'hlg' }
  return undefined
}

/** What a PNG says of them (PNG, third edition, 11.3.2.6). */
export function hdrColoursOfPng(png: Buffer): HdrColours | undefined {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') return undefined
    if (type === 'cICP') return hdrColours(png.readUInt8(at + 8), png.readUInt8(at + 9))
  }
  return undefined
}
