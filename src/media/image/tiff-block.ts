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

export type ByteOrder = 'II' | 'MM'

/** Bytes per value, by type code; 0 for an unknown one. BigTIFF adds 16 to 18. */
export const WIDTHS: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

/** Sizes of a directory's fields in bytes. A file's first offset is at `offsetBytes`. */
export type DirectorySizes = typeof CLASSIC | typeof BIG
export const CLASSIC = { countBytes: 2, entryBytes: 12, offsetBytes: 4 } as const
export const BIG = { countBytes: 8, entryBytes: 20, offsetBytes: 8 } as const
export const BIG_VERSION = 43

/** Reads an unsigned integer. @param width in bytes */
export function readNumber(order: ByteOrder, bytes: Buffer, at: number, width: number): number {
  if (width === 8) return Number(order === 'II' ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  return order === 'II' ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width)
}

/** Writes an unsigned integer. @param width in bytes */
export function writeNumber(order: ByteOrder, bytes: Buffer, value: number, at: number, width: number): void {
  if (width === 8 && order === 'II') bytes.writeBigUInt64LE(BigInt(value), at)
  else if (width === 8) bytes.writeBigUInt64BE(BigInt(value), at)
  else if (order === 'II') bytes.writeUIntLE(value, at, width)
  else bytes.writeUIntBE(value, at, width)
}

/**
 * @returns undefined if it isn't a TIFF block
 * @throws RangeError if it ends before its first directory does
 */
export function openExif(exif: Buffer) {
  const block = withoutExifName(exif)
  const tiff = tiffBlock(block)
  return tiff && { block, ...tiff, first: tiff.directoryAt(tiff.read32(4)) }
}

const ENTRY_BYTES = 12

/**
 * Returns functions that read the directories in a block.
 * @param order `II` or `MM`; by default the one with which the block begins
 * @returns undefined for any other order
 */
export function tiffBlock(bytes: Buffer, order = bytes.toString('latin1', 0, 2)) {
  if (order !== 'II' && order !== 'MM') return undefined
  const read16 = (at: number) => readNumber(order, bytes, at, 2)
  const read32 = (at: number) => readNumber(order, bytes, at, 4)
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
