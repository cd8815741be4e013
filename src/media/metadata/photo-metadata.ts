/** What a photo says about itself, regardless of the file format that holds it. */

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
  /** IPTC-IIM data sets. */
  readonly iptc?: Buffer | undefined
  readonly comments: readonly Comment[]
}

export const NO_METADATA: PhotoMetadata = { comments: [] }

export const isEmptyMetadata = ({ exif, xmp, iptc, comments }: PhotoMetadata): boolean =>
  exif === undefined && xmp === undefined && iptc === undefined && comments.length === 0
