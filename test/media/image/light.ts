/** A JPEG with its gain map, as libultrahdr shows it on a screen that is bright enough. */
import sharp, { type Sharp } from 'sharp'

/** The package's types leave it out. */
type WithGainMap = { withGainMap(): Sharp }

/** Red of each pixel, rows from the top, with 1 for white. */
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
