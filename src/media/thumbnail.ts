/** Creates a thumbnail of a photo or a video as WebP. */
import type { Extent } from '../shared/extent.ts'
import sharp, { type Sharp } from 'sharp'
import { mediaContentOf } from '../node/media-content.ts'
import { mediaKindOf } from '../shared/media-types.ts'
import { toSdr } from './image/to-sdr.ts'
import { openImage } from './image/source-image.ts'
import { openInput } from './opened-input.ts'
import type { ThumbnailRequest } from './protocol.ts'

const QUALITY = 75

// Use one thread, because the user is working with other programs. Each file is read only once, so a cache wouldn't help.
sharp.concurrency(1)
sharp.cache(false)

/**
 * Renders a thumbnail without metadata: sRGB, upright, and cropped to fill the square. Loads video decoders with the first video.
 * @throws FailureError if the file can't be shown, and any error that sharp throws for a damaged file
 */
export async function makeThumbnail(request: ThumbnailRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { path, identity, pixels } = request
  await using input = await openInput(path, identity)
  const kind = (await mediaContentOf(input.path))?.kind ?? mediaKindOf(path)
  const image = await (kind === 'video' ? videoImage : photoImage)(input.path, pixels)
  const webp = await image
    .resize({ width: pixels, height: pixels, fit: 'cover' })
    .webp({ quality: QUALITY, effort: 2 })
    .toBuffer()
  await input.requireSame()
  // A Node Buffer may share a larger ArrayBuffer, and sending it would then transfer all of that ArrayBuffer.
  return new Uint8Array(webp)
}

async function photoImage(path: string, pixels: number): Promise<Sharp> {
  const photo = toSdr(await openImage(path))
  const { input, options } = await photo.source(reduced(photo, pixels))
  const image = sharp(input, { ...options, failOn: 'error' })
  const { space, icc } = photo.is16Bit ? await image.metadata() : {}
  // Without this, sharp converts 16-bit photos with a profile to the colors of Display P3.
  return icc === undefined || space === 'grey16' ? image : image.withIccProfile('srgb', { attach: false })
}

/** Returns the dimensions to decode: at most twice the target size, so that the final resize stays sharp. */
function reduced({ width, height }: Extent, pixels: number): Extent {
  const share = Math.min(1, (2 * pixels) / Math.min(width, height))
  return { width: Math.ceil(width * share), height: Math.ceil(height * share) }
}

async function videoImage(path: string, pixels: number): Promise<Sharp> {
  const { representativeFrame } = await import('./video/representative-frame.ts')
  const { pixels: content, ...raw } = await representativeFrame(path, pixels)
  return sharp(content, { raw })
}
