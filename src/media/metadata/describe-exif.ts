/** Makes an Exif block describe the result. Overwrites values without moving them, so that the offsets in maker notes stay right. */
import { uint16 } from '../big-endian.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { type TiffBlock, tiffBlock, type TiffEntry } from '../image/tiff-block.ts'
import type { ResultFacts } from './result-plan.ts'
import { EXIF_TAG, valueOf, writeExif } from './exif-directories.ts'
import { mapPoint, mapRegion, storedExtent, swapsSides } from './result-mapping.ts'

const TAG = {
  ...EXIF_TAG,
  width: 0x0100,
  height: 0x0101,
  resolutionX: 0x011a,
  resolutionY: 0x011b,
  orientation: 0x0112,
  thumbnailAt: 0x0201,
  thumbnailBytes: 0x0202,
  furtherImages: 0x014a,
  subjectArea: 0x9214,
  colorSpace: 0xa001,
  pixelWidth: 0xa002,
  pixelHeight: 0xa003,
  focalPlaneX: 0xa20e,
  focalPlaneY: 0xa20f,
  subjectLocation: 0xa214,
  relatedWidth: 0x1001,
  relatedHeight: 0x1002,
} as const
const [BYTE, SHORT, LONG] = [1, 3, 4]
/** Types of whole numbers, with their lengths in bytes. Some programs use a different type than the standard, and decoders accept it. */
const WHOLE: ReadonlyMap<number, 1 | 2 | 4> = new Map([
  [BYTE, 1],
  [SHORT, 2],
  [LONG, 4],
  [6, 1],
  [8, 2],
  [9, 4],
])
const ENTRY_BYTES = 12
const SRGB = 1

/**
 * Reads the Exif orientation.
 * @returns 1 without Exif, and for values that aren't an orientation
 */
export function orientationOf(exif: Buffer | undefined): number {
  const block = exif && tiffBlock(exif)
  const found =
    block &&
    unlessTooShort(() => {
      const entry = block.directoryAt(block.read32(4)).get(TAG.orientation)
      return entry && numberIn(exif, block, entry)
    })
  return found !== undefined && found >= 1 && found <= 8 ? found : 1
}

export const orientationExif = (orientation: number): Buffer =>
  writeExif({ order: 'MM', entries: [valueOf(TAG.orientation, SHORT, uint16(orientation), 1)] })

function numberIn(bytes: Buffer, { read16, read32 }: TiffBlock, { type, at }: TiffEntry): number {
  const width = WHOLE.get(type)
  return width === 1 ? bytes.readUInt8(at) : width === 4 ? read32(at) : read16(at)
}

/** Returns a copy that describes the result. Stops describing it at the first part that can't be read, but always removes the thumbnail. */
export function describeExif(exif: Buffer, facts: ResultFacts): Buffer {
  const changed = Buffer.from(exif)
  const block = tiffBlock(changed)
  if (block === undefined) return changed
  unlessTooShort(() => describe(changed, block, facts))
  return unlessTooShort(() => withoutOtherImages(changed, block)) ?? changed
}

function describe(bytes: Buffer, block: TiffBlock, facts: ResultFacts): void {
  const { width, height } = facts.extent
  const edit = editing(bytes, block)
  const main = block.directoryAt(block.read32(4))
  edit.set(main.get(TAG.orientation), 1)
  edit.set(main.get(TAG.width), width)
  edit.set(main.get(TAG.height), height)
  const isTurned = swapsSides(facts.fromStored)
  if (isTurned) edit.swap(main.get(TAG.resolutionX), main.get(TAG.resolutionY))
  const nested = main.get(TAG.exif)
  if (nested !== undefined) {
    const at = block.read32(nested.at)
    const details = block.directoryAt(at)
    edit.set(details.get(TAG.pixelWidth), width)
    edit.set(details.get(TAG.pixelHeight), height)
    if (isTurned) edit.swap(details.get(TAG.focalPlaneX), details.get(TAG.focalPlaneY))
    if (facts.isSrgb) edit.set(details.get(TAG.colorSpace), SRGB)
    const outside = moveSubject(bytes, block, details, facts)
    const related = details.get(TAG.interoperability)
    const sizes = related && block.directoryAt(block.read32(related.at))
    edit.set(sizes?.get(TAG.relatedWidth), width)
    edit.set(sizes?.get(TAG.relatedHeight), height)
    // Do this last, because it moves the entries after it.
    for (const tag of outside) edit.remove(at, tag)
  }
}

function withoutOtherImages(bytes: Buffer, block: TiffBlock): Buffer {
  const first = block.read32(4)
  const shortened = withoutThumbnail(bytes, block, first)
  editing(bytes, block).remove(first, TAG.furtherImages)
  return shortened
}

function editing(bytes: Buffer, { read16 }: TiffBlock) {
  const put = writer(bytes)
  return {
    set(entry: TiffEntry | undefined, value: number): void {
      if (entry === undefined || entry.count !== 1 || !WHOLE.has(entry.type)) return
      const isShort = WHOLE.get(entry.type) !== 4 && value <= 0xffff
      put(isShort ? SHORT : LONG, entry.at - 6, 2)
      put(0, entry.at, 4)
      put(value, entry.at, isShort ? 2 : 4)
    },
    swap(one: TiffEntry | undefined, other: TiffEntry | undefined): void {
      if (one === undefined || other === undefined || one.type !== other.type || one.count !== other.count)
        return
      const first = Buffer.from(bytes.subarray(one.at, one.at + 4))
      bytes.copy(bytes, one.at, other.at, other.at + 4)
      first.copy(bytes, other.at)
    },
    remove(directory: number, tag: number): void {
      const count = read16(directory)
      const end = directory + 2 + count * ENTRY_BYTES
      for (let at = directory + 2; at < end; at += ENTRY_BYTES) {
        if (read16(at) !== tag) continue
        // Includes the offset of the next directory.
        bytes.copyWithin(at, at + ENTRY_BYTES, end + 4)
        put(count - 1, directory, 2)
        return
      }
    },
  }
}

const writer = (bytes: Buffer) => (value: number, at: number, width: 2 | 4) =>
  bytes[0] === 0x49 ? bytes.writeUIntLE(value, at, width) : bytes.writeUIntBE(value, at, width)

/** Adjusts the main subject's area to the result. The area has two to four numbers: the center, then a diameter or a size. */
function moveSubject(
  bytes: Buffer,
  { read16, read32 }: TiffBlock,
  details: ReadonlyMap<number, TiffEntry>,
  { original, extent, orientation, fromStored }: ResultFacts,
): readonly number[] {
  const stored = storedExtent(original, orientation)
  const outside: number[] = []
  for (const tag of [TAG.subjectArea, TAG.subjectLocation]) {
    const entry = details.get(tag)
    if (entry === undefined) continue
    if (entry.type !== SHORT || entry.count < 2 || entry.count > 4) {
      outside.push(tag)
      continue
    }
    const at = entry.count === 2 ? entry.at : read32(entry.at)
    const numbers = Array.from({ length: entry.count }, (_, index) => read16(at + index * 2))
    const [x = 0, y = 0, w = 0, h = w] = numbers
    const region = {
      x: x / stored.width,
      y: y / stored.height,
      w: w / stored.width,
      h: h / stored.height,
    }
    const moved =
      entry.count === 2 ? { ...mapPoint(region, fromStored), w: 0, h: 0 } : mapRegion(region, fromStored)
    const isVisible = moved !== undefined && moved.x >= 0 && moved.x <= 1 && moved.y >= 0 && moved.y <= 1
    if (!isVisible) {
      outside.push(tag)
      continue
    }
    const values = [
      moved.x * extent.width,
      moved.y * extent.height,
      moved.w * extent.width,
      moved.h * extent.height,
    ]
    for (let index = 0; index < entry.count; index++)
      writer(bytes)(Math.min(0xffff, Math.round(values[index] ?? 0)), at + index * 2, 2)
  }
  return outside
}

/** Removes the thumbnail and its directory. The thumbnail shows the original, including what a crop removed. */
function withoutThumbnail(bytes: Buffer, block: TiffBlock, first: number): Buffer {
  const link = first + 2 + block.read16(first) * ENTRY_BYTES
  const directory = block.read32(link)
  if (directory === 0) return bytes
  writer(bytes)(0, link, 4)
  const place = unlessTooShort(() => {
    const entries = block.directoryAt(directory)
    const [at, length] = [entries.get(TAG.thumbnailAt), entries.get(TAG.thumbnailBytes)]
    return at && length && { start: block.read32(at.at), length: block.read32(length.at) }
  })
  if (place === undefined || place.start < 8 || place.start + place.length > bytes.length) return bytes
  bytes.fill(0, place.start, place.start + place.length)
  // Usually, the thumbnail is the last part.
  return place.start + place.length >= bytes.length - 1 ? bytes.subarray(0, place.start) : bytes
}
