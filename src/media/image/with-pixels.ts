/** Changes the pixels of an opened image. */
import { type Extent, turnedExtent, MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import type { SharpInput, SharpOptions } from 'sharp'
import { isOnItsSide } from './heif-file.ts'
import { turnOfStill } from './heif-sequence.ts'
import { viewed } from './heif-view.ts'
import { refuseTooManyPixels } from './image-failure.ts'
import { type RawImage, readRaw } from './raw-image.ts'
import { wrapAsPng } from './stored-png.ts'

type Opened = Extent & {
  source(): Promise<{ readonly input: SharpInput; readonly options: SharpOptions }>
}

/** Changes the decoded pixels, because libvips ignores how the file describes them. */
export function withPixels<Photo extends Opened>(photo: Photo, change: (raw: RawImage) => RawImage): Photo {
  const { width, height } = photo
  return {
    ...photo,
    async source() {
      refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
      const { input, options } = await photo.source()
      return { input: wrapAsPng(change(await readRaw(input))), options }
    },
  }
}

/** Rotates and mirrors the still image of a sequence like its frames. */
export function turned<Photo extends Opened>(photo: Photo, file: Buffer): Photo {
  const transforms = turnOfStill(file)
  if (transforms.length === 0) return photo
  const size = turnedExtent(photo, isOnItsSide(transforms))
  return { ...withPixels(photo, (raw) => viewed(raw, { cut: undefined, transforms })), ...size }
}
