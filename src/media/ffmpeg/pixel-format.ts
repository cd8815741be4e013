/**
 * Describes FFmpeg's pixel formats, because the binding doesn't return FFmpeg's own descriptions. Most formats have the same values as a
 * planar format, and the names of planar formats follow a pattern.
 */

import { words } from '../words.ts'

export type PixelFormat = {
  readonly model: 'yuv' | 'rgb' | 'gray'
  /** Chroma subsampling, such as `4:2:0`; `4:0:0` for grayscale. */
  readonly chroma: string
  /** Bits of the most precise channel. */
  readonly bitDepth: number
  /** Also true for palettes, because any of their colors may be transparent. */
  readonly hasAlpha: boolean
}

/** Packed and semi-planar formats, by the planar ones with the same values, without byte orders. */
const SAME_VALUES: Readonly<Record<string, string>> = {
  yuv420p: 'nv12 nv21',
  yuv422p: 'nv16 yuyv422 yvyu422 uyvy422',
  yuv444p: 'nv24 nv42 vuyx vyu444',
  yuv411p: 'uyyvyy411',
  yuva444p: 'vuya ayuv uyva',
  yuv420p10: 'nv15 p010',
  yuv422p10: 'nv20 p210 y210',
  yuv444p10: 'p410 xv30 v30x',
  yuv420p12: 'p012',
  yuv422p12: 'p212 y212',
  yuv444p12: 'p412 xv36',
  yuv420p16: 'p016',
  yuv422p16: 'p216 y216',
  yuv444p16: 'p416 xv48',
  yuva444p16: 'ayuv64',
  gbrp: 'rgb24 bgr24 0rgb rgb0 0bgr bgr0',
  gbrap: 'rgba bgra argb abgr pal8',
  gbrp10: 'x2rgb10 x2bgr10',
  gbrp16: 'rgb48 bgr48',
  gbrap16: 'rgba64 bgra64',
  gbrp32: 'rgb96',
  gbrap32: 'rgba128',
  gbrpf16: 'rgbf16',
  gbrapf16: 'rgbaf16',
  gbrpf32: 'rgbf32',
  gbrapf32: 'rgbaf32',
  gray: 'monow monob',
}
const PLANAR = new Map(
  Object.entries(SAME_VALUES).flatMap(([planar, names]) =>
    words(names).map((name) => [name, planar] as const),
  ),
)

/** Returns the planar format with the same values if there is one, otherwise the same format. Omits the byte order. */
export function plainFormat(name: string): string {
  const plain = name.replace(/[lb]e$/, '')
  return PLANAR.get(plain) ?? plain
}

const PATTERN = /^(yuv|gbr|gray|y)j?(a?)(4\d\d)?p?f?(\d*)(?:msb)?$/
/** Formats without a planar equivalent: few bits in one or two bytes, raw sensor data, and digital cinema. */
const OTHERS: readonly (readonly [RegExp, number])[] = [
  [/^(?:rgb|bgr)4/, 2],
  [/^(?:rgb|bgr)8/, 3],
  [/^(?:rgb|bgr)444/, 4],
  [/^(?:rgb|bgr)555/, 5],
  [/^(?:rgb|bgr)565/, 6],
  [/^bayer_....8/, 8],
  [/^bayer_....16/, 16],
  [/^xyz12/, 12],
]

/** @returns undefined for a format in GPU memory, or an unknown format */
export function describeFormat(name: string): PixelFormat | undefined {
  const [, start, alpha, subsampling, bits] = PATTERN.exec(plainFormat(name)) ?? []
  if (start !== undefined)
    return {
      model: start === 'yuv' ? 'yuv' : start === 'gbr' ? 'rgb' : 'gray',
      chroma: start === 'yuv' ? (subsampling ?? '').split('').join(':') : start === 'gbr' ? '4:4:4' : '4:0:0',
      bitDepth: bits === '' ? 8 : Number(bits),
      hasAlpha: alpha === 'a',
    }
  const other = OTHERS.findLast(([pattern]) => pattern.test(name))
  return other && { model: 'rgb', chroma: '4:4:4', bitDepth: other[1], hasAlpha: false }
}

export const hasAlpha = (name: string): boolean => describeFormat(name)?.hasAlpha === true

export const isRgb = (name: string): boolean => describeFormat(name)?.model === 'rgb'

/** Columns and rows of pixels that share a chroma sample. */
const SHARING = new Map<string | undefined, readonly [number, number]>([
  ['4:4:4', [1, 1]],
  ['4:4:0', [1, 2]],
  ['4:2:2', [2, 1]],
  ['4:2:0', [2, 2]],
  ['4:1:1', [4, 1]],
  ['4:1:0', [4, 4]],
  ['4:0:0', [Infinity, Infinity]],
])

/** Returns whether the chroma planes have fewer samples than the luma plane. Encoders need even dimensions for such formats. */
export function isSubsampled(name: string): boolean {
  const format = describeFormat(name)
  return format?.model === 'yuv' && format.chroma !== '4:4:4'
}

/** Returns whether `chroma` has a lower resolution than `than`, horizontally or vertically. */
export function isCoarser(chroma: string, than: string): boolean {
  const [one, other] = [SHARING.get(chroma), SHARING.get(than)]
  return one !== undefined && other !== undefined && (one[0] > other[0] || one[1] > other[1])
}
