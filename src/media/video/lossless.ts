/**
 * Chooses how a lossless recipe stores frames: in the recipe's codec if that supports the original's pixel format, otherwise in FFV1, which
 * supports almost all. Only Matroska supports FFV1.
 */
import type { Container } from './container.ts'
import { isSubsampled, plainFormat } from '../ffmpeg/pixel-format.ts'

export type Picture = { readonly pixelFormat: string; readonly width: number; readonly height: number }

/** Returns the format in `held` that keeps every value of the frame unchanged; undefined if none does. */
export function sameFormat(pixelFormat: string, held: readonly string[]): string | undefined {
  if (held.includes(pixelFormat)) return pixelFormat
  // `yuvj` formats have full range. The names of other formats don't express a range, so full range would be lost.
  if (pixelFormat.startsWith('yuvj')) return undefined
  const plain = plainFormat(pixelFormat)
  return held.find((format) => plainFormat(format) === plain)
}

/**
 * Returns the format in which an encoder holds the frame exactly; undefined if there is none.
 * @param held formats that the encoder accepts
 * @param leastSide minimum width and height that the encoder accepts
 */
export function exactFormat(
  { pixelFormat, width, height }: Picture,
  held: readonly string[],
  leastSide: number,
): string | undefined {
  const isOdd = width % 2 !== 0 || height % 2 !== 0
  if (isOdd && isSubsampled(pixelFormat)) return undefined
  return Math.min(width, height) < leastSide ? undefined : sameFormat(pixelFormat, held)
}

/** Formats that FFV1 decoders have supported only since 2025. Formats with 16 bits can hold the same values. */
const NEW_IN_FFV1 = /^(?:yuva4\d\dp12|gbrap14|gray14|yaf|grayf|gbrpf|bayer)/

/** Returns the format in which FFV1 holds the frame exactly; undefined if there is none. */
export function exactFfv1Format({ pixelFormat }: Picture, held: readonly string[]): string | undefined {
  const known = held.filter((format) => !NEW_IN_FFV1.test(format))
  return sameFormat(pixelFormat, known) ?? sameFormat(widened(pixelFormat), known)
}

const widened = (pixelFormat: string): string =>
  plainFormat(pixelFormat).replace(/^(yuva?4\d\dp|gbra?p|gray)(?:9|1\d)$/, (_, channels) => `${channels}16`)

export const holdsFfv1 = ({ muxer }: Pick<Container, 'muxer'>): boolean => muxer === 'matroska'
