import { CODECS_IN, HDR_CODECS } from './preset.ts'
import type { ReadField } from './read-field.ts'

export type HdrLoss = {
  readonly codec: string
  /** A codec that supports HDR in this container; null if there is none. */
  readonly instead: string | null
}

/** Returns the codec, and one to use instead, if a preset is set to keep HDR but its codec doesn't support HDR; otherwise null. */
export function hdrLossOf(read: ReadField): HdrLoss | null {
  const codec = String(read('video.codec'))
  // Lossless output preserves HDR, except in animated images, which are always sRGB.
  const isLossless =
    read('video.crf') === 0 && read('video.bitrate') === undefined && !['webp', 'gif'].includes(codec)
  if (
    codec === 'copy' ||
    codec === 'none' ||
    isLossless ||
    HDR_CODECS.includes(codec) ||
    read('video.hdr') !== 'keep'
  )
    return null
  const container = read('video.container')
  const takes: readonly string[] =
    Object.entries(CODECS_IN).find(([name]) => name === container)?.[1] ?? HDR_CODECS
  return { codec, instead: HDR_CODECS.find((one) => takes.includes(one)) ?? null }
}
