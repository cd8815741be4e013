import { CODECS_IN, HDR_CODECS } from './preset.ts'
import type { ReadField } from './read-field.ts'

export type HdrLoss = {
  readonly codec: string
  /** What the container takes and HDR stays in; null where that is nothing. */
  readonly instead: string | null
}

/** Whether a preset would keep the HDR of a film, if its codec could. */
export function hdrLossOf(read: ReadField): HdrLoss | null {
  const codec = String(read('video.codec'))
  // Without any loss the numbers stay what they are, but for a moving picture, which is always sRGB.
  const isLossless = read('video.crf') === 0 && read('video.bitrate') === undefined && codec !== 'webp'
  if (codec === 'copy' || isLossless || HDR_CODECS.includes(codec) || read('video.hdr') !== 'keep')
    return null
  const container = read('video.container')
  const takes: readonly string[] =
    Object.entries(CODECS_IN).find(([name]) => name === container)?.[1] ?? HDR_CODECS
  return { codec, instead: HDR_CODECS.find((one) => takes.includes(one)) ?? null }
}
