/** Reads TIFF-style directories embedded in other files: Exif, maker notes and image lists. */

export type TiffBlock = NonNullable<ReturnType<typeof tiffBlock>>

export type TiffEntry = {
  readonly type: number
  readonly count: number
  /** Offset of the value. For a value of more than four bytes, offset of the pointer to it. */
  readonly at: number
}

const EXIF_NAME = Buffer.from('Exif\0\0', 'latin1')

/** Returns the TIFF block of Exif data, which begins with a name in some formats. */
export const withoutExifName = (exif: Buffer): Buffer =>
  exif.subarray(0, EXIF_NAME.length).equals(EXIF_NAME) ? exif.subarray(EXIF_NAME.length) : exif

const ENTRY_BYTES = 12

/**
 * Returns functions that read the directories in a block.
 * @param order `II` or `MM`, which the block begins with by default
 * @returns undefined for any other order
 */
export function tiffBlock(bytes: Buffer, order = bytes.toString('latin1', 0, 2)) {
  if (order !== 'II' && order !== 'MM') return undefined
  const isLittle = order === 'II'
  const read16 = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const read32 = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  return {
    read16,
    read32,
    /**
     * Returns the entries by tag. Offsets count from the start of the block.
     * @throws RangeError if the block ends before the directory does
     */
    directoryAt(start: number): ReadonlyMap<number, TiffEntry> {
      const entries = Array.from({ length: read16(start) }, (_, index) => {
        const at = start + 2 + index * ENTRY_BYTES
        return [read16(at), { type: read16(at + 2), count: read32(at + 4), at: at + 8 }] as const
      })
      return new Map(entries)
    },
  }
}
