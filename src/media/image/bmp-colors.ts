/** Reads the colors of a bitmap with a BITMAPV4 or BITMAPV5 header: a profile, or the chromaticities and gamma of its screen. */
import { type ColorNumbers, isNearSrgb, profileOf } from './matrix-profile.ts'

/** Offset of the header, and its size in each version. */
const START = 14
const [V4_SIZE, V5_SIZE] = [108, 124]
/**
 * Values of `CSType`: calibrated RGB, `MBED` for an embedded profile. Other values stand for sRGB, or for a profile in another file, which
 * isn't read.
 */
const [CALIBRATED, EMBEDDED] = [0, 0x4d_42_45_44]

/** Range of accepted gammas. Any other would make the image black or white. */
const [LEAST_GAMMA, MOST_GAMMA] = [0.1, 10]

const WHITE = [0.3127, 0.329] as const

/** Returns the profile of a bitmap; undefined for sRGB, and if the header doesn't define valid colors. */
export function profileOfBmp(file: Buffer): Buffer | undefined {
  const size = file.readUInt32LE(START)
  if (size < V4_SIZE || file.length < START + size) return undefined
  switch (file.readUInt32LE(START + 56)) {
    case EMBEDDED:
      return size >= V5_SIZE ? embeddedProfile(file) : undefined
    case CALIBRATED: {
      const numbers = calibration(file)
      return numbers === undefined || isNearSrgb(numbers) ? undefined : profileOf(numbers)
    }
    default:
      return undefined
  }
}

const PROFILE_HEAD = 128

function embeddedProfile(file: Buffer): Buffer | undefined {
  // The offset counts from the header, but some programs count from the start of the file.
  const [offset, length] = [file.readUInt32LE(START + 112), file.readUInt32LE(START + 116)]
  return [START + offset, offset].map((start) => file.subarray(start, start + length)).find(isRgbProfile)
}

const isRgbProfile = (profile: Buffer): boolean =>
  profile.length >= PROFILE_HEAD &&
  profile.toString('latin1', 16, 20) === 'RGB ' &&
  profile.toString('latin1', 36, 40) === 'acsp'

/** Reads the chromaticities and the gamma. Returns undefined if the fields aren't filled in or are implausible. */
function calibration(file: Buffer): ColorNumbers | undefined {
  const point = (index: number) => {
    const [x, y, z] = [0, 4, 8].map((at) => file.readInt32LE(START + 60 + index * 12 + at) / 2 ** 30)
    const sum = (x ?? 0) + (y ?? 0) + (z ?? 0)
    return [(x ?? 0) / sum, (y ?? 0) / sum] as const
  }
  const points = [point(0), point(1), point(2)] as const
  // Read only one curve, because curves hardly ever differ between the channels.
  const gamma = file.readUInt32LE(START + 100) / 2 ** 16
  const isFilled = points.flat().every((value) => Number.isFinite(value) && value >= 0 && value <= 1)
  if (!isFilled || gamma < LEAST_GAMMA || gamma > MOST_GAMMA) return undefined
  const [red, green, blue] = points
  return { primaries: { white: WHITE, red, green, blue }, curve: [gamma] }
}
