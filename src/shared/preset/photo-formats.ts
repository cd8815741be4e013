/**
 * What the formats of photo results can hold. A new format has an entry here, an encoder (`encode-image.ts`), a writer of metadata
 * (`write-metadata.ts`) and texts, and inputs with its extension are accepted (`media-types.ts`).
 */
type PhotoFormat = {
  /** As users know it. */
  readonly name: string
  readonly contentType: string
  /** Whether pixels are stored without loss; 'chosen' if the preset decides. */
  readonly isLossless: boolean | 'chosen'
  readonly hasAlpha: boolean
  readonly hasAnimation: boolean
  /** Whether programs show HDR in it. PNG could hold it, but hardly any program shows it. */
  readonly hasHdr: boolean
  /** Whether it holds 16 bits per channel. AVIF holds as many as the preset chooses. */
  readonly isDeep: boolean
  /** Whether gray results keep a profile for gray. The encoders of the others write them as RGB, or without a profile. */
  readonly hasGrayProfile: boolean
  /** Most pixels of a side; missing without a limit. */
  readonly longestSide?: number
}

export const PHOTO_FORMATS = {
  jpeg: {
    name: 'JPEG',
    contentType: 'image/jpeg',
    isLossless: false,
    hasAlpha: false,
    hasAnimation: false,
    hasHdr: false,
    isDeep: false,
    hasGrayProfile: true,
    longestSide: 65_500,
  },
  png: {
    name: 'PNG',
    contentType: 'image/png',
    isLossless: true,
    hasAlpha: true,
    hasAnimation: true,
    hasHdr: false,
    isDeep: true,
    hasGrayProfile: true,
  },
  webp: {
    name: 'WebP',
    contentType: 'image/webp',
    isLossless: 'chosen',
    hasAlpha: true,
    hasAnimation: true,
    hasHdr: false,
    isDeep: false,
    hasGrayProfile: false,
    longestSide: 16_383,
  },
  avif: {
    name: 'AVIF',
    contentType: 'image/avif',
    isLossless: 'chosen',
    hasAlpha: true,
    hasAnimation: false,
    hasHdr: true,
    isDeep: false,
    hasGrayProfile: false,
    longestSide: 16_384,
  },
  jxl: {
    name: 'JPEG XL',
    contentType: 'image/jxl',
    isLossless: 'chosen',
    hasAlpha: true,
    hasAnimation: true,
    hasHdr: true,
    isDeep: true,
    hasGrayProfile: false,
  },
  tiff: {
    name: 'TIFF',
    contentType: 'image/tiff',
    isLossless: true,
    hasAlpha: true,
    hasAnimation: false,
    hasHdr: false,
    isDeep: true,
    hasGrayProfile: true,
  },
} as const satisfies Readonly<Record<string, PhotoFormat>>

/** A format that results can have. */
export type OutputFormat = keyof typeof PHOTO_FORMATS

export const OUTPUT_FORMATS = Object.keys(PHOTO_FORMATS) as readonly OutputFormat[]

/** Whether a value of the field `image.format` is one that always stores pixels without loss. */
export const losesNothing = (format: unknown): boolean =>
  OUTPUT_FORMATS.some((one) => one === format && PHOTO_FORMATS[one].isLossless === true)

/** Returns what the format of a result can hold. */
export const holding = (format: OutputFormat): PhotoFormat => PHOTO_FORMATS[format]
