/**
 * What a film with a high dynamic range says about the screen that it was made on and the light in it. Encoders take it in
 * words of their own, containers as FFmpeg stores it.
 */
import {
  AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
  AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
} from 'node-av/constants'
import type { CodecParameters, Frame } from 'node-av/lib'

/** FFmpeg's structures, byte by byte, in the byte order of this computer. */
export type HdrMetadata = { readonly screen: Buffer | undefined; readonly light: Buffer | undefined }

/** @param parameters of the stream, for containers that have it where the pictures don't */
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

/** Writes into the container what it was told. */
export function describeHdr(parameters: CodecParameters, { screen, light }: HdrMetadata): void {
  if (screen !== undefined) parameters.addCodedSideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, screen)
  if (light !== undefined) parameters.addCodedSideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, light)
}

/** The number of rational numbers before the two marks that say which of them hold: 3 colours, white, darkest, brightest. */
const RATIONALS = 10
const SCREEN_BYTES = RATIONALS * 8 + 8
const LIGHT_BYTES = 8

type Screen = {
  /** x and y of red, green, blue and white. */
  readonly colours: readonly (readonly [number, number])[]
  /** Candela a square metre. */
  readonly darkest: number
  readonly brightest: number
}

function readScreen(bytes: Buffer | undefined): Screen | undefined {
  if (bytes === undefined || bytes.length < SCREEN_BYTES) return undefined
  const numbers = new Int32Array(new Uint8Array(bytes.subarray(0, SCREEN_BYTES)).buffer)
  const at = (index: number): number => (numbers[index * 2] ?? 0) / (numbers[index * 2 + 1] || 1)
  const [hasColours, hasBrightness] = numbers.subarray(RATIONALS * 2)
  if (hasColours === 0 || hasBrightness === 0) return undefined
  return {
    colours: [0, 1, 2, 3].map((index) => [at(index * 2), at(index * 2 + 1)] as const),
    darkest: at(8),
    brightest: at(9),
  }
}

/** The brightest pixel, and the brightest picture on average. */
function readLight(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || bytes.length < LIGHT_BYTES) return undefined
  const [pixel = 0, picture = 0] = new Uint32Array(new Uint8Array(bytes.subarray(0, LIGHT_BYTES)).buffer)
  return `${pixel},${picture}`
}

function screenInWords(
  screen: Screen,
  chromaticity: (value: number) => string,
  light: (value: number) => string,
): string {
  const [red, green, blue, white] = screen.colours.map(([x, y]) => `(${chromaticity(x)},${chromaticity(y)})`)
  return `G${green}B${blue}R${red}WP${white}L(${light(screen.brightest)},${light(screen.darkest)})`
}

const steps = (perUnit: number) => (value: number) => String(Math.round(value * perUnit))
const decimals = (value: number) => value.toFixed(4)

/** For `x265-params`, which counts chromaticity in steps of 0.00002 and light in steps of 0.0001. */
export function x265Hdr({ screen, light }: HdrMetadata): readonly string[] {
  const found = readScreen(screen)
  const lights = readLight(light)
  return [
    ...(found === undefined ? [] : [`master-display=${screenInWords(found, steps(50_000), steps(10_000))}`]),
    ...(lights === undefined ? [] : [`max-cll=${lights}`]),
  ]
}

/** For `svtav1-params`. */
export function svtHdr({ screen, light }: HdrMetadata): readonly string[] {
  const found = readScreen(screen)
  const lights = readLight(light)
  return [
    ...(found === undefined ? [] : [`mastering-display=${screenInWords(found, decimals, decimals)}`]),
    ...(lights === undefined ? [] : [`content-light=${lights}`]),
  ]
}
