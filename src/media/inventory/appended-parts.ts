/** Finds what follows the main image of a JPEG: further images, previews, depth maps, a video, phones' own data, or anything else. */
import { endOfJpeg } from '../image/jpeg-parts.ts'
import { isGainMap, type ListedImage, listedImages } from '../image/gain-map.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { contentNamed, isFrame, MARKERS, segmentsOf, XMP_NAME } from '../image/jpeg-segments.ts'

export const NOTHING_APPENDED = {
  /** Independent images, such as another view. */
  furtherPictures: 0,
  /** Images that describe the main one, or that are smaller. */
  embeddedImages: 0,
  depthMap: false,
  /** Whether anything else follows the main image, except phones' internal data. */
  appendedData: false,
}
export type AppendedParts = Readonly<typeof NOTHING_APPENDED>

type Kind = 'picture' | 'embedded' | 'depthMap' | 'gainMap' | 'video' | 'other' | 'harmless'
type Part = { readonly kind: Kind; readonly end: number }
export type Known = {
  /** XMP of the main image, which may list what follows. */
  readonly xmp: string
  readonly hasGainMap: boolean
  readonly hasVideo: boolean
}

export function appendedParts(file: Buffer, { xmp, hasGainMap, hasVideo }: Known): AppendedParts {
  const from = endOfJpeg(file)
  if (from === undefined) return NOTHING_APPENDED
  const counts: Record<Kind, number> = {
    picture: 0,
    embedded: 0,
    depthMap: 0,
    gainMap: 0,
    video: 0,
    other: 0,
    harmless: 0,
  }
  for (const kind of kindsBehind(file, from)) counts[kind]++
  // An unusable gain map counts as an embedded image and an unusable video as other data, because both are still in the file.
  if (!hasGainMap) counts.embedded += counts.gainMap
  if (!hasVideo) counts.other += counts.video
  // XMP announces depth maps without identifying their parts.
  let unseen = Math.max(0, depthMapsIn(xmp) - counts.depthMap)
  for (const kind of ['embedded', 'picture', 'other'] as const) {
    const taken = Math.min(unseen, counts[kind])
    counts[kind] -= taken
    counts.depthMap += taken
    unseen -= taken
  }
  return {
    furtherPictures: counts.picture,
    embeddedImages: counts.embedded,
    depthMap: counts.depthMap > 0,
    appendedData: counts.other > 0,
  }
}

/** Counts the depth and confidence maps that a container lists (Google's Dynamic Depth). */
const depthMapsIn = (xmp: string): number =>
  [...xmp.matchAll(/:Semantic\s*(?:=\s*["']|>)\s*(?:Depth|Confidence)/gi)].length

/** Maximum number of parts to read. A hostile file may consist of tiny parts. */
const MOST_PARTS = 256

function kindsBehind(file: Buffer, from: number): readonly Kind[] {
  const phone = samsungData(file, from)
  const until = phone?.start ?? file.length
  const listed = listedImages(file).filter(({ start, end }) => start >= from && end > start && end <= until)
  const kinds: Kind[] = [...(phone?.kinds ?? [])]
  for (let at = from; at < until && kinds.length < MOST_PARTS;) {
    const part = partAt(file, at, listed)
    if (part !== undefined) kinds.push(part.kind)
    at = Math.max(at + 1, part?.end ?? 0)
  }
  return kinds
}

/** Precedes the video in files of older phones. */
const VIDEO_LABEL = 'MotionPhoto_Data'
const PADDING: ReadonlySet<number | undefined> = new Set([0x00, 0x0a, 0x0d, 0x20, 0xff])

/**
 * Identifies the part that begins at an offset.
 * @returns undefined for a byte of padding
 */
function partAt(file: Buffer, at: number, listed: readonly ListedImage[]): Part | undefined {
  const own = listed.find(({ start }) => start === at)
  if (own !== undefined || beginsJpeg(file, at)) {
    const end = own?.end ?? endOfJpeg(file, at) ?? file.length
    return { kind: kindOfImage(file, file.subarray(at, end), own?.type), end }
  }
  // Some programs write the end marker twice.
  if (file[at] === 0xff && file[at + 1] === MARKERS.EOI) return { kind: 'harmless', end: at + 2 }
  if (beginsVideo(file, at)) return { kind: 'video', end: endOfVideo(file, at) }
  if (PADDING.has(file[at])) return undefined
  if (file.toString('latin1', at, at + VIDEO_LABEL.length) === VIDEO_LABEL)
    return { kind: 'harmless', end: at + VIDEO_LABEL.length }
  const next = listed.reduce((first, { start }) => (start > at ? Math.min(first, start) : first), file.length)
  return { kind: 'other', end: next }
}

const beginsJpeg = (file: Buffer, at: number): boolean =>
  file[at] === 0xff && file[at + 1] === 0xd8 && file[at + 2] === 0xff

const FILE_TYPE = 0x66_74_79_70

const beginsVideo = (file: Buffer, at: number): boolean =>
  at + 8 <= file.length && file.readUInt32BE(at + 4) === FILE_TYPE

/** Returns the end of a video's boxes. Other data may follow them. */
function endOfVideo(file: Buffer, from: number): number {
  let at = from
  while (at + 8 <= file.length) {
    const size = file.readUInt32BE(at)
    const isBox = /^[\w ©-]{4}$/.test(file.toString('latin1', at + 4, at + 8))
    const length = size === 1 && at + 16 <= file.length ? Number(file.readBigUInt64BE(at + 8)) : size
    if (!isBox || length < 8 || at + length > file.length) break
    at += length
  }
  return Math.max(at, from + 8)
}

/** Types of images in the list: previews, views of the same scene, and gain maps (CIPA DC-007). */
const TYPE = { preview: 0x01, view: 0x02, gainMap: 0x05 } as const
/** Names that Apple's phones give to images that describe the main one. */
const APPLE_PURPOSE = /AuxiliaryImageType|ns\.apple\.com\/(?:depthData|portrait|semantic)/i

function kindOfImage(file: Buffer, jpeg: Buffer, listedAs = 0): Kind {
  const type = listedAs >> 16
  if (type === TYPE.preview) return 'harmless'
  if (!beginsJpeg(jpeg, 0)) return 'other'
  if (type === TYPE.gainMap || isGainMap(jpeg)) return 'gainMap'
  const xmp = contentNamed(jpeg, XMP_NAME)?.toString('utf8') ?? ''
  if (APPLE_PURPOSE.test(xmp)) return /depth|disparity/i.test(xmp) ? 'depthMap' : 'embedded'
  return type === TYPE.view || pixelsOf(jpeg) >= pixelsOf(file) ? 'picture' : 'embedded'
}

/** Returns the number of pixels; 0 if the JPEG doesn't state its dimensions. */
function pixelsOf(jpeg: Buffer): number {
  const frame = segmentsOf(jpeg).find(({ marker, body, end }) => isFrame(marker) && end - body >= 5)
  return frame === undefined ? 0 : jpeg.readUInt16BE(frame.body + 1) * jpeg.readUInt16BE(frame.body + 3)
}

const ENTRY_BYTES = 12
/** Maximum size of a phone's internal notes. Actual notes are far smaller; recordings and images are larger. */
const MOST_NOTE_BYTES = 4096

/** Finds the parts that Samsung's phones append, by the list at the end of the file. Returns undefined without a readable list. */
function samsungData(
  file: Buffer,
  from: number,
): { readonly start: number; readonly kinds: readonly Kind[] } | undefined {
  const end = file.length - 8
  if (end < from || file.toString('latin1', end + 4) !== 'SEFT') return undefined
  return unlessTooShort(() => {
    const list = end - file.readUInt32LE(end)
    if (list < from || file.toString('latin1', list, list + 4) !== 'SEFH') return undefined
    let start = list
    const kinds: Kind[] = []
    const count = Math.min(file.readUInt32LE(list + 8), MOST_PARTS)
    for (let entry = list + 12; entry < list + 12 + count * ENTRY_BYTES; entry += ENTRY_BYTES) {
      const at = list - file.readUInt32LE(entry + 4)
      if (at < from) return undefined
      start = Math.min(start, at)
      const name = 8 + file.readUInt32LE(at + 4)
      kinds.push(samsungKind(file, at, { name, size: file.readUInt32LE(entry + 8) }))
    }
    return { start, kinds }
  })
}

function samsungKind(file: Buffer, at: number, { name, size }: { name: number; size: number }): Kind {
  if (/depthmap/i.test(file.toString('latin1', at + 8, at + name))) return 'depthMap'
  const content = file.subarray(at + name, at + size)
  if (beginsVideo(content, 0)) return 'video'
  if (beginsJpeg(content, 0)) return kindOfImage(file, content)
  return content.length <= MOST_NOTE_BYTES ? 'harmless' : 'other'
}
