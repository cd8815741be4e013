/** Converts premultiplied to straight alpha. */
import { deepSamples, type RawImage } from './raw-image.ts'

type Pixels = {
  readonly samples: Uint8Array | Uint8ClampedArray | Uint16Array
  /** Transparency is the last channel. */
  readonly channels: number
}

/** Converts the samples in place. */
export function unpremultiply({ samples, channels }: Pixels): void {
  const top = samples instanceof Uint16Array ? 0xffff : 0xff
  for (let at = 0; at < samples.length; at += channels) {
    const alpha = samples[at + channels - 1] ?? top
    if (alpha === 0 || alpha === top) continue
    for (let one = at; one < at + channels - 1; one++)
      samples[one] = Math.min(top, Math.round(((samples[one] ?? 0) * top) / alpha))
  }
}

/** Converts the pixels in place. Their memory must not be shared with another image. */
export function withStraightAlpha<Image extends Omit<RawImage, 'metadata'>>(image: Image): Image {
  const { pixels, channels, depth } = image
  const samples = depth === 16 ? deepSamples(pixels) : pixels
  if (channels === 2 || channels === 4) unpremultiply({ samples, channels })
  return image
}
