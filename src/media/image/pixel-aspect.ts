/** Reads the pixel aspect ratio. Images whose pixels aren't square, such as faxes, should be stretched accordingly. */
import { open } from 'node:fs/promises'
import { isOnItsSide, itemsOf, transformsOf } from './heif-file.ts'
import { unlessTooShort } from './image-failure.ts'
import { chunksBeforePixels } from './png-chunks.ts'
import { mainDirectory, TAG, tiffReader } from './tiff/directory.ts'

/** Range of accepted deviations from square. Smaller ones come from rounded densities, and larger ones are mistakes. */
const [LEAST_CHANGE, MOST_CHANGE] = [0.005, 16]

/**
 * Returns the width of a pixel as a share of its height; 1 if that is unknown or implausible. Ignores the orientation in Exif.
 * @param file the content of any format but TIFF, or its first 64 bytes if it is JPEG or BMP
 */
export async function pixelAspectOf(path: string, format: string, file: Buffer): Promise<number> {
  const aspect = format === 'tiff' ? await aspectOfTiff(path) : unlessTooShort(() => aspectIn(file, format))
  const change = aspect === undefined ? 1 : Math.max(aspect, 1 / aspect)
  return change > 1 + LEAST_CHANGE && change <= MOST_CHANGE ? (aspect ?? 1) : 1
}

/** Computes the aspect, in most formats from the densities: the wider a pixel is, the fewer are in an inch. */
function aspectIn(file: Buffer, format: string): number | undefined {
  switch (format) {
    case 'jpeg': {
      const hasHeader = file.toString('latin1', 6, 11) === 'JFIF\0'
      return hasHeader ? file.readUInt16BE(16) / file.readUInt16BE(14) : undefined
    }
    case 'png': {
      const stored = chunksBeforePixels(file).find(({ type }) => type === 'pHYs')
      return stored && file.readUInt32BE(stored.at + 12) / file.readUInt32BE(stored.at + 8)
    }
    case 'bmp':
      return file.readUInt32LE(14) >= 40 ? file.readInt32LE(42) / file.readInt32LE(38) : undefined
    case 'avif':
    case 'heic': {
      const items = itemsOf(file)
      if (items === undefined) return undefined
      const shape = items.propertiesOf(items.primary).find(({ type }) => type === 'pasp')
      const aspect = shape && file.readUInt32BE(shape.body) / file.readUInt32BE(shape.body + 4)
      return aspect !== undefined && isOnItsSide(transformsOf(file, items, items.primary))
        ? 1 / aspect
        : aspect
    }
    default:
      return undefined
  }
}

async function aspectOfTiff(path: string): Promise<number | undefined> {
  await using file = await open(path)
  const directory = await mainDirectory(await tiffReader(file))
  const [x, y] = [TAG.resolutionX, TAG.resolutionY].map((tag) => directory?.number(tag, 1) ?? 1)
  return x === undefined || y === undefined ? undefined : y / x
}
