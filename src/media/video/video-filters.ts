/** Builds the filter chain between a decoded frame and the encoder, in FFmpeg's filter syntax. */
import type { Extent } from '../../shared/extent.ts'
import {
  AV_FRAME_DATA_DISPLAYMATRIX,
  AV_FRAME_FLAG_INTERLACED,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVCOL_PRI_BT709,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_BT709,
  AVCOL_TRC_SMPTE2084,
  AVCOL_TRC_UNSPECIFIED,
  type AVColorSpace,
} from 'node-av/constants'
import { type CodecParameters, Filter, type Frame, type IRational } from 'node-av/lib'
import { once } from '../../shared/once.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'
import { pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import { describeFormat, hasAlpha, isRgb, isSubsampled } from '../ffmpeg/pixel-format.ts'
import { type ShownPart, shownPart } from './shown-picture.ts'
import {
  combineRotations,
  type Geometry,
  planGeometry,
  type SizeRule,
  type Rotation,
  rotationOfDegrees,
  rotationOfDisplayMatrix,
  sizeWithin,
  type UprightFrame,
} from './video-geometry.ts'

export type FrameFacts = ReturnType<typeof factsOfFrame>

/** The matrices that swscale converts to. */
const SCALED_MATRICES: ReadonlySet<AVColorSpace> = new Set([
  AVCOL_SPC_BT709,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_BT2020_NCL,
])

const COMMON_MATRICES: ReadonlySet<AVColorSpace> = new Set([AVCOL_SPC_UNSPECIFIED, ...SCALED_MATRICES])

/** Players assume HD colors for frames of at least this width or this height, unless the file specifies its colors. */
const HD = { width: 1280, height: 577 }

/** Sets the colors that players assume if a YUV frame lacks a color matrix. After scaling, players would assume different colors. */
export function tagColors(frame: Frame): void {
  const isUntagged = frame.colorSpace === AVCOL_SPC_UNSPECIFIED
  if (!isUntagged || describeFormat(pixelFormatName(frame))?.model !== 'yuv') return
  if (highDynamicRange(frame) !== undefined) {
    frame.colorSpace = AVCOL_SPC_BT2020_NCL
    return
  }
  const isHd = frame.width >= HD.width || frame.height >= HD.height
  frame.colorSpace = isHd ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
  if (!isHd) return
  if (frame.colorPrimaries === AVCOL_PRI_UNSPECIFIED) frame.colorPrimaries = AVCOL_PRI_BT709
  if (frame.colorTrc === AVCOL_TRC_UNSPECIFIED) frame.colorTrc = AVCOL_TRC_BT709
}

/** @param source the stream of a frame that was just decoded */
export function factsOfFrame(frame: Frame, source?: CodecParameters) {
  const { width, height } = frame
  const isUsual = source !== undefined && width === source.width && height === source.height
  const shown = isUsual ? shownPart(source) : undefined
  // Decoders don't attach the matrix to each frame.
  const storedMatrix = source?.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) ?? null
  return {
    width: shown?.width ?? width,
    height: shown?.height ?? height,
    /** The part of the decoded frame to which the dimensions refer; undefined: the whole frame. */
    shown,
    /** Pixel width divided by height; 1 if unknown. */
    pixelAspect: aspectOf(frame.sampleAspectRatio),
    pixelFormat: pixelFormatName(frame),
    rotation: rotationOfDisplayMatrix(frame.getSideData(AV_FRAME_DATA_DISPLAYMATRIX) ?? storedMatrix),
    fullRange: frame.colorRange === AVCOL_RANGE_JPEG,
    /** Whether the color matrix is a common one or unspecified. */
    isCommonMatrix: COMMON_MATRICES.has(frame.colorSpace),
    interlaced: frame.hasFlags(AV_FRAME_FLAG_INTERLACED),
    highDynamicRange: highDynamicRange(frame),
  }
}

/** Returns the transfer curve of an HDR frame; undefined for SDR. */
export function highDynamicRange(frame: Pick<Frame, 'colorTrc'>): 'pq' | 'hlg' | undefined {
  if (frame.colorTrc === AVCOL_TRC_SMPTE2084) return 'pq'
  if (frame.colorTrc === AVCOL_TRC_ARIB_STD_B67) return 'hlg'
  return undefined
}

export type FrameTarget = {
  readonly keepAlpha: boolean
  readonly bitDepth: 8 | 10
  /** Whether HDR is kept: with 10 bits, even if `bitDepth` is 8. */
  readonly keepHdr: boolean
  readonly lossless: boolean
  readonly leastSide: number
  /** The only pixel format that the encoder accepts; undefined: any format. */
  readonly only?: string | undefined
  /** The pixel format that holds every pixel exactly; used only if `lossless`. */
  readonly exactFormat?: string | undefined
  /** Whether the encoder needs even sides for frames with chroma subsampling. */
  readonly evenSides: boolean
}

/** Frames to show: SDR, 8 bits, no transparency. */
export const FOR_DISPLAY: FrameTarget = {
  keepAlpha: false,
  bitDepth: 8,
  keepHdr: false,
  lossless: false,
  leastSide: 2,
  evenSides: true,
}

/** The first frame of a result. All other frames get its dimensions, format and colors, because an encoder accepts no others. */
export type FirstFrame = ReturnType<typeof firstFrameOf>

export function firstFrameOf(frame: Frame) {
  const { width, height, colorSpace, sampleAspectRatio } = frame
  return {
    width,
    height,
    pixelAspect: aspectOf(sampleAspectRatio),
    pixelFormat: pixelFormatName(frame),
    colorSpace,
    highDynamicRange: highDynamicRange(frame),
  }
}

const aspectOf = ({ num, den }: IRational): number => (num > 0 && den > 0 ? num / den : 1)

/**
 * Returns FFmpeg's filter chain for frames. The chain is never empty.
 * @param first set for frames that differ from those before them: they are scaled to fit the result's first frame
 */
export function videoFilters(
  facts: FrameFacts,
  recipe: VideoRecipe,
  variation: VariationValues | undefined,
  target: FrameTarget,
  first?: FirstFrame,
): string {
  const rotation = combineRotations(facts.rotation, rotationOfDegrees(recipe.rotate))
  const pixelFormat = first?.pixelFormat ?? targetFormat(facts, target)
  const rule = sizeRule(pixelFormat, target)
  const frame = upright(facts, rotation)
  const planned = planGeometry(frame, recipe, variation, rule)
  const pixelAspect = rule.squarePixels ? 1 : frame.pixel.width / frame.pixel.height
  const geometry = first === undefined ? planned : { ...planned, ...sizeWithin(first, planned, pixelAspect) }
  const toneMapped = isToneMapped(facts, target)
  return [
    ...(facts.interlaced && !(target.lossless && isUntouched(facts, rotation, geometry))
      ? ['bwdif=mode=send_frame:deint=interlaced']
      : []),
    ...(facts.shown === undefined ? [] : [partFilter(facts.shown)]),
    ...rotation.filters,
    ...cropFilters(geometry, variation),
    ...scaleFilters(facts, rotation, geometry, target, toneMapped),
    ...(toneMapped ? toneMapFilters(facts.highDynamicRange) : []),
    ...colorFilters(recipe, variation),
    ...(variation?.mirror === true ? ['hflip'] : []),
    ...(hasAlpha(facts.pixelFormat) && !hasAlpha(pixelFormat)
      ? ['format=yuva444p', 'premultiply=inplace=1']
      : []),
    ...(target.lossless ? [] : ['setsar=1']),
    `format=${pixelFormat}`,
    ...(first === undefined ? [] : likeFirst(geometry, first)),
  ].join(',')
}

/** Converts the colors and adds bars around a frame that is smaller than the first one. */
function likeFirst(size: Extent, first: FirstFrame): string[] {
  const { width, height, pixelAspect, pixelFormat, colorSpace } = first
  const isSmaller = size.width < width || size.height < height
  return [
    ...(SCALED_MATRICES.has(colorSpace) ? [`scale=out_color_matrix=${colorSpace}`] : []),
    ...(isSmaller ? [`pad=${width}:${height}:-1:-1`] : []),
    `setsar=${pixelAspect}`,
    `format=${pixelFormat}`,
  ]
}
/** Returns whether every row stays in its field, so that an interlaced frame can keep its fields. */
const isUntouched = (facts: FrameFacts, rotation: Rotation, geometry: Geometry): boolean =>
  rotation.filters.length === 0 &&
  (facts.shown?.y ?? 0) % 2 === 0 &&
  geometry.crop === undefined &&
  geometry.cutAfterRotation === undefined &&
  geometry.width === facts.width &&
  geometry.height === facts.height

export function isToneMapped(
  { highDynamicRange }: Pick<FrameFacts, 'highDynamicRange'>,
  { lossless, keepHdr }: Pick<FrameTarget, 'lossless' | 'keepHdr'>,
): boolean {
  return highDynamicRange !== undefined && !lossless && !keepHdr
}

/**
 * Returns the dimensions of the upright frame. Pixels are stretched along the rows of the stored frame, so that a rotated video has the
 * same size as one that isn't rotated.
 */
function upright({ width, height, pixelAspect }: FrameFacts, rotation: Rotation): UprightFrame {
  return rotation.swapsSides
    ? { width: height, height: width, pixel: { width: 1, height: pixelAspect } }
    : { width, height, pixel: { width: pixelAspect, height: 1 } }
}

function targetFormat(facts: FrameFacts, target: FrameTarget): string {
  if (target.only !== undefined) return target.only
  if (target.lossless && target.exactFormat !== undefined) return target.exactFormat
  if (hasAlpha(facts.pixelFormat) && target.keepAlpha) return 'yuva420p'
  const stays = facts.highDynamicRange !== undefined && target.keepHdr
  return target.bitDepth === 10 || stays ? 'yuv420p10le' : 'yuv420p'
}

function sizeRule(pixelFormat: string, target: FrameTarget): SizeRule {
  // If only one format is allowed, frames are scaled and tone-mapped before the conversion to it.
  const isHalved = isSubsampled(pixelFormat) || target.only !== undefined
  const step = isHalved && target.evenSides ? 2 : 1
  return { step, least: target.leastSide, squarePixels: !target.lossless }
}

const partFilter = ({ width, height, x, y }: ShownPart) => `crop=${width}:${height}:${x}:${y}`

function cropFilters(geometry: Geometry, variation: VariationValues | undefined): string[] {
  const { crop, cutAfterRotation } = geometry
  const angle = ((variation?.rotation ?? 0) * Math.PI) / 180
  return [
    ...(crop === undefined ? [] : [partFilter(crop)]),
    ...(cutAfterRotation === undefined
      ? []
      : [`rotate=${angle.toFixed(6)}`, `crop=${cutAfterRotation.width}:${cutAfterRotation.height}`]),
  ]
}

/** Returns a scaler only if the size, pixel aspect ratio, range or color model changes. */
function scaleFilters(
  facts: FrameFacts,
  rotation: Rotation,
  geometry: Geometry,
  target: FrameTarget,
  toneMapped: boolean,
): string[] {
  const full = upright(facts, rotation)
  const before = geometry.cutAfterRotation ?? geometry.crop ?? full
  const resized = before.width !== geometry.width || before.height !== geometry.height
  const narrowed = facts.fullRange && !target.lossless && !toneMapped
  const converted = isRgb(facts.pixelFormat) && !target.lossless
  if (!resized && !narrowed && !converted) return []
  if (!narrowed && !converted && onlyScales(facts, before)) {
    return [`zscale=${geometry.width}:${geometry.height}:filter=bicubic:param_a=0:param_b=0.6`]
  }
  return [
    [
      `scale=${geometry.width}:${geometry.height}:flags=bicubic`,
      ...(narrowed || converted ? ['out_range=limited'] : []),
      ...(converted ? ['out_color_matrix=bt709'] : []),
    ].join(':'),
  ]
}

/**
 * Returns whether zscale can replace swscale: it is faster and looks the same.
 * zscale rejects unknown matrices, and odd dimensions with chroma subsampling.
 */
function onlyScales({ pixelFormat, isCommonMatrix }: FrameFacts, before: Extent): boolean {
  const even = before.width % 2 === 0 && before.height % 2 === 0
  return even && isCommonMatrix && /^yuv4(20|22|44)p(10le|12le)?$/.test(pixelFormat) && hasZscale()
}

const hasZscale = once(() => Filter.getByName('zscale') !== null)

/** Tone-maps HDR to BT.709 in linear light and keeps detail in the highlights. */
function toneMapFilters(curve: FrameFacts['highDynamicRange']): string[] {
  const transfer = curve === 'pq' ? 'smpte2084' : 'arib-std-b67'
  return [
    `zscale=tin=${transfer}:pin=bt2020:min=bt2020nc:t=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=hable:desat=0',
    'zscale=t=bt709:m=bt709:r=limited',
  ]
}

function colorFilters(recipe: VideoRecipe, variation: VariationValues | undefined): string[] {
  const brightness = variation?.brightness ?? 1
  const saturation = recipe.grayscale ? 0 : (variation?.saturation ?? 1)
  const hue = variation?.hue ?? 0
  return [
    ...(brightness === 1
      ? []
      : [
          `format=yuv444p|yuva444p|yuv420p|yuva420p`,
          `lutyuv=y=clip((val-minval)*${brightness.toFixed(4)}+minval\\,minval\\,maxval)`,
        ]),
    ...(saturation === 1 && hue === 0 ? [] : [`hue=h=${hue.toFixed(4)}:s=${saturation.toFixed(4)}`]),
  ]
}
