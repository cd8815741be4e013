/** The filter chain from a decoded picture to one that the encoder takes, written in FFmpeg's filter language. */
import {
  AV_FRAME_DATA_DISPLAYMATRIX,
  AV_FRAME_FLAG_INTERLACED,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  type AVColorSpace,
} from 'node-av/constants'
import { Filter, type Frame, type IRational } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'
import { pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import type { FilterSource } from '../ffmpeg/filter-chain.ts'
import {
  combineTurns,
  type Geometry,
  planGeometry,
  type SizeRule,
  type Turn,
  turnOfDegrees,
  turnOfDisplayMatrix,
} from './picture-geometry.ts'

/** What the filters need to know of a decoded picture. */
export type PictureFacts = {
  readonly width: number
  readonly height: number
  /** Width of a pixel over its height; 1 where the file doesn't say. */
  readonly pixelAspect: number
  readonly pixelFormat: string
  readonly turn: Turn
  readonly fullRange: boolean
  /** Whether its colours are coded in one of the usual ways, or the file doesn't say in which. */
  readonly usualMatrix: boolean
  readonly interlaced: boolean
  /** The transfer curve of a picture that is brighter than ordinary screens. */
  readonly highDynamicRange: 'pq' | 'hlg' | undefined
}

const USUAL_MATRICES: ReadonlySet<AVColorSpace> = new Set([
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_SPC_BT709,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_BT2020_NCL,
])

/** @param storedMatrix of the stream, for decoders that don't hand it on with each picture */
export function factsOfFrame(frame: Frame, storedMatrix: Buffer | null): PictureFacts {
  const aspect = frame.sampleAspectRatio
  return {
    width: frame.width,
    height: frame.height,
    pixelAspect: aspect.num > 0 && aspect.den > 0 ? aspect.num / aspect.den : 1,
    pixelFormat: pixelFormatName(frame),
    turn: turnOfDisplayMatrix(frame.getSideData(AV_FRAME_DATA_DISPLAYMATRIX) ?? storedMatrix),
    fullRange: frame.colorRange === AVCOL_RANGE_JPEG,
    usualMatrix: USUAL_MATRICES.has(frame.colorSpace),
    interlaced: frame.hasFlags(AV_FRAME_FLAG_INTERLACED),
    highDynamicRange: highDynamicRange(frame),
  }
}

/** What the chain is told of the pictures that come in. */
export function sourceOf(frame: Frame, timeBase: IRational): FilterSource {
  const aspect = frame.sampleAspectRatio
  const parameters = [
    `video_size=${frame.width}x${frame.height}`,
    `pix_fmt=${pixelFormatName(frame)}`,
    `time_base=${timeBase.num}/${timeBase.den}`,
    `pixel_aspect=${Math.max(0, aspect.num)}/${Math.max(1, aspect.den)}`,
    `colorspace=${frame.colorSpace}`,
    `range=${frame.colorRange}`,
  ].join(':')
  return { kind: 'picture', parameters }
}

export function highDynamicRange(frame: Pick<Frame, 'colorTrc'>): PictureFacts['highDynamicRange'] {
  if (frame.colorTrc === AVCOL_TRC_SMPTE2084) return 'pq'
  if (frame.colorTrc === AVCOL_TRC_ARIB_STD_B67) return 'hlg'
  return undefined
}

export function hasAlpha(pixelFormat: string): boolean {
  return /^(yuva|ya\d|rgba|argb|bgra|abgr|gbrap|pal8)/.test(pixelFormat)
}

function isRgb(pixelFormat: string): boolean {
  return /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8)/.test(pixelFormat)
}

/** What the encoder is to get. */
export type PictureTarget = {
  readonly keepAlpha: boolean
  readonly bitDepth: 8 | 10
  /** Whether pictures that are brighter than ordinary screens stay so; they then have 10 bits. */
  readonly keepHdr: boolean
  readonly lossless: boolean
  readonly leastSide: number
  /** The one format that the encoder is to get, if nothing else will do. */
  readonly only?: string | undefined
  /** The formats that the encoder takes without loss, by name; only asked when lossless. */
  readonly losslessFormats: readonly string[]
}

/** @returns the chain, never empty */
export function pictureFilters(
  facts: PictureFacts,
  recipe: VideoRecipe,
  variation: VariationValues | undefined,
  target: PictureTarget,
): string {
  const turn = combineTurns(facts.turn, turnOfDegrees(recipe.rotate))
  const pixelFormat = targetFormat(facts, target)
  const geometry = planGeometry(upright(facts, turn), recipe, variation, sizeRule(pixelFormat, target))
  const toneMapped = isToneMapped(facts, target)
  return [
    ...(facts.interlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : []),
    ...turn.filters,
    ...cropFilters(geometry, variation),
    ...scaleFilters(facts, turn, geometry, target, toneMapped),
    ...(toneMapped ? toneMapFilters(facts.highDynamicRange) : []),
    ...colourFilters(recipe, variation),
    ...(variation?.mirror === true ? ['hflip'] : []),
    ...(hasAlpha(facts.pixelFormat) && !hasAlpha(pixelFormat)
      ? ['format=yuva444p', 'premultiply=inplace=1']
      : []),
    ...(target.lossless ? [] : ['setsar=1']),
    `format=${pixelFormat}`,
  ].join(',')
}

export function isToneMapped(
  { highDynamicRange }: Pick<PictureFacts, 'highDynamicRange'>,
  { lossless, keepHdr }: Pick<PictureTarget, 'lossless' | 'keepHdr'>,
): boolean {
  return highDynamicRange !== undefined && !lossless && !keepHdr
}

function upright(facts: PictureFacts, turn: Turn) {
  return turn.swapsSides
    ? { width: facts.height, height: facts.width, pixelAspect: 1 / facts.pixelAspect }
    : { width: facts.width, height: facts.height, pixelAspect: facts.pixelAspect }
}

function targetFormat(facts: PictureFacts, target: PictureTarget): string {
  if (target.only !== undefined) return target.only
  if (target.lossless && target.losslessFormats.includes(facts.pixelFormat)) return facts.pixelFormat
  if (hasAlpha(facts.pixelFormat) && target.keepAlpha) return 'yuva420p'
  const stays = facts.highDynamicRange !== undefined && target.keepHdr
  return target.bitDepth === 10 || stays ? 'yuv420p10le' : 'yuv420p'
}

function sizeRule(pixelFormat: string, target: PictureTarget): SizeRule {
  // Scaling and tone-mapping come before a format that is the only one.
  const isHalved = /4(20|22|11|10)|^nv|^p0/.test(pixelFormat) || target.only !== undefined
  const step = isHalved ? 2 : 1
  return { step, least: target.leastSide, squarePixels: !target.lossless }
}

function cropFilters(geometry: Geometry, variation: VariationValues | undefined): string[] {
  const { crop, cutAfterRotation } = geometry
  const angle = ((variation?.rotation ?? 0) * Math.PI) / 180
  return [
    ...(crop === undefined ? [] : [`crop=${crop.width}:${crop.height}:${crop.x}:${crop.y}`]),
    ...(cutAfterRotation === undefined
      ? []
      : [`rotate=${angle.toFixed(6)}`, `crop=${cutAfterRotation.width}:${cutAfterRotation.height}`]),
  ]
}

/** The scaler stands in the chain only where it has something to do: sides, pixel shape, range or colour model. */
function scaleFilters(
  facts: PictureFacts,
  turn: Turn,
  geometry: Geometry,
  target: PictureTarget,
  toneMapped: boolean,
): string[] {
  const full = upright(facts, turn)
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
 * Whether zscale takes the picture, which costs less than swscale and looks the same: it refuses odd sides where colour
 * has fewer samples, and matrices that it doesn't know.
 */
function onlyScales(
  { pixelFormat, usualMatrix }: PictureFacts,
  before: { readonly width: number; readonly height: number },
): boolean {
  const even = before.width % 2 === 0 && before.height % 2 === 0
  return even && usualMatrix && /^yuv4(20|22|44)p(10le|12le)?$/.test(pixelFormat) && hasZscale()
}

let zscale: boolean | undefined

function hasZscale(): boolean {
  zscale ??= Filter.getByName('zscale') !== null
  return zscale
}

/** To the range of ordinary screens (BT.709), in linear light, keeping the highlights' gradation. */
function toneMapFilters(curve: PictureFacts['highDynamicRange']): string[] {
  const transfer = curve === 'pq' ? 'smpte2084' : 'arib-std-b67'
  return [
    `zscale=tin=${transfer}:pin=bt2020:min=bt2020nc:t=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=hable:desat=0',
    'zscale=t=bt709:m=bt709:r=limited',
  ]
}

function colourFilters(recipe: VideoRecipe, variation: VariationValues | undefined): string[] {
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
