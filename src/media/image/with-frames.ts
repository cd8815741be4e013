/** Adds the frames of an animation to an image if libvips reads only its first frame, or reads its frames incorrectly. */
import { type Extent, MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import type { Metadata } from 'sharp'
import type { Animation } from './animation.ts'
import { type FrameStrip, stripAsTiff } from './frame-strip.ts'
import type { HdrColors } from './hdr-colors.ts'
import { refuseTooManyPages, refuseTooManyPixels } from './image-failure.ts'
import { type SharpSource, sharpSource } from './sharp-source.ts'

type Described = Pick<Metadata, 'icc' | 'xmp' | 'orientation'>

/**
 * Adds the number and the timing of the frames, and a function that decodes them.
 * @param animation undefined if the image isn't animated
 * @param decode returns all frames
 */
export function withFrames<Photo extends Extent & { readonly hdr?: HdrColors }>(
  photo: Photo,
  animation: Animation | undefined,
  metadata: Described,
  decode: (frames: number) => Promise<FrameStrip>,
): Photo | (Photo & { readonly frames: number; readonly frameSource: () => Promise<SharpSource> }) {
  if (animation === undefined) return photo
  const { length: frames } = animation.delays
  refuseTooManyPages(frames)
  return {
    ...photo,
    frames,
    // FFmpeg shows HDR frames as if they were SDR.
    ...(photo.hdr === undefined ? { animation } : {}),
    async frameSource() {
      refuseTooManyPixels(photo.width, photo.height, frames, MAX_PIXELS_IN_MEMORY)
      return stripSource(await decode(frames), metadata)
    },
  }
}

export const stripSource = (strip: FrameStrip, metadata: Described): SharpSource =>
  sharpSource(stripAsTiff(strip, metadata), 'tiff')
