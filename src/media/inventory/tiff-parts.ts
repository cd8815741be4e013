/** Finds what a TIFF file contains in addition to its image and its metadata. Never reads large values, because the file may be huge. */
import { open } from 'node:fs/promises'
import {
  type Directory,
  firstDirectory,
  LARGE_TAG,
  mainDirectory,
  type Place,
  readDirectory,
  TAG,
  type TiffReader,
  tiffReader,
} from '../image/tiff/directory.ts'
import { layoutOf } from '../image/tiff/layout.ts'
import { hasPath } from '../metadata/iptc.ts'

export const NOTHING_IN_TIFF = {
  contentCredentials: false,
  clippingPath: false,
  /** Whether the file has an image editor's layers. Its picture shows all of them. */
  layers: false,
  extraChannels: 0,
  /** Whether data follows the last part to which the file refers. */
  appendedData: false,
}
export type TiffParts = Readonly<typeof NOTHING_IN_TIFF>

export async function tiffParts(path: string): Promise<TiffParts> {
  await using file = await open(path)
  const reader = await tiffReader(file)
  const directory = await mainDirectory(reader)
  if (directory === undefined) return NOTHING_IN_TIFF
  const { samples, kept } = layoutOf(directory, reader)
  const resources = directory.bytes(TAG.photoshop)
  const document = directory.place(LARGE_TAG.photoshopDocument)
  return {
    contentCredentials: directory.place(LARGE_TAG.contentCredentials) !== undefined,
    clippingPath: resources !== undefined && hasPath(resources),
    layers: document !== undefined && (await hasLayers(reader, document)),
    extraChannels: samples - kept.length,
    appendedData: await hasTail(reader),
  }
}

/** Maximum number of directories in a file that is searched for appended data. */
const MOST_DIRECTORIES = 64
/** Number of bytes to read after the last part: enough to tell data from padding. */
const TAIL_BYTES = 64 * 1024
/** Marks a stack, whose images may follow each other without being listed. */
const STACK = 'ImageJ='
const OLD_JPEG = 6

async function hasTail(reader: TiffReader): Promise<boolean> {
  const seen = new Set<number>()
  const waiting = [await firstDirectory(reader)]
  let last = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === 0 || seen.has(at)) continue
    seen.add(at)
    const directory = seen.size > MOST_DIRECTORIES ? undefined : await readDirectory(reader, at)
    const end = directory && endOf(directory)
    if (directory === undefined || end === undefined) return false
    last = Math.max(last, end)
    const nested = [TAG.subDirectories, TAG.exif, TAG.gps, TAG.interoperability] as const
    waiting.push(directory.next, ...nested.flatMap((tag) => directory.numbers(tag)))
  }
  return (await reader.read(last, TAIL_BYTES)).some((byte) => byte !== 0)
}

/** Returns where the directory, its values and its pixels end; undefined if that isn't known. */
function endOf(directory: Directory): number | undefined {
  const isUnknown =
    directory.number(TAG.compression, 1) === OLD_JPEG ||
    directory.bytes(TAG.description)?.toString('latin1', 0, STACK.length) === STACK
  let end = directory.end
  for (const [offsets, lengths] of [
    [TAG.stripOffsets, TAG.stripBytes],
    [TAG.tileOffsets, TAG.tileBytes],
    [TAG.oldJpegOffset, TAG.oldJpegBytes],
  ] as const) {
    const bytes = directory.numbers(lengths)
    for (const [index, at] of directory.numbers(offsets).entries()) {
      const length = bytes[index]
      end = end === undefined || length === undefined ? undefined : Math.max(end, at + length)
    }
  }
  return isUnknown ? undefined : end
}

const DOCUMENT_NAME = 'Adobe Photoshop Document Data Block\0'
const BLOCK_HEAD_BYTES = 12
/** Maximum number of blocks to read. A hostile file may consist of tiny blocks. */
const MOST_BLOCKS = 1_024
/** Layers of 8, 16 and 32 bits, in either byte order. */
const LAYERS = /^(?:8BIM(?:Layr|Lr16|Lr32)|MIB8(?:ryaL|61rL|23rL))/

/**
 * Returns whether Photoshop's data has blocks with layers. It can consist of patterns and masks without layers (Adobe Photoshop TIFF
 * Technical Notes, 2002). Data that can't be read counts as layers.
 */
async function hasLayers({ read, number }: TiffReader, { at, length }: Place): Promise<boolean> {
  let from = at + DOCUMENT_NAME.length
  for (let left = MOST_BLOCKS; left > 0 && from + BLOCK_HEAD_BYTES <= at + length; left--) {
    const head = await read(from, BLOCK_HEAD_BYTES)
    if (!/^(?:8BIM|MIB8)/.test(head.toString('latin1'))) return true
    if (LAYERS.test(head.toString('latin1'))) return true
    const size = number(head, 8, 4)
    from += BLOCK_HEAD_BYTES + size + ((4 - (size % 4)) % 4)
  }
  return false
}
