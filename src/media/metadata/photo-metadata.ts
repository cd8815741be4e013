/** A photo's metadata, regardless of the file format that holds it. */

import type { ExifContent } from './exif-directories.ts'
import type { Resource } from './iptc.ts'

export type Comment = {
  /** The name that a PNG gives its text. */
  readonly keyword?: string | undefined
  readonly text: string
}

export type PhotoMetadata = {
  /** A TIFF structure without the `Exif` prefix. */
  readonly exif?: Buffer | undefined
  /** A packet in UTF-8, joined with its extension. */
  readonly xmp?: Buffer | undefined
  /** Names of XMP properties for which another packet has a different value. Results don't keep the other packet's value. */
  readonly otherXmp?: readonly string[] | undefined
  readonly iptc?: Buffer | undefined
  /** Photoshop resources other than IPTC in which users describe the photo. */
  readonly photoshop?: readonly Resource[] | undefined
  readonly comments: readonly Comment[]
  /** The tags of GeoTIFF, which map pixels to geographic positions. */
  readonly geo?: ExifContent | undefined
}

export const NO_METADATA: PhotoMetadata = { comments: [] }

export const isEmptyMetadata = ({ comments, ...blocks }: PhotoMetadata): boolean =>
  comments.length === 0 && Object.values(blocks).every((block) => block === undefined)
