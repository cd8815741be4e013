/** Renders a JPEG with a gain map as libultrahdr does for a screen that is bright enough. */
import sharp, { type Sharp } from 'sharp'

/** Missing from the package's types. */
type WithGainMap = { withGainMap(): Sharp }

/** Returns the red value of each pixel, row by row from the top, where 1 is white. */
export async function lightOfUltraHdr(jpeg: Buffer) {
  sharp.unblock({ operation: ['VipsForeignLoadUhdr'] })
  try {
    const reader = sharp(jpeg) as Sharp & WithGainMap
    const { data, info } = await reader
      .withGainMap()
      .raw({ depth: 'float' })
      .toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    const values = new Float32Array(new Uint8Array(data).buffer).filter((_, index) => index % channels === 0)
    return { values, width, height }
  } finally {
    sharp.block({ operation: ['VipsForeignLoadUhdr'] })
  }
}
