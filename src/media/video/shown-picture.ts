/** Reads how a container describes the frames of a track. Players follow this rather than the coded video. */
import { type Extent, turnedExtent } from '../../shared/extent.ts'
import { AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_FRAME_CROPPING } from 'node-av/constants'
import type { CodecParameters, Frame, IRational, Stream } from 'node-av/lib'
import { rotationOfDisplayMatrix } from './video-geometry.ts'

const isKnown = ({ num, den }: IRational): boolean => num > 0 && den > 0

/** Returns the pixel aspect ratio that players use; 0 if unknown. */
export const pixelAspect = ({
  sampleAspectRatio,
  codecpar,
}: Pick<Stream, 'sampleAspectRatio' | 'codecpar'>) =>
  isKnown(sampleAspectRatio) ? sampleAspectRatio : codecpar.sampleAspectRatio

/**
 * Gives a decoded frame the container's pixel aspect ratio. If that is the same as in the coded video, the frame's own ratio counts,
 * because it may change midway.
 */
export function shapePixels(frame: Frame, source: Pick<Stream, 'sampleAspectRatio' | 'codecpar'>): void {
  const { sampleAspectRatio: told, codecpar } = source
  const { sampleAspectRatio: coded } = codecpar
  if (isKnown(told) && told.num * coded.den !== coded.num * told.den) frame.sampleAspectRatio = told
}

/** The part of the coded frame to show. */
export type ShownPart = Extent & { readonly x: number; readonly y: number }

/** Returns the part that the container states; undefined if it states none, or one that is empty. */
export function shownPart(
  codecpar: Pick<CodecParameters, 'width' | 'height' | 'getCodedSideData'>,
): ShownPart | undefined {
  const data = codecpar.getCodedSideData(AV_PKT_DATA_FRAME_CROPPING)
  if (data === null || data.length < 16) return undefined
  const [top = 0, bottom = 0, left = 0, right = 0] = [0, 4, 8, 12].map((at) => data.readUInt32LE(at))
  const width = codecpar.width - left - right
  const height = codecpar.height - top - bottom
  return width > 0 && height > 0 ? { x: left, y: top, width, height } : undefined
}

/** Returns the dimensions as shown, upright and with square pixels. */
export function displayedExtent(stream: Pick<Stream, 'sampleAspectRatio' | 'codecpar'>): Extent {
  const { codecpar } = stream
  const aspect = pixelAspect(stream)
  const { width, height } = shownPart(codecpar) ?? codecpar
  const stretched = isKnown(aspect) ? Math.round((width * aspect.num) / aspect.den) : width
  const { swapsSides } = rotationOfDisplayMatrix(codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX))
  return turnedExtent({ width: stretched, height }, swapsSides)
}
