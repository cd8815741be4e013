/** The properties of photos that are compared, and which recipes ask for their loss. */
import {
  loss,
  type Loss,
  type LossCode,
  type LossReason,
  lossReason,
  type PlainLossCode,
} from '../../shared/loss/loss.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { planGeometry } from '../image/geometry.ts'
import { NO_PARTS } from './file-parts.ts'
import { type AskedFor, type Comparison, lostTags } from './comparison.ts'
import type { PhotoInventory, Tags } from './inventory.ts'

type PhotoComparison = Comparison<PhotoInventory, ImageRecipe>

/** Result formats that can't hold a property. All other formats can. */
const LACKING: Readonly<Partial<Record<LossCode, readonly string[]>>> = {
  alpha: ['JPEG'],
  hdr: ['JPEG', 'PNG', 'WebP', 'TIFF'],
  depthMap: ['JPEG', 'PNG', 'WebP', 'AVIF', 'JPEG XL', 'TIFF'],
  gainMap: ['PNG', 'WebP', 'TIFF', 'JPEG XL'],
  iptc: ['WebP', 'AVIF', 'JPEG XL'],
  comment: ['WebP', 'AVIF', 'TIFF', 'JPEG XL'],
  georeference: ['JPEG', 'PNG', 'WebP', 'AVIF', 'JPEG XL'],
  pixelAspect: ['WebP', 'AVIF', 'JPEG XL'],
}

/** Formats that hold a single page. */
const SINGLE_PAGE = ['JPEG', 'PNG', 'WebP', 'AVIF', 'JPEG XL']

function whyPagesAreLost(before: PhotoInventory, { format }: PhotoInventory): LossReason {
  // Only the pages of TIFF are read one by one.
  if (before.format !== 'TIFF') return lossReason('noFormat')
  return SINGLE_PAGE.includes(format) ? lossReason('holdsOnePage', { format }) : lossReason('notWritten')
}

const SINGLE_FRAME = ['JPEG', 'TIFF']
/** Formats that can hold several frames, but whose encoder here writes only one. */
const UNWRITTEN_FRAMES = ['AVIF']

function whyFramesAreLost({ format }: PhotoInventory): LossReason {
  if (SINGLE_FRAME.includes(format)) return lossReason('holdsOneFrame', { format })
  return UNWRITTEN_FRAMES.includes(format)
    ? lossReason('encoderLacks', { codec: format })
    : lossReason('notWritten')
}

/** FFmpeg's JPEG XL encoder makes every animation endless. */
const whyNotLooped = ({ format }: PhotoInventory): LossReason =>
  format === 'JPEG XL' ? lossReason('encoderLacks', { codec: format }) : lossReason('notWritten')

const MOST_BITS: Readonly<Record<string, number>> = { JPEG: 8, WebP: 8, PNG: 16 }

function whyLost(code: LossCode, { format }: PhotoInventory): LossReason {
  if (LACKING[code]?.includes(format) !== true) return lossReason('notWritten')
  return lossReason(code === 'hdr' || code === 'gainMap' ? 'formatLacksKind' : 'formatLacksIt', { format })
}

const none: readonly Loss[] = []

const presence = (
  code: PlainLossCode,
  isThere: (photo: PhotoInventory) => boolean,
  isAskedFor: (asked: AskedFor<ImageRecipe>) => boolean,
  why = (after: PhotoInventory) => whyLost(code, after),
): PhotoComparison => ({
  isAskedFor,
  find: (before, after) => (isThere(before) && !isThere(after) ? [loss(code, {}, why(after))] : none),
})

const never = () => false

const inNoFormat = () => lossReason('noFormat')

const removesAnyMetadata = ({ recipe }: AskedFor<ImageRecipe>) => recipe.metadata !== 'keep'
const removesAllMetadata = ({ recipe }: AskedFor<ImageRecipe>) => recipe.metadata === 'strip'

const tag = (code: Exclude<keyof Tags, 'others'>, isAskedFor = removesAllMetadata): PhotoComparison => ({
  isAskedFor,
  // A loss of all Exif already covers its tags.
  find: (before, after) =>
    before.tags[code] && !after.tags[code] && !(before.exif && !after.exif)
      ? [loss(code, {}, lossReason('notWritten'))]
      : none,
})

const wantsOneFrame = ({ recipe }: AskedFor<ImageRecipe>) => recipe.animation === 'first-frame'

const isDark = (hdr: PhotoInventory['hdr']): boolean => hdr === 'none'

/** Returns whether the user chose a format with 8 bits per channel, or AVIF, whose bit depth the recipe sets. */
const asksForEightBits = ({ recipe: { format } }: AskedFor<ImageRecipe>): boolean =>
  format === 'jpeg' || format === 'webp' || format === 'avif'

/** Accepted changes of timing, in ms per frame and as a share of the total, because formats use different units. */
const MS_OFF = 20
const SHARE_OFF = 0.02

function isAsLong(
  { animationMs: was, frames }: PhotoInventory,
  { animationMs: is }: PhotoInventory,
): boolean {
  if (was === undefined || is === undefined) return false
  return Math.abs(was - is) <= Math.max(MS_OFF * frames, was * SHARE_OFF)
}

/** Returns whether frames may be missing because the encoder merged equal consecutive ones. The animation then takes as long as before. */
const areMerged = (before: PhotoInventory, after: PhotoInventory): boolean =>
  after.frames > 1 && isAsLong(before, after)

/**
 * Returns the inventory of the best possible result in another format. It lacks only what no result in that format can have.
 * @param format the result's, as inventories name it
 */
export function mostOfPhoto(before: PhotoInventory, format: string): PhotoInventory {
  const holds = (code: LossCode): boolean => LACKING[code]?.includes(format) !== true
  const holdsHdr = holds(before.hdr === 'gainMap' ? 'gainMap' : 'hdr')
  const isSingleFrame = SINGLE_FRAME.includes(format) || UNWRITTEN_FRAMES.includes(format)
  return {
    ...before,
    format,
    pages: before.format === 'TIFF' && !SINGLE_PAGE.includes(format) ? before.pages : 1,
    frames: isSingleFrame ? 1 : before.frames,
    animationMs: isSingleFrame ? undefined : before.animationMs,
    hasAlpha: before.hasAlpha && holds('alpha'),
    pixelAspect: holds('pixelAspect') ? before.pixelAspect : 1,
    bitDepth: Math.min(before.bitDepth, MOST_BITS[format] ?? before.bitDepth),
    hdr: holdsHdr ? before.hdr : 'none',
    iptc: before.iptc && holds('iptc'),
    comment: before.comment && holds('comment'),
    motionPhoto: undefined,
    ...NO_PARTS,
    depthMap: before.depthMap && holds('depthMap'),
    georeference: before.georeference && holds('georeference'),
  }
}

const whyNotShaped = (after: PhotoInventory): LossReason =>
  after.format === 'AVIF' ? lossReason('encoderLacks', { codec: 'AVIF' }) : whyLost('pixelAspect', after)

/** Accepted difference, because densities are rounded to whole numbers. */
const ASPECT_OFF = 0.02

/** The default background of presets: white. */
const USUAL_BACKGROUND = '#ffffff'

export const PHOTO_COMPARISONS: readonly PhotoComparison[] = [
  {
    find: (before, after) => {
      const [last, count] = [before.pages, before.pages - after.pages]
      return count > 0
        ? [loss('pages', { count, first: after.pages + 1, last }, whyPagesAreLost(before, after))]
        : none
    },
  },
  {
    isAskedFor: wantsOneFrame,
    find: (before, after) =>
      after.frames < before.frames && !areMerged(before, after)
        ? [loss('frames', { count: before.frames - after.frames }, whyFramesAreLost(after))]
        : none,
  },
  {
    isAskedFor: wantsOneFrame,
    find(before, after) {
      if (after.animationMs === undefined || before.animationMs === undefined) return none
      if (after.frames < before.frames && !areMerged(before, after)) return none
      if (!isAsLong(before, after)) return [loss('frameTiming', {}, lossReason('notWritten'))]
      return before.loop === after.loop ? none : [loss('frameTiming', {}, whyNotLooped(after))]
    },
  },
  {
    isAskedFor: ({ recipe, isVaried }) => recipe.mayShrink || isVaried,
    find(before, after, { recipe }) {
      const { image, framed } = planGeometry(before, recipe, undefined)
      const { width, height } = framed ?? image
      const isReached = after.width >= width && after.height >= height
      return isReached ? none : [loss('dimensions', { width, height }, lossReason('notWritten'))]
    },
  },
  {
    isAskedFor: ({ isVaried }) => isVaried,
    find({ pixelAspect }, after, { recipe }) {
      const aspect = recipe.rotate % 180 === 0 ? pixelAspect : 1 / pixelAspect
      const isSame = Math.abs(after.pixelAspect / aspect - 1) <= ASPECT_OFF
      return isSame ? none : [loss('pixelAspect', {}, whyNotShaped(after))]
    },
  },
  presence(
    'alpha',
    ({ hasAlpha }) => hasAlpha,
    ({ recipe }) => recipe.background.toLowerCase() !== USUAL_BACKGROUND,
  ),
  {
    isAskedFor: asksForEightBits,
    find: (before, after) =>
      // A loss of HDR already covers the bit depth.
      after.bitDepth < before.bitDepth && isDark(before.hdr)
        ? [
            loss(
              'bitDepth',
              { bits: before.bitDepth },
              MOST_BITS[after.format] === after.bitDepth
                ? lossReason('formatBits', { format: after.format, bits: after.bitDepth })
                : lossReason('notWritten'),
            ),
          ]
        : none,
  },
  {
    isAskedFor: ({ recipe }) => recipe.colour === 'srgb' || recipe.grayscale,
    find(before, after) {
      if (before.color === 'inks' && after.color !== 'inks') return [loss('inks', {}, inNoFormat())]
      return before.color !== 'sRGB' && after.color === 'sRGB' && isDark(before.hdr)
        ? [loss('color', {}, lossReason('notWritten'))]
        : none
    },
  },
  {
    isAskedFor: ({ recipe, isVaried }) => recipe.hdr === 'tone-map' || isVaried,
    find(before, after) {
      if (isDark(before.hdr) || !isDark(after.hdr)) return none
      const code = before.hdr === 'gainMap' ? 'gainMap' : 'hdr'
      return [loss(code, {}, whyLost(code, after))]
    },
  },
  // Removing the location may empty these blocks.
  presence('exif', ({ exif }) => exif, removesAnyMetadata),
  presence('xmp', ({ xmp }) => xmp, removesAnyMetadata),
  presence('iptc', ({ iptc }) => iptc, removesAnyMetadata),
  presence('comment', ({ comment }) => comment, removesAnyMetadata),
  tag('camera'),
  tag('captureDate'),
  tag('author'),
  tag('location', removesAnyMetadata),
  {
    find: ({ motionPhoto }, after) =>
      motionPhoto !== undefined && after.motionPhoto === undefined
        ? [loss('motionPhoto', { seconds: Math.max(1, Math.round(motionPhoto)) }, lossReason('noFormat'))]
        : none,
  },
  presence('depthMap', ({ depthMap }) => depthMap, removesAllMetadata),
  presence('contentCredentials', (photo) => photo.contentCredentials, removesAnyMetadata, inNoFormat),
  presence('georeference', (photo) => photo.georeference, removesAnyMetadata),
  presence('clippingPath', (photo) => photo.clippingPath, removesAllMetadata, inNoFormat),
  {
    find(before, after, { recipe }) {
      const describing = recipe.metadata === 'strip' ? 0 : before.embeddedImages - after.embeddedImages
      // Further pictures aren't metadata.
      const count = Math.max(0, describing) + Math.max(0, before.furtherPictures - after.furtherPictures)
      return count === 0 ? none : [loss('embeddedImages', { count }, inNoFormat())]
    },
  },
  // These parts aren't metadata, so no setting asks for their removal.
  presence('appendedData', (photo) => photo.appendedData, never, inNoFormat),
  presence('layers', (photo) => photo.layers, never, inNoFormat),
  {
    find({ extraChannels: count }, after) {
      return count <= after.extraChannels ? none : [loss('extraChannels', { count }, inNoFormat())]
    },
  },
  {
    isAskedFor: removesAnyMetadata,
    find(before, after) {
      // A loss of all Exif, XMP or IPTC already includes its tags.
      const lost = (['exif', 'xmp', 'iptc'] as const).filter((block) => before[block] && !after[block])
      const others = before.tags.others.filter(({ name }) => !lost.some((block) => name.startsWith(block)))
      const count = lostTags({ ...before.tags, others }, after.tags)
      return count === 0 ? none : [loss('tags', { count }, lossReason('notWritten'))]
    },
  },
]
