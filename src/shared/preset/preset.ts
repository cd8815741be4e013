/**
 * The schema of presets: a JSON document with a recipe for photos, for videos, or for both. `GET /presets` includes a document with
 * both recipes in both of its lists, as mixed inputs require (section 2, input rule 4).
 */
import * as z from 'zod'
import { OUTPUT_FORMATS } from './photo-formats.ts'
import { once } from '../once.ts'
import { isLanguageChoice } from './languages.ts'
import { LOOK_NUMBERS, type NamedLook } from './look.ts'
import { MAX_TEMPLATE_LENGTH, templateProblem, type TemplateRule, USUAL_NAME } from './result-name.ts'

/** A broken rule about several settings, stored in a schema issue as `params.broken`. The catalog contains the sentences. */
export type BrokenRule =
  | {
      readonly rule:
        | TemplateRule
        | 'needsSide'
        | 'needsBothSides'
        | 'needsMaxBytes'
        | 'tenBitPhoto'
        | 'notWhenCopied'
        | 'notInAnimation'
        | 'notWithoutPicture'
        | 'needsAudio'
    }
  | { readonly rule: 'tenBitVideo'; readonly codec: VideoRecipe['codec'] }
  /** `other` is the path of another field. */
  | { readonly rule: 'excluded'; readonly other: string }

const breaking = (broken: BrokenRule) => ({ params: { broken } })

const percent = z.int().min(1).max(100)
const pixels = z.int().min(1).max(16_384)
export const Look = z.union([z.enum(Object.keys(LOOK_NUMBERS) as NamedLook[]), z.int().min(30).max(100)])
const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/)

/** A box in pixels. If only one side is set, the image's aspect ratio determines the other. */
const Size = z
  .strictObject({
    width: pixels.optional(),
    height: pixels.optional(),
    /** `inside` scales to fit, `cover` fills the box and crops, `contain` adds background. */
    fit: z.enum(['inside', 'cover', 'contain']).default('inside'),
    /** Whether smaller images are enlarged to the box. */
    enlarge: z.boolean().default(false),
  })
  .refine((size) => size.width ?? size.height, {
    message: 'needs a "width" or a "height"',
    ...breaking({ rule: 'needsSide' }),
  })
  .refine((size) => size.fit === 'inside' || (size.width !== undefined && size.height !== undefined), {
    path: ['fit'],
    message: 'needs both "width" and "height" unless it is "inside"',
    ...breaking({ rule: 'needsBothSides' }),
  })

const Crop = z.strictObject({
  /** Width divided by height, such as 1 or 1.7778. Crops to the largest centered area with this aspect ratio. */
  aspect: z.number().min(0.05).max(20),
})

/** `strip-location` removes only the data that shows where a photo or video was taken. */
const Metadata = z.enum(['keep', 'strip-location', 'strip'])

const MOST_LANGUAGES = 30

/** BCP 47 tags, and `original` for the language in which the video was made. */
const Languages = z
  .array(z.string())
  .max(MOST_LANGUAGES)
  .refine((tags) => tags.every(isLanguageChoice), 'must contain only BCP 47 language tags and "original"')
  .default([])

const rotate = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)])

export const ImageRecipe = z.strictObject({
  /**
   * `same` keeps the original's format if it can be written. HEIC and BMP become JPEG, or PNG if the image has an alpha channel. A BMP
   * also becomes PNG if the recipe only removes metadata. GIF becomes PNG, or WebP if it is animated.
   */
  format: z.enum(['same', ...OUTPUT_FORMATS]).default('same'),
  /** Quality on the JPEG scale for every format; 82 if no other field specifies the quality. */
  quality: percent.optional(),
  /** Visual quality, comparable across formats: a level or a SSIMULACRA 2 score. */
  look: Look.optional(),
  /** The best visual quality within this many bytes. Never exceeded. */
  maxBytes: z.int().min(100).max(1_000_000_000).optional(),
  /** Whether the dimensions may be reduced to meet `maxBytes` if the quality would otherwise be poor. */
  mayShrink: z.boolean().default(false),
  lossless: z.boolean().default(false),
  /** `small` takes several times as long and creates smaller files at the same visual quality. */
  effort: z.enum(['fast', 'small']).default('fast'),
  /** Bits per channel, for AVIF only. PNG, TIFF and JPEG XL use 16 bits if the original does. */
  bitDepth: z.union([z.literal(8), z.literal(10)]).default(8),
  size: Size.optional(),
  crop: Crop.optional(),
  /** Clockwise, in degrees, after the orientation in the file's metadata has been applied. */
  rotate: rotate.default(0),
  /** `keep` keeps the embedded color profile; `srgb` converts to sRGB. */
  colour: z.enum(['keep', 'srgb']).default('srgb'),
  grayscale: z.boolean().default(false),
  metadata: Metadata.default('strip'),
  /** `keep` keeps HDR if the format supports it. */
  hdr: z.enum(['keep', 'tone-map']).default('keep'),
  animation: z.enum(['keep', 'first-frame']).default('keep'),
  /** The color for transparent areas if the format has no alpha channel, and for the background that `fit: contain` adds. */
  background: colour.default('#ffffff'),
})
export type ImageRecipe = z.infer<typeof ImageRecipe>

export const VideoRecipe = z.strictObject({
  /**
   * `same` keeps an MP4, MOV, MKV or WebM container if it supports the codecs. Otherwise, the result is an MP4 or MKV file, or an animated
   * image.
   */
  container: z.enum(['same', 'mp4', 'mov', 'mkv', 'webm', 'webp', 'gif']).default('mp4'),
  /**
   * `webp` and `gif` turn a short video into an animated image without audio. `copy` doesn't re-encode the video track. `none` saves only
   * the audio, in a container that fits its codec.
   */
  codec: z.enum(['h264', 'hevc', 'vp9', 'av1', 'webp', 'gif', 'copy', 'none']).default('h264'),
  /** Constant quality, 0 (lossless) to 63; the useful range depends on the codec. Excludes `bitrate`, `look` and `maxBytes`. */
  crf: z.int().min(0).max(63).optional(),
  /** Bits per second. */
  bitrate: z.int().min(10_000).max(400_000_000).optional(),
  /** Visual quality, comparable across codecs. */
  look: Look.optional(),
  /** The best visual quality within this many bytes, including audio. Never exceeded. */
  maxBytes: z.int().min(1_000).max(1_000_000_000_000).optional(),
  /** Whether the dimensions may fall below `height` to fit `maxBytes`. */
  mayShrink: z.boolean().default(false),
  /** `auto` uses a hardware encoder if it is much faster at the same visual quality. `hardware` uses any available hardware encoder. */
  engine: z.enum(['auto', 'software', 'hardware']).default('auto'),
  speed: z.enum(['ultrafast', 'veryfast', 'fast', 'medium', 'slow']).default('veryfast'),
  /** Maximum height in pixels, or width for portrait videos. Smaller videos keep their dimensions. */
  height: z.int().min(2).max(8_192).optional(),
  /** Maximum frame rate in frames per second. Videos with a lower frame rate keep theirs. */
  fps: z.number().min(1).max(240).optional(),
  crop: Crop.optional(),
  rotate: rotate.default(0),
  grayscale: z.boolean().default(false),
  /** Bits per channel. HDR output always has 10 bits. */
  bitDepth: z.union([z.literal(8), z.literal(10)]).default(8),
  /** `keep` preserves PQ and HLG in HEVC, in AV1 and in lossless output. `tone-map` converts to SDR, as do all other codecs. */
  hdr: z.enum(['keep', 'tone-map']).default('keep'),
  audio: z.enum(['keep', 'aac', 'opus', 'none']).default('keep'),
  /** Bits per second, if audio is re-encoded. */
  audioBitrate: z.int().min(16_000).max(1_000_000).default(128_000),
  /** Languages of the audio tracks to keep; empty: all. If a file has none of them, all its tracks are kept. */
  audioLanguages: Languages,
  subtitles: z.enum(['keep', 'none']).default('keep'),
  /** Languages of the subtitles to keep, as for audio. */
  subtitleLanguages: Languages,
  metadata: Metadata.default('keep'),
})
export type VideoRecipe = z.infer<typeof VideoRecipe>

/** The only codecs that common players display in HDR. */
export const HDR_CODECS: readonly string[] = ['hevc', 'av1'] satisfies VideoRecipe['codec'][]

/** Returns whether the codec makes an animated image instead of a video. */
export const isAnimation = (codec: VideoRecipe['codec']): codec is 'webp' | 'gif' =>
  codec === 'webp' || codec === 'gif'

/** The codecs that can be encoded into each container. */
export const CODECS_IN = {
  mp4: ['h264', 'hevc', 'vp9', 'av1'],
  mov: ['h264', 'hevc'],
  mkv: ['h264', 'hevc', 'vp9', 'av1'],
  webm: ['vp9', 'av1'],
  webp: ['webp'],
  gif: ['gif'],
} as const satisfies Record<Exclude<VideoRecipe['container'], 'same'>, readonly VideoRecipe['codec'][]>

type Contradiction<Recipe> = {
  readonly field: keyof Recipe
  readonly message: string
  /** Undefined if no sentence is needed because the fields show the conflict: a codec that its container doesn't support. */
  readonly broken?: BrokenRule
}

const NEEDS_MAX_BYTES = {
  field: 'mayShrink',
  message: 'requires "maxBytes"',
  broken: { rule: 'needsMaxBytes' },
} as const

/** Returns the settings that conflict for every photo. */
function photoContradictions(photo: ImageRecipe): Contradiction<ImageRecipe>[] {
  const { format, bitDepth, look, maxBytes, mayShrink, lossless } = photo
  const found: Contradiction<ImageRecipe>[] = []
  const add = (field: keyof ImageRecipe, message: string, broken: BrokenRule) =>
    found.push({ field, message, broken })
  if (bitDepth === 10 && format !== 'avif')
    add('bitDepth', '10 requires "format": "avif"', { rule: 'tenBitPhoto' })
  const goals = (['quality', 'look', 'maxBytes'] as const).filter((field) => photo[field] !== undefined)
  for (const field of goals.slice(1))
    add(field, `can't be combined with "${goals[0]}"`, { rule: 'excluded', other: `image.${goals[0]}` })
  if (look !== undefined && lossless)
    add('look', 'can\'t be combined with "lossless": true', { rule: 'excluded', other: 'image.lossless' })
  if (mayShrink && maxBytes === undefined) found.push(NEEDS_MAX_BYTES)
  return found
}

/** The settings that change the video track. */
const TRACK_CHANGES = [
  'height',
  'fps',
  'crop',
  'rotate',
  'grayscale',
  'look',
  'maxBytes',
  'bitDepth',
  'hdr',
] as const

const usual = once(() => VideoRecipe.parse({}))
const trackChanges = (video: VideoRecipe) => TRACK_CHANGES.filter((field) => video[field] !== usual()[field])

/** Returns the settings that conflict with saving only the audio: those that need a video track, and those that remove the audio. */
function audioContradictions(video: VideoRecipe): Contradiction<VideoRecipe>[] {
  const message = 'can\'t be combined with "codec": "none", which saves only the audio'
  const fields: (keyof VideoRecipe)[] = trackChanges(video)
  if (video.container !== usual().container && video.container !== 'same') fields.push('container')
  const found: Contradiction<VideoRecipe>[] = fields.map((field) => ({
    field,
    message,
    broken: { rule: 'notWithoutPicture' },
  }))
  if (video.audio === 'none') found.push({ field: 'audio', message, broken: { rule: 'needsAudio' } })
  return found
}

/** Returns the settings that conflict for every video. A preset with such settings is rejected, because every file would fail. */
function contradictionsOf(video: VideoRecipe): Contradiction<VideoRecipe>[] {
  const { container, codec, maxBytes } = video
  if (codec === 'none') return audioContradictions(video)
  if (codec === 'copy') {
    const message = 'can\'t be combined with "codec": "copy", which copies the video track'
    return trackChanges(video).map((field) => ({ field, message, broken: { rule: 'notWhenCopied' } }))
  }
  if (isAnimation(codec)) {
    const supported = codec === 'webp' ? 'supports only "crf"' : 'has no quality setting'
    const message = `can't be combined with "codec": "${codec}", which ${supported}`
    const wrong = (['look', 'maxBytes', 'bitrate'] as const).filter((field) => video[field] !== undefined)
    const found = wrong.map((field) => ({ field, message, broken: { rule: 'notInAnimation' } as const }))
    if (found.length > 0) return found
  }
  if (video.bitDepth === 10 && (isAnimation(codec) || codec === 'h264')) {
    const why = codec === 'h264' ? ', because few players can show it' : ''
    return [
      {
        field: 'bitDepth',
        message: `10 isn't supported with "${codec}"${why}`,
        broken: { rule: 'tenBitVideo', codec },
      },
    ]
  }
  if (video.mayShrink && maxBytes === undefined) return [NEEDS_MAX_BYTES]
  if (container === 'same') return []
  const codecs: readonly string[] = CODECS_IN[container]
  if (codecs.includes(codec)) return []
  const message = `"${container}" doesn't support "${codec}" video, only ${codecs.map((name) => `"${name}"`).join(', ')}`
  return [{ field: 'container', message }]
}

/**
 * The maximum deviation of variations in either direction. The values come from a generator seeded with `seed`, the file's name and the
 * variation's number. The same job therefore always produces the same results.
 */
export const VariationRanges = z.strictObject({
  seed: z.int().min(0).default(1),
  /** Fraction of the original brightness: 0.05 means ±5%. */
  brightness: z.number().min(0).max(0.5).default(0.04),
  saturation: z.number().min(0).max(0.5).default(0.06),
  /** Degrees on the color wheel. */
  hue: z.number().min(0).max(45).default(3),
  /** Degrees. The corners are cropped to avoid empty areas. */
  rotation: z.number().min(0).max(10).default(0.8),
  /** Maximum fraction of each side to crop. */
  crop: z.number().min(0).max(0.2).default(0.03),
  /** Flips about half of the variations horizontally. */
  mirror: z.boolean().default(false),
})
export type VariationRanges = z.infer<typeof VariationRanges>

export const ResultRules = z.strictObject({
  /** Name template with `{name}`, `{preset}`, `{width}`, `{height}`, `{date}`, `{taken}` and `{number}`. */
  name: z
    .string()
    .max(MAX_TEMPLATE_LENGTH)
    .superRefine((template, context) => {
      const problem = templateProblem(template)
      if (problem === undefined) return
      const { rule, message } = problem
      context.addIssue({ code: 'custom', message, ...breaking({ rule }) })
    })
    .default(USUAL_NAME),
  /** `keep` gives a result the dates of its original. */
  dates: z.enum(['keep', 'now']).default('keep'),
  /** `keep` recreates, in the output folder, the subfolders that the inputs have below their common folder. */
  folders: z.enum(['flat', 'keep']).default('flat'),
  /**
   * Whether the original replaces a result that is neither smaller nor different in any other way. With `always`, another format or
   * codec doesn't count as a difference.
   */
  neverLarger: z.union([z.boolean(), z.literal('always')]).default(true),
  /** If a result's quality score is lower, the result is the original instead, without the metadata that the recipe removes. */
  keepBelowQuality: z.int().min(30).max(95).optional(),
})
export type ResultRules = z.infer<typeof ResultRules>

export const Preset = z
  .strictObject({
    $schema: z.string().optional(),
    name: z
      .string()
      .min(1)
      .max(80)
      .refine((name) => name.trim() === name, 'must not begin or end with a space'),
    description: z.string().max(400).default(''),
    image: ImageRecipe.optional(),
    video: VideoRecipe.optional(),
    results: ResultRules.prefault({}),
    variations: VariationRanges.prefault({}),
  })
  .refine((preset) => preset.image ?? preset.video, 'needs an "image" or a "video" part')
  .superRefine(({ image, video }, context) => {
    for (const { field, message, broken } of image === undefined ? [] : photoContradictions(image))
      context.addIssue({ code: 'custom', path: ['image', field], message, params: { broken } })
    if (video === undefined) return
    const [one, other] = (['crf', 'bitrate', 'look', 'maxBytes'] as const).filter(
      (field) => video[field] !== undefined,
    )
    if (one !== undefined && other !== undefined) {
      const message = `can't be combined with "${one}"`
      const broken = breaking({ rule: 'excluded', other: `video.${one}` })
      context.addIssue({ code: 'custom', path: ['video', other], message, ...broken })
    }
    for (const { field, message, broken } of contradictionsOf(video))
      context.addIssue({ code: 'custom', path: ['video', field], message, params: { broken } })
  })
export type Preset = z.infer<typeof Preset>

/** The recipes for jobs without a preset: good quality at full size. Photos keep their format; videos become H.264 in MP4. */
export const basicDefaults = once(
  (): Required<Pick<Preset, 'name' | 'image' | 'video' | 'results' | 'variations'>> => ({
    name: 'basic',
    image: ImageRecipe.parse({ quality: 90, colour: 'keep', metadata: 'keep' }),
    video: VideoRecipe.parse({ crf: 20 }),
    results: ResultRules.parse({}),
    variations: VariationRanges.parse({}),
  }),
)
