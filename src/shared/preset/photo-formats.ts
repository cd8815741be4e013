/**
 * What the formats of photo results can hold. A new format has an entry here, an encoder (`encode-image.ts`) with its scale if it has a
 * quality setting (`quality-scale.ts`), its metadata (`metadata-formats.ts`), and texts.
 */
type PhotoFormat = {
  /** The name that users know. */
  readonly name: string
  readonly contentType: string
  /** Whether pixels are stored without loss; 'chosen' if the preset decides. */
  readonly isLossless: boolean | 'chosen'
  readonly hasAlpha: boolean
  readonly hasAnimation: boolean
  /** Whether programs display HDR images in this format. PNG can store HDR, but hardly any program displays it. */
  readonly hasHdr: boolean
  /** Whether the format stores 16 bits per channel. For AVIF, the preset chooses the bit depth. */
  readonly isDeep: boolean
  /** Whether grayscale results keep a grayscale color profile. Otherwise, the encoder writes them as RGB or without a profile. */
  readonly hasGrayProfile: boolean
  /** Maximum number of pixels per side; missing if there is no limit. */
  readonly longestSide?: number
  /** The extension under which such a file is submitted; missing if the API accepts the format's own extension. */
  readonly acceptedAs?: 'heic' | 'png'
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
    acceptedAs: 'heic',
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
    acceptedAs: 'png',
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

export type OutputFormat = keyof typeof PHOTO_FORMATS

type OtherFormat = {
  readonly [Format in OutputFormat]: (typeof PHOTO_FORMATS)[Format] extends { readonly acceptedAs: string }
    ? Format
    : never
}[OutputFormat]

export const OUTPUT_FORMATS = Object.keys(PHOTO_FORMATS) as readonly OutputFormat[]

/** Whether a value of the field `image.format` is a format that is always lossless. */
export const losesNothing = (format: unknown): boolean =>
  OUTPUT_FORMATS.some((one) => one === format && PHOTO_FORMATS[one].isLossless === true)

/** The formats that only the built-in service accepts as inputs. */
export const OTHER_PHOTO_FORMATS = Object.fromEntries(
  Object.entries(PHOTO_FORMATS).filter(([, format]) => 'acceptedAs' in format),
) as Pick<typeof PHOTO_FORMATS, OtherFormat>

export const holding = (format: OutputFormat): PhotoFormat => PHOTO_FORMATS[format]
