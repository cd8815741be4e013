/** Makes an XMP packet describe the result, and removes what it claims about data that the result doesn't have. */
import { holding } from '../../shared/preset/photo-formats.ts'
import type { ResultFacts } from './result-plan.ts'
import { moveRegions } from './regions.ts'
import { isSameView, isUpright, swapsSides } from './result-mapping.ts'
import {
  changeProperties,
  parseXmp,
  type PropertyChange,
  type QualifiedName,
  writeXmp,
  type XmpNode,
} from './xmp-tree.ts'

const NAMESPACE = {
  tiff: 'http://ns.adobe.com/tiff/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  panorama: 'http://ns.google.com/photos/1.0/panorama/',
  note: 'http://ns.adobe.com/xmp/note/',
} as const

/** Namespaces that only describe images, videos and maps after the main image. */
const OF_APPENDED_DATA: ReadonlySet<string> = new Set([
  'http://ns.google.com/photos/1.0/container/',
  'http://ns.google.com/photos/1.0/container/item/',
  'http://ns.google.com/photos/dd/1.0/container/',
  'http://ns.google.com/photos/dd/1.0/item/',
  'http://ns.google.com/photos/dd/1.0/device/',
  'http://ns.adobe.com/hdr-gain-map/1.0/',
  'http://ns.apple.com/HDRGainMap/1.0/',
  'http://ns.apple.com/pixeldatainfo/1.0/',
  'http://ns.xiaomi.com/photos/1.0/camera/',
])

/** Claims about an appended video or map in any namespace. */
const CLAIM = /MotionPhoto|MicroVideo|LivePhoto|VideoLength|HDRGainMap/i

/** Namespaces of further images within the packet. These images show the original as it was before a crop. */
const FURTHER_PICTURES: ReadonlySet<string> = new Set([
  'http://ns.google.com/photos/1.0/depthmap/',
  'http://ns.google.com/photos/1.0/image/',
])

/** Properties that describe how the original's pixels were stored. */
const OF_STORED_PIXELS =
  /^(?:BitsPerSample|Compression|PhotometricInterpretation|SamplesPerPixel|PlanarConfiguration|YCbCr\w+|NativeDigest)$/

/** Returns a packet that describes the result, in UTF-8 without padding. A packet that can't be read stays as it is. */
export function describeXmp(xmp: Buffer, facts: ResultFacts): Buffer {
  const nodes = parseXmp(xmp)
  if (nodes === undefined) return xmp
  const turned = swapsSides(facts.fromStored) ? resolutionsIn(nodes) : undefined
  const described = changeProperties(
    nodes,
    (name, text) => turned?.get(name.local) ?? changed(name, text, facts),
  )
  return writeXmp(withoutPadding(moveRegions(described, facts)))
}

/** Returns a packet without claims about data after the image. A packet that can't be read stays as it is. */
export function withoutAppended(xmp: Buffer): Buffer {
  const nodes = parseXmp(xmp)
  if (nodes === undefined) return xmp
  return writeXmp(changeProperties(nodes, (name) => (isOfAppended(name) ? removed : undefined)))
}

const isOfAppended = ({ namespace, local }: QualifiedName): boolean =>
  OF_APPENDED_DATA.has(namespace) || CLAIM.test(local)

const RESOLUTION = /^(?:FocalPlane)?[XY]Resolution$/

/** Returns the horizontal and vertical resolutions with their values swapped, by property. */
function resolutionsIn(nodes: XmpNode[]): ReadonlyMap<string, PropertyChange> {
  const values = new Map<string, PropertyChange>()
  changeProperties(nodes, ({ local }, text) => {
    const other = local.replace(/[XY](?=R)/, (letter) => (letter === 'X' ? 'Y' : 'X'))
    if (RESOLUTION.test(local)) values.set(other, { to: text })
    return undefined
  })
  return values
}

const removed: PropertyChange = { to: undefined }

function changed(name: QualifiedName, text: string, facts: ResultFacts): PropertyChange {
  const { namespace, local } = name
  const { width, height } = facts.extent
  const isCropped = !isSameView(facts.mapping)
  if (isOfAppended(name)) return removed
  if (FURTHER_PICTURES.has(namespace) && isCropped) return removed
  switch (namespace) {
    case NAMESPACE.tiff:
      if (local === 'Orientation') return { to: '1' }
      if (local === 'ImageWidth') return { to: String(width) }
      if (local === 'ImageLength') return { to: String(height) }
      return OF_STORED_PIXELS.test(local) ? removed : undefined
    case NAMESPACE.exif:
      if (local === 'PixelXDimension') return { to: String(width) }
      if (local === 'PixelYDimension') return { to: String(height) }
      if (local === 'ColorSpace' && facts.isSrgb) return { to: '1' }
      if (local === 'NativeDigest') return removed
      return isCropped && /^Subject(?:Area|Location)$/.test(local) ? removed : undefined
    case NAMESPACE.xmp:
      return local === 'Thumbnails' ? removed : undefined
    case NAMESPACE.dc:
      return local === 'format' ? { to: holding(facts.format).contentType } : undefined
    case NAMESPACE.photoshop:
      return local === 'ICCProfile' && facts.isSrgb ? removed : undefined
    case NAMESPACE.panorama:
      return panorama(local, text, facts)
    case NAMESPACE.note:
      return local === 'HasExtendedXMP' ? removed : undefined
    default:
      return undefined
  }
}

/** Adjusts a panorama's dimensions (Google's Photo Sphere XMP). Viewers can't show a rotated or mirrored image as a panorama. */
function panorama(local: string, text: string, { mapping, original, extent }: ResultFacts): PropertyChange {
  if (!isUpright(mapping)) return removed
  const [a, , c, , e, f] = mapping
  const [across, down] = [(a * extent.width) / original.width, (e * extent.height) / original.height]
  const value = Number(text)
  const to = (pixels: number): PropertyChange =>
    Number.isFinite(pixels) ? { to: String(Math.max(0, Math.round(pixels))) } : removed
  switch (local) {
    case 'FullPanoWidthPixels':
    case 'LargestValidInteriorRectWidth':
      return to(value * across)
    case 'FullPanoHeightPixels':
    case 'LargestValidInteriorRectHeight':
      return to(value * down)
    case 'CroppedAreaImageWidthPixels':
      return to(extent.width)
    case 'CroppedAreaImageHeightPixels':
      return to(extent.height)
    case 'CroppedAreaLeftPixels':
      return to(value * across - c * extent.width)
    case 'CroppedAreaTopPixels':
      return to(value * down - f * extent.height)
    case 'LargestValidInteriorRectLeft':
      return to(value * across + c * extent.width)
    case 'LargestValidInteriorRectTop':
      return to(value * down + f * extent.height)
    default:
      return undefined
  }
}

/**
 * Replaces spaces between the parts of a packet with a line break. The spaces leave room for other programs to edit the packet in the file.
 */
const withoutPadding = (nodes: readonly XmpNode[]): readonly XmpNode[] =>
  nodes.map((node) => (node.kind === 'text' && node.text.trim() === '' ? { ...node, text: '\n' } : node))
