/**
 * Finds the images of a stack that has only one directory. ImageJ writes such files for stacks over 4 GB, and other laboratory software for
 * all stacks: the images follow each other without compression, and only the description says how many there are.
 */
import type { FileHandle } from 'node:fs/promises'
import { MOST_PAGES } from '../image-failure.ts'
import { COMPRESSION } from './decompress.ts'
import { firstDirectory, type Place, readDirectory, TAG, tiffReader } from './directory.ts'
import { type Layout, layoutOf } from './layout.ts'

/**
 * Returns where each image of a stack is; an empty list if the file isn't a stack, or if the strips of its first image are compressed
 * or don't follow each other.
 * @param file with a single directory
 */
export async function imagesOfStack(file: FileHandle): Promise<readonly Place[]> {
  const reader = await tiffReader(file)
  const directory = await readDirectory(reader, await firstDirectory(reader))
  const description = directory?.bytes(TAG.description)?.toString('latin1')
  if (directory === undefined || description === undefined) return []
  const layout = layoutOf(directory, reader)
  const length = bytesOfImage(layout)
  const [first] = layout.offsets
  if (first === undefined || length === 0 || !areTogether(layout)) return []
  const stated = imagesIn(description, (length * 8) / layout.bits)
  const { size } = await file.stat()
  const count = Math.min(stated, Math.floor((size - first) / length), MOST_PAGES)
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({ at: first + index * length, length }))
}

function bytesOfImage({ width, height, bits, samples, isPlanar }: Layout): number {
  const [rows, perRow] = isPlanar ? [height * samples, width] : [height, width * samples]
  return Math.ceil((perRow * bits) / 8) * rows
}

/** Returns whether the first image consists of uncompressed strips that follow each other. A single strip may be as long as the stack. */
function areTogether({ compression, isTiled, offsets, lengths }: Layout): boolean {
  if (compression !== COMPRESSION.none || isTiled) return false
  return offsets.every(
    (at, index) => index === 0 || at === (offsets[index - 1] ?? 0) + (lengths[index - 1] ?? 0),
  )
}

/**
 * Returns the number of images that the description states; 0 if it doesn't describe a stack.
 * @param samples in one image
 */
function imagesIn(description: string, samples: number): number {
  const [, images] = /^ImageJ=[^]*?\nimages=(\d+)/.exec(description) ?? []
  if (images !== undefined) return Number(images)
  // The library tifffile describes an array in this way.
  const [, shape] = /^\{"shape": \[([\d, ]+)\]/.exec(description) ?? []
  const all = shape?.split(',').reduce((product, side) => product * Number(side), 1) ?? 0
  return all % samples === 0 ? all / samples : 0
}
