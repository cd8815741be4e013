/** Adds the frames of an animation to an image of which libvips reads only the first one. */
import type { Metadata } from 'sharp'
import type { Animation } from './animation.ts'
import { type FrameStrip, stripAsTiff } from './frame-strip.ts'
import type { Extent } from './geometry.ts'
import type { HdrColors } from './hdr-colors.ts'
import { MAX_PIXELS, MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './image-failure.ts'

/** What sharp reads. */
type StripSource = {
  readonly input: Buffer
  readonly options: { readonly autoOrient: true; readonly limitInputPixels: number }
}

/** @param animation undefined if the image isn't animated */
export function withFrames<Photo extends Extent & { readonly hdr?: HdrColors }>(
  photo: Photo,
  animation: Animation | undefined,
  inputPath: string,
  metadata: Pick<Metadata, 'icc' | 'xmp' | 'orientation'>,
  isPremultiplied = false,
): Photo | (Photo & { readonly frames: number; readonly frameSource: () => Promise<StripSource> }) {
  if (animation === undefined) return photo
  const { length: frames } = animation.delays
  return {
    ...photo,
    frames,
    // FFmpeg shows HDR frames as if they were SDR.
    ...(photo.hdr === undefined ? { animation } : {}),
    async frameSource() {
      refuseTooManyPixels(photo.width, photo.height, frames, MAX_PIXELS_IN_MEMORY)
      const { decodeFrames } = await import('./decode-frames.ts')
      return stripSource(await decodeFrames(inputPath, frames, isPremultiplied), metadata)
    },
  }
}

export const stripSource = (strip: FrameStrip, metadata: Parameters<typeof stripAsTiff>[1]): StripSource => ({
  input: stripAsTiff(strip, metadata),
  options: { autoOrient: true, limitInputPixels: MAX_PIXELS },
})
