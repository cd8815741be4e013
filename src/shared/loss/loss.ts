/**
 * Losses as data: what a result lacks compared with its original although its preset didn't ask for that, and why. A loss isn't a
 * failure: the result is complete in every other respect, and the original is unchanged. *Replace the originals* keeps an original
 * whose result lost anything.
 */
import type { Arguments, Coded } from '../failure/failure.ts'
import type { Texts } from '../i18n/texts.ts'

type Lost = Coded<Texts['losses']['loss']>
type Reasons = Coded<Texts['losses']['lossReason']>
export type LossCode = keyof Lost
/** Losses without values. */
export type PlainLossCode = {
  [Code in LossCode]: keyof Lost[Code]['values'] extends never ? Code : never
}[LossCode]
export type LossReason = Reasons[keyof Reasons]
export type Loss = Lost[LossCode] & { readonly why: LossReason }

/** Creates a loss: `loss('chapters', { count: 12 }, lossReason('formatLacksThem', { format: 'WebM' }))`. */
export const loss = <Code extends LossCode>(
  code: Code,
  values: Lost[Code]['values'],
  why: LossReason,
): Loss =>
  // The code determines the type of the values, but the compiler can't infer that for a union.
  ({ code, values, why }) as unknown as Loss

export const lossReason = <Code extends keyof Reasons>(
  code: Code,
  ...[values]: Arguments<Reasons[Code]['values']>
): LossReason =>
  // As in `loss`, the compiler can't infer the type for a union.
  ({ code, values: values ?? {} }) as unknown as LossReason

/** The format that keeps what a result in a different format lost, for photos and for videos. */
type KeptBy = {
  readonly image?: 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff'
  readonly video?: 'mkv' | 'mp4'
}
/** Formats that can replace the image format or the container of any preset. */
export const KEEPING_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'tiff', 'mkv', 'mp4'] as const
export type KeepingFormat = (typeof KEEPING_FORMATS)[number]

/** The format that keeps what was lost; null if presets don't offer such a format. */
const KEPT_BY: Readonly<Record<LossCode, KeptBy | null>> = {
  pages: { image: 'tiff' },
  frames: { image: 'webp' },
  frameTiming: { image: 'webp' },
  dimensions: { image: 'tiff', video: 'mkv' },
  pixelAspect: { image: 'png' },
  alpha: { image: 'png' },
  bitDepth: { image: 'tiff' },
  color: { image: 'tiff', video: 'mkv' },
  inks: null,
  hdr: { image: 'avif', video: 'mkv' },
  gainMap: { image: 'jpeg' },
  exif: { image: 'jpeg' },
  xmp: { image: 'jpeg' },
  iptc: { image: 'jpeg' },
  comment: null,
  camera: { video: 'mkv' },
  captureDate: { video: 'mkv' },
  author: null,
  location: { video: 'mkv' },
  tags: { video: 'mkv' },
  motionPhoto: null,
  depthMap: null,
  embeddedImages: null,
  appendedData: null,
  contentCredentials: null,
  metadataBlock: null,
  clippingPath: null,
  layers: null,
  extraChannels: null,
  georeference: { image: 'tiff' },
  startSeconds: null,
  middleSeconds: null,
  endSeconds: null,
  videoTrack: null,
  audioTrack: { video: 'mkv' },
  audioChannels: { video: 'mkv' },
  losslessAudio: { video: 'mkv' },
  audioQuality: { video: 'mkv' },
  subtitles: { video: 'mkv' },
  subtitlePlaces: { video: 'mkv' },
  subtitleStyles: { video: 'mkv' },
  chapters: { video: 'mkv' },
  chapterNames: { video: 'mkv' },
  chapterOrder: { video: 'mkv' },
  attachments: { video: 'mkv' },
  dataTrack: { video: 'mp4' },
  trackLanguage: { video: 'mkv' },
  trackTitle: { video: 'mkv' },
  trackFlags: { video: 'mkv' },
  rotation: { video: 'mp4' },
  spherical: { video: 'mp4' },
  stereo3d: { video: 'mkv' },
  dolbyVision: null,
  chroma: null,
  fields: null,
  frameRate: null,
  playbackSpeed: null,
}

export const isLossCode = (value: unknown): value is LossCode =>
  typeof value === 'string' && Object.hasOwn(KEPT_BY, value)

/** Reasons that apply to every format, so that no format keeps what was lost. */
const HOPELESS: ReadonlySet<LossReason['code']> = new Set(['noFormat', 'undecodable', 'damaged'])

/**
 * Returns the format that keeps what a result lost.
 * @param ending of the result's name, without the dot
 * @returns undefined if there is none, or if the result already has that format
 */
export function formatThatKeeps(
  { code, why }: Loss,
  kind: keyof KeptBy,
  ending: string,
): KeepingFormat | undefined {
  const format = HOPELESS.has(why.code) ? undefined : KEPT_BY[code]?.[kind]
  const isSame =
    format === ending || (format === 'jpeg' && ending === 'jpg') || (format === 'tiff' && ending === 'tif')
  return isSame ? undefined : format
}
