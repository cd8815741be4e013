const ORIENTATION_TAG = 0x0112
const EXIF_PREFIX = 'Exif\0\0'

/**
 * A copy of an Exif block (TIFF structure, with or without its `Exif` prefix) that says the picture is upright, without
 * the prefix. A block that makes no sense comes back as it is.
 */
export function uprightExif(exif: Buffer): Buffer {
  const hasPrefix = exif.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX
  const tiff = Buffer.from(hasPrefix ? exif.subarray(EXIF_PREFIX.length) : exif)
  const littleEndian = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (at: number) => (littleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const read32 = (at: number) => (littleEndian ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  try {
    const directory = read32(4)
    for (let entry = 0; entry < read16(directory); entry++) {
      const at = directory + 2 + entry * 12
      if (read16(at) !== ORIENTATION_TAG) continue
      if (littleEndian) tiff.writeUInt16LE(1, at + 8)
      else tiff.writeUInt16BE(1, at + 8)
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return tiff
}
