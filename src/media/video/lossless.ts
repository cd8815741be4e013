/**
 * Chooses how a lossless recipe stores a picture: in the recipe's codec if that holds the original's format, otherwise in FFV1, which
 * holds almost all. Only Matroska holds FFV1.
 */
import type { Container } from './container.ts'

/** A picture's pixel format and dimensions. */
export type Picture = { readonly pixelFormat: string; readonly width: number; readonly height: number }

/** Returns the pixel format of a list that holds every value of the picture unchanged; undefined if none does. */
export function sameFormat(pixelFormat: string, held: readonly string[]): string | undefined {
  if (held.includes(pixelFormat)) return pixelFormat
  // The full range of these formats isn't part of other names, so it would be lost.
  if (pixelFormat.startsWith('yuvj')) return undefined
  const plain = plainFormat(pixelFormat)
  return held.find((format) => plainFormat(format) === plain)
}

/** Packed formats and the planar ones with the same values. */
const PLANAR: Readonly<Record<string, string>> = {
  nv12: 'yuv420p',
  nv21: 'yuv420p',
  nv16: 'yuv422p',
  yuyv422: 'yuv422p',
  yvyu422: 'yuv422p',
  uyvy422: 'yuv422p',
  nv24: 'yuv444p',
  nv42: 'yuv444p',
  vuyx: 'yuv444p',
  uyyvyy411: 'yuv411p',
  vuya: 'yuva444p',
  ayuv: 'yuva444p',
  nv20: 'yuv422p10',
  p010: 'yuv420p10',
  p210: 'yuv422p10',
  y210: 'yuv422p10',
  p410: 'yuv444p10',
  xv30: 'yuv444p10',
  p012: 'yuv420p12',
  p212: 'yuv422p12',
  y212: 'yuv422p12',
  p412: 'yuv444p12',
  xv36: 'yuv444p12',
  p016: 'yuv420p16',
  p216: 'yuv422p16',
  y216: 'yuv422p16',
  p416: 'yuv444p16',
  xv48: 'yuv444p16',
  ayuv64: 'yuva444p16',
  rgb48: 'gbrp16',
  bgr48: 'gbrp16',
  rgba64: 'gbrap16',
  bgra64: 'gbrap16',
  x2rgb10: 'gbrp10',
  x2bgr10: 'gbrp10',
  pal8: 'gbrap',
  monow: 'gray',
  monob: 'gray',
}

function plainFormat(pixelFormat: string): string {
  const name = pixelFormat.replace(/[lb]e$/, '')
  if (/^(?:rgb24|bgr24|0rgb|rgb0|0bgr|bgr0)$/.test(name)) return 'gbrp'
  if (/^(?:rgba|bgra|argb|abgr)$/.test(name)) return 'gbrap'
  return PLANAR[name] ?? name
}

/** Whether the color planes of a format have fewer samples than the brightness, so that encoders need even sides. */
export const isSubsampled = (pixelFormat: string): boolean => /4(20|22|11|10|40)|^nv|^p0/.test(pixelFormat)

/** @returns the format in which the encoder of a codec for players holds the picture exactly */
export function exactFormat(
  { pixelFormat, width, height }: Picture,
  held: readonly string[],
  leastSide: number,
): string | undefined {
  const isOdd = width % 2 !== 0 || height % 2 !== 0
  if (isOdd && isSubsampled(pixelFormat)) return undefined
  return Math.min(width, height) < leastSide ? undefined : sameFormat(pixelFormat, held)
}

/** Formats that FFV1 decoders know only since 2025. 16 bits hold their values too. */
const NEW_IN_FFV1 = /^(?:yuva4\d\dp12|gbrap14|gray14|yaf|grayf|gbrpf|bayer)/

/** @returns the format in which FFV1 holds the picture exactly */
export function exactFfv1Format({ pixelFormat }: Picture, held: readonly string[]): string | undefined {
  const known = held.filter((format) => !NEW_IN_FFV1.test(format))
  return sameFormat(pixelFormat, known) ?? sameFormat(widened(pixelFormat), known)
}

/** Returns the format with the same channels in 16 bits. */
const widened = (pixelFormat: string): string =>
  plainFormat(pixelFormat).replace(/^(yuva?4\d\dp|gbra?p|gray)(?:9|1\d)$/, (_, channels) => `${channels}16`)

export const holdsFfv1 = ({ muxer }: Pick<Container, 'muxer'>): boolean => muxer === 'matroska'
