/** Directories in the manner of TIFF, as blocks inside of other files have them: Exif, the notes of makers, lists of pictures. */

export type TiffBlock = {
  readonly read16: (at: number) => number
  readonly read32: (at: number) => number
  /** By tag. Places count from the beginning of the block. @throws RangeError where it ends before the directory */
  directoryAt(start: number): ReadonlyMap<number, TiffEntry>
}

export type TiffEntry = {
  readonly type: number
  readonly count: number
  /** Where its value stands; of one with more than four bytes, where it is said where that stands. */
  readonly at: number
}

const ENTRY_BYTES = 12

/** @param order `II` or `MM`. @returns undefined for any other */
export function tiffBlock(bytes: Buffer, order: string): TiffBlock | undefined {
  if (order !== 'II' && order !== 'MM') return undefined
  const isLittle = order === 'II'
  const read16 = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const read32 = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  return {
    read16,
    read32,
    directoryAt(start) {
      const entries = Array.from({ length: read16(start) }, (_, index) => {
        const at = start + 2 + index * ENTRY_BYTES
        return [read16(at), { type: read16(at + 2), count: read32(at + 4), at: at + 8 }] as const
      })
      return new Map(entries)
    },
  }
}
