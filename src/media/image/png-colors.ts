/** Reads the colors that a PNG specifies by numbers (PNG, third edition, 11.3.2), and replaces them with a profile. */
import { deflateSync } from 'node:zlib'
import type { HdrFacts } from './heif-file.ts'
import { hdrColors } from './hdr-colors.ts'
import { unlessTooShort } from './image-failure.ts'
import { type ColorNumbers, isNearSrgb, isSrgb, numbersOf, SRGB_PRIMARIES } from './matrix-profile.ts'
import { chunksBeforePixels, pngChunk } from './png-chunks.ts'

/** In cICP, only RGB that uses the full range is allowed. */
const [MATRIX_RGB, FULL_RANGE] = [0, 1]

const COLOR_CHUNKS: ReadonlySet<string> = new Set(['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'])

/** Reads the numbers in the order of their precedence: cICP, then iCCP or sRGB, then cHRM and gAMA. */
export function colorsOfPng(png: Buffer): Pick<HdrFacts, 'hdr' | 'numbers'> {
  const chunks = chunksBeforePixels(png)
  const bodyOf = (wanted: string) => {
    const chunk = chunks.find(({ type }) => type === wanted)
    return chunk && png.subarray(chunk.at + 8, chunk.end - 4)
  }
  const [primaries = 2, transfer = 2, matrix, range] = bodyOf('cICP') ?? []
  const isValid = matrix === MATRIX_RGB && range === FULL_RANGE
  const hdr = isValid ? hdrColors(primaries, transfer) : undefined
  if (hdr !== undefined) return { hdr, numbers: undefined }
  const hasProfile = bodyOf('iCCP') !== undefined
  const named = isValid ? numbersOf({ primaries, transfer }, 'screen') : undefined
  // sRGB needs a profile only if it replaces another profile.
  if (named !== undefined) return { hdr, numbers: isSrgb(named) && !hasProfile ? undefined : named }
  const isDefined = hasProfile || bodyOf('sRGB') !== undefined
  return { hdr, numbers: isDefined ? undefined : measuredColors(bodyOf('gAMA'), bodyOf('cHRM')) }
}

const PARTS = 100_000

/** Returns the colors that gAMA and cHRM define; undefined if they are close to sRGB or implausible. Without gAMA, cHRM means nothing. */
function measuredColors(gamma: Buffer | undefined, points: Buffer | undefined): ColorNumbers | undefined {
  const numbers = unlessTooShort((): ColorNumbers | undefined => {
    if (gamma === undefined) return undefined
    const exponent = PARTS / gamma.readUInt32BE(0)
    if (exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT) return undefined
    if (points === undefined) return { primaries: SRGB_PRIMARIES, curve: [exponent] }
    const point = (index: number) =>
      [points.readUInt32BE(index * 8) / PARTS, points.readUInt32BE(index * 8 + 4) / PARTS] as const
    const [white, red, green, blue] = [point(0), point(1), point(2), point(3)]
    return { primaries: { white, red, green, blue }, curve: [exponent] }
  })
  return numbers === undefined || isNearSrgb(numbers) ? undefined : numbers
}

/** Range of accepted exponents. Any other would make the image black or white. */
const [LEAST_EXPONENT, MOST_EXPONENT] = [0.1, 10]

export function withPngProfile(png: Buffer, icc: Buffer): Buffer {
  const chunks = chunksBeforePixels(png)
  const [header] = chunks
  if (header === undefined) return png
  const profile = pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(icc)]))
  const kept = chunks.slice(1).filter(({ type }) => !COLOR_CHUNKS.has(type))
  return Buffer.concat([
    png.subarray(0, header.end),
    profile,
    ...kept.map(({ at, end }) => png.subarray(at, end)),
    png.subarray(chunks.at(-1)?.end),
  ])
}
