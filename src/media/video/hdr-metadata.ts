/**
 * Transfers a video's HDR metadata: mastering display and content light level. Each encoder expects its own format; containers
 * expect FFmpeg's structures.
 */
import {
  AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
  AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
} from 'node-av/constants'
import type { CodecParameters, Frame } from 'node-av/lib'

/** FFmpeg's structures as raw bytes, in this computer's byte order. */
export type HdrMetadata = { readonly screen: Buffer | undefined; readonly light: Buffer | undefined }

/**
 * Reads the HDR metadata of a frame or its stream.
 * @param parameters of the stream, for containers that store the metadata there and not in the frames
 */
export function hdrMetadataOf(frame: Frame, parameters: CodecParameters): HdrMetadata {
  const screen =
    frame.getSideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA) ??
    parameters.getCodedSideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA)
  const light =
    frame.getSideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) ??
    parameters.getCodedSideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL)
  return {
    screen: screen === null ? undefined : Buffer.from(screen),
    light: light === null ? undefined : Buffer.from(light),
  }
}

export function describeHdr(parameters: CodecParameters, { screen, light }: HdrMetadata): void {
  if (screen !== undefined) parameters.addCodedSideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, screen)
  if (light !== undefined) parameters.addCodedSideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, light)
}

/**
 * Number of rational numbers before the two flags that mark them as valid: primaries, white point, minimum and maximum luminance.
 */
const RATIONALS = 10
const SCREEN_BYTES = RATIONALS * 8 + 8
const LIGHT_BYTES = 8

/** Returns x and y of red, green, blue and the white point, and luminance in candelas per square meter. */
function readScreen(bytes: Buffer | undefined) {
  if (bytes === undefined || bytes.length < SCREEN_BYTES) return undefined
  const numbers = new Int32Array(new Uint8Array(bytes.subarray(0, SCREEN_BYTES)).buffer)
  const at = (index: number): number => (numbers[index * 2] ?? 0) / (numbers[index * 2 + 1] || 1)
  const [hasColors, hasBrightness] = numbers.subarray(RATIONALS * 2)
  if (hasColors === 0 || hasBrightness === 0) return undefined
  return {
    primaries: [0, 1, 2, 3].map((index) => [at(index * 2), at(index * 2 + 1)] as const),
    darkest: at(8),
    brightest: at(9),
  }
}

/** Returns MaxCLL, the brightest pixel, and MaxFALL, the highest frame average, separated by a comma; undefined if they are missing. */
function readLight(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || bytes.length < LIGHT_BYTES) return undefined
  const [maxPixel = 0, maxAverage = 0] = new Uint32Array(
    new Uint8Array(bytes.subarray(0, LIGHT_BYTES)).buffer,
  )
  return `${maxPixel},${maxAverage}`
}

function screenInWords(
  screen: NonNullable<ReturnType<typeof readScreen>>,
  chromaticity: Format,
  light: Format,
): string {
  const [red, green, blue, white] = screen.primaries.map(
    ([x, y]) => `(${chromaticity(x)},${chromaticity(y)})`,
  )
  return `G${green}B${blue}R${red}WP${white}L(${light(screen.brightest)},${light(screen.darkest)})`
}

const steps = (perUnit: number) => (value: number) => String(Math.round(value * perUnit))
const decimals = (value: number) => value.toFixed(4)

/** Formats the metadata for `x265-params`: chromaticity in steps of 0.00002, luminance in steps of 0.0001. */
export const x265Hdr = (hdr: HdrMetadata): readonly string[] =>
  words(hdr, ['master-display', steps(50_000), steps(10_000)], 'max-cll')

export const svtHdr = (hdr: HdrMetadata): readonly string[] =>
  words(hdr, ['mastering-display', decimals, decimals], 'content-light')

type Format = (value: number) => string

function words(
  { screen, light }: HdrMetadata,
  [name, chromaticity, luminance]: readonly [name: string, chromaticity: Format, luminance: Format],
  lightName: string,
): readonly string[] {
  const [found, lights] = [readScreen(screen), readLight(light)]
  return [
    ...(found === undefined ? [] : [`${name}=${screenInWords(found, chromaticity, luminance)}`]),
    ...(lights === undefined ? [] : [`${lightName}=${lights}`]),
  ]
}
