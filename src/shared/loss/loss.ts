/**
 * Losses as data: what a result lacks compared with its original although its preset didn't ask for that, and why. A loss isn't a
 * failure: the result is complete in every other respect, and the original is unchanged. *Replace the originals* keeps an original
 * whose result lost anything.
 */
import type { Arguments, Coded } from '../failure/failure.ts'
import type { losses } from '../i18n/en/losses.ts'
import type { ImageRecipe, VideoRecipe } from '../preset/preset.ts'

type Lost = Coded<(typeof losses)['loss']>
type Reasons = Coded<(typeof losses)['lossReason']>
export type LossCode = keyof Lost
export type LossReason = Reasons[keyof Reasons]
export type Loss = Lost[LossCode] & { readonly why: LossReason }

/** `loss('chapters', { count: 12 }, lossReason('formatLacksThem', { format: 'WebM' }))` */
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

/** The format that keeps what another one lost, for photos and for videos. */
export type KeptBy = {
  readonly image?: Exclude<ImageRecipe['format'], 'same'>
  readonly video?: Exclude<VideoRecipe['container'], 'same'>
}

/** Which format keeps what was lost; null if no format that presets offer does. */
export const KEPT_BY: Readonly<Record<LossCode, KeptBy | null>> = {
  pages: { image: 'tiff' },
  frames: { image: 'webp' },
  frameTiming: { image: 'webp' },
  dimensions: { image: 'tiff', video: 'mkv' },
  alpha: { image: 'png', video: 'webp' },
  bitDepth: { image: 'tiff' },
  color: { image: 'tiff', video: 'mkv' },
  hdr: { image: 'avif', video: 'mkv' },
  gainMap: { image: 'jpeg' },
  exif: { image: 'jpeg' },
  xmp: { image: 'jpeg' },
  iptc: { image: 'jpeg' },
  comment: null,
  camera: { video: 'mov' },
  captureDate: { video: 'mov' },
  author: null,
  location: { video: 'mov' },
  tags: { video: 'mkv' },
  motionPhoto: null,
  depthMap: null,
  embeddedImages: null,
  startSeconds: null,
  middleSeconds: null,
  endSeconds: null,
  videoTrack: null,
  audioTrack: { video: 'mov' },
  audioChannels: { video: 'mkv' },
  losslessAudio: { video: 'mkv' },
  subtitles: { video: 'mkv' },
  chapters: { video: 'mkv' },
  attachments: { video: 'mkv' },
  dataTrack: null,
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
}
