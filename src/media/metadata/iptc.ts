/** Reads and writes IPTC-IIM in JPEG, TIFF and PNG, and the Photoshop resources that contain IPTC and other text from users. */
import { uint16, uint32 } from '../big-endian.ts'

const MARKER = 0x1c
const RESOURCE = '8BIM'
const IPTC_RESOURCE = 0x0404

export type DataSet = {
  readonly record: number
  readonly number: number
  readonly value: Buffer
  /** The data set as stored, with its header. */
  readonly whole: Buffer
}

/** Returns the complete data sets before the first unreadable byte. */
export function dataSetsIn(iptc: Buffer): readonly DataSet[] {
  const sets: DataSet[] = []
  for (let at = 0; at + 5 <= iptc.length && iptc[at] === MARKER;) {
    const short = iptc.readUInt16BE(at + 3)
    // If the highest bit is set, the other bits state how many bytes the actual length has.
    const more = (short & 0x8000) === 0 ? 0 : short & 0x7fff
    if (more > 4 || at + 5 + more > iptc.length) break
    const length = more === 0 ? short & 0x7fff : iptc.readUIntBE(at + 5, more)
    const start = at + 5 + more
    if (start + length > iptc.length || (more === 0 && short >= 0x8000)) break
    const [record = 0, number = 0] = [iptc[at + 1], iptc[at + 2]]
    const whole = iptc.subarray(at, start + length)
    sets.push({ record, number, value: iptc.subarray(start, start + length), whole })
    at = start + length
  }
  return sets
}

export type Resource = { readonly id: number; readonly content: Buffer }

/** Returns the complete Photoshop resources before the first unreadable byte. */
function resourcesIn(resources: Buffer): readonly Resource[] {
  const found: Resource[] = []
  for (let at = 0; at + 12 <= resources.length;) {
    const id = resources.readUInt16BE(at + 4)
    const name = 1 + (resources[at + 6] ?? 0)
    const sizeAt = at + 6 + name + (name % 2)
    if (resources.toString('latin1', at, at + 4) !== RESOURCE || sizeAt + 4 > resources.length) break
    const start = sizeAt + 4
    const end = start + resources.readUInt32BE(sizeAt)
    if (end > resources.length) break
    found.push({ id, content: resources.subarray(start, end) })
    at = end + (end % 2)
  }
  return found
}

/** Resource with Photoshop's guides. Their positions are fractions of a pixel. */
export const GUIDES = 0x0408
/** Offset of the number of guides. The guides follow this number. */
export const GUIDE_COUNT_AT = 12

/** Further resources in which users describe a photo. All others describe how Photoshop stored, shows and prints it. */
const DESCRIPTIVE: ReadonlySet<number> = new Set([
  0x03f0, // caption
  GUIDES,
  0x040a, // whether the photo is under copyright
  0x040b, // URL of its owner
  0x041b, // URL of the workflow
])

/** Returns whether a resource has content. Photoshop also writes empty ones. */
const isFilled = ({ id, content }: Resource): boolean =>
  content.subarray(id === GUIDES ? GUIDE_COUNT_AT : 0).some((byte) => byte !== 0)

/** Resources in which Photoshop repeats the file's Exif and XMP. Some programs write only these copies. */
const [EXIF, XMP] = [0x0422, 0x0424]

/** Returns the Exif, XMP and IPTC in Photoshop resources, and the other resources in which users describe a photo. */
export function readResources(resources: Buffer) {
  const found = resourcesIn(resources)
  const photoshop = found.filter((one) => DESCRIPTIVE.has(one.id) && isFilled(one))
  const contentOf = (wanted: number) => found.find(({ id }) => id === wanted)?.content
  return {
    exif: contentOf(EXIF),
    xmp: contentOf(XMP),
    iptc: plainIptc(contentOf(IPTC_RESOURCE) ?? Buffer.alloc(0)),
    photoshop: photoshop.length === 0 ? undefined : photoshop,
  }
}

const FIRST_PATH = 2000
const LAST_PATH = 2997

/** Returns whether Photoshop resources contain a path. A path may cut out the image's subject. */
export const hasPath = (resources: Buffer): boolean =>
  resourcesIn(resources).some(({ id }) => id >= FIRST_PATH && id <= LAST_PATH)

/** Returns the resources as a file stores them; empty if there are none. */
export const writeResources = (iptc: Buffer | undefined, photoshop: readonly Resource[] = []): Buffer =>
  Buffer.concat([
    ...(iptc === undefined ? [] : stored({ id: IPTC_RESOURCE, content: iptc })),
    ...photoshop.flatMap(stored),
  ])

/** A resource with an empty name. */
const stored = ({ id, content }: Resource): readonly Buffer[] => [
  Buffer.from(RESOURCE),
  uint16(id, 0),
  uint32(content.length),
  content,
  Buffer.alloc(content.length % 2),
]

/**
 * Removes padding and restores the byte order. Returns undefined if there are no data sets. TIFF files may store IPTC as four-byte numbers
 * in the other byte order.
 */
export function plainIptc(iptc: Buffer): Buffer | undefined {
  const isSwapped = iptc[0] !== MARKER && iptc[3] === MARKER && iptc.length % 4 === 0
  const ordered = isSwapped ? Buffer.from(iptc).swap32() : iptc
  const sets = dataSetsIn(ordered)
  const length = sets.reduce((sum, { whole }) => sum + whole.length, 0)
  return length === 0 ? undefined : ordered.subarray(0, length)
}
