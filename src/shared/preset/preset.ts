/**
 * What a preset is: one JSON document with a recipe for photos, for videos, or for both. A document with both stands in
 * both lists of `GET /presets`, which is what a mixed set needs (section 2, input rule 4).
 */
import * as z from 'zod'
import { once } from '../once.ts'
import { LOOK_NUMBERS, type NamedLook } from './look.ts'
import { MAX_TEMPLATE_LENGTH, templateProblem, USUAL_NAME } from './result-name.ts'

const percent = z.int().min(1).max(100)
const pixels = z.int().min(1).max(16_384)
export const Look = z.union([z.enum(Object.keys(LOOK_NUMBERS) as NamedLook[]), z.int().min(30).max(100)])
const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/)

/** A box, in pixels. With one side given, the other follows from the picture. */
const Size = z
  .strictObject({
    width: pixels.optional(),
    height: pixels.optional(),
    /** `inside` keeps everything, `cover` fills the box and cuts, `contain` fills it up with the background. */
    fit: z.enum(['inside', 'cover', 'contain']).default('inside'),
    /** Whether a smaller picture is blown up to the box. */
    enlarge: z.boolean().default(false),
  })
  .refine((size) => size.width ?? size.height, 'needs a "width" or a "height"')
  .refine((size) => size.fit === 'inside' || (size.width !== undefined && size.height !== undefined), {
    path: ['fit'],
    message: 'needs both "width" and "height" unless it is "inside"',
  })

const Crop = z.strictObject({
  /** Width to height, such as 1 or 1.7778; the largest such part around the centre is kept. */
  aspect: z.number().min(0.05).max(20),
})

const rotate = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)])

export const ImageRecipe = z.strictObject({
  /** `same` keeps the format of the original; where that one can't be written (HEIC, BMP), JPEG or, with alpha, PNG. */
  format: z.enum(['same', 'jpeg', 'png', 'webp', 'avif', 'jxl', 'tiff']).default('same'),
  /** On the scale of JPEG, whatever the format; 82 where nothing else says how good the photo has to be. */
  quality: percent.optional(),
  /** The same look in every format, as people see it: a level, or a score of SSIMULACRA 2. */
  look: Look.optional(),
  /** The best look that fits; never over. */
  maxBytes: z.int().min(100).max(1_000_000_000).optional(),
  /** Whether the dimensions may be reduced for `maxBytes`, once the quality would have to be poor. */
  mayShrink: z.boolean().default(false),
  lossless: z.boolean().default(false),
  /** `small` takes several times as long for fewer bytes of the same look. */
  effort: z.enum(['fast', 'small']).default('fast'),
  /** Bits of one channel. Only for AVIF: PNG, TIFF and JPEG XL have 16 where the original has. */
  bitDepth: z.union([z.literal(8), z.literal(10)]).default(8),
  size: Size.optional(),
  crop: Crop.optional(),
  /** Clockwise, in degrees, after the orientation that the file asks for. */
  rotate: rotate.default(0),
  /** `keep` leaves the embedded profile in place; `srgb` converts. */
  colour: z.enum(['keep', 'srgb']).default('srgb'),
  grayscale: z.boolean().default(false),
  metadata: z.enum(['keep', 'strip']).default('strip'),
  /** `keep` leaves what is brighter than ordinary white where the format has room for it. */
  hdr: z.enum(['keep', 'tone-map']).default('keep'),
  animation: z.enum(['keep', 'first-frame']).default('keep'),
  /** What stands behind transparent parts where the format has none. */
  background: colour.default('#ffffff'),
})
export type ImageRecipe = z.infer<typeof ImageRecipe>

export const VideoRecipe = z.strictObject({
  /** `same` keeps the container where the codecs fit it, otherwise MP4. */
  container: z.enum(['same', 'mp4', 'mov', 'mkv', 'webm', 'webp']).default('mp4'),
  /** `webp` makes a moving picture of a short film, without sound. */
  codec: z.enum(['h264', 'hevc', 'vp9', 'av1', 'webp', 'copy']).default('h264'),
  /** Constant quality, 0 (lossless) to 63; each codec has its own useful range. Not together with `bitrate`. */
  crf: z.int().min(0).max(63).optional(),
  /** Bits a second. */
  bitrate: z.int().min(10_000).max(400_000_000).optional(),
  /** How good it looks, the same with every codec. */
  look: Look.optional(),
  /** The best look that fits into so many bytes, sound included. */
  maxBytes: z.int().min(1_000).max(1_000_000_000_000).optional(),
  /** Whether pictures may become smaller than `height` to fit `maxBytes`. */
  mayShrink: z.boolean().default(false),
  /** `auto` lets a graphics chip encode where it is much quicker and looks as good; `hardware` wherever there is one. */
  engine: z.enum(['auto', 'software', 'hardware']).default('auto'),
  speed: z.enum(['ultrafast', 'veryfast', 'fast', 'medium', 'slow']).default('veryfast'),
  /** The longest height (or, for upright videos, width), in pixels; smaller videos keep their size. */
  height: z.int().min(2).max(8_192).optional(),
  /** Frames a second at the most; slower videos keep their rate. */
  fps: z.number().min(1).max(240).optional(),
  crop: Crop.optional(),
  rotate: rotate.default(0),
  grayscale: z.boolean().default(false),
  /** Bits of one channel; a high dynamic range that is kept always has 10. */
  bitDepth: z.union([z.literal(8), z.literal(10)]).default(8),
  /** `keep` leaves PQ and HLG in HEVC and AV1; other codecs, and `tone-map`, bring them down to ordinary screens. */
  hdr: z.enum(['keep', 'tone-map']).default('keep'),
  audio: z.enum(['keep', 'aac', 'opus', 'none']).default('keep'),
  /** Bits a second, where the sound is encoded anew. */
  audioBitrate: z.int().min(16_000).max(1_000_000).default(128_000),
  subtitles: z.enum(['keep', 'none']).default('keep'),
  metadata: z.enum(['keep', 'strip']).default('keep'),
})
export type VideoRecipe = z.infer<typeof VideoRecipe>

/** Only these are shown with a high dynamic range by what people have. */
export const HDR_CODECS: readonly string[] = ['hevc', 'av1'] satisfies VideoRecipe['codec'][]

/** What can be encoded into each container. */
export const CODECS_IN = {
  mp4: ['h264', 'hevc', 'vp9', 'av1'],
  mov: ['h264', 'hevc'],
  mkv: ['h264', 'hevc', 'vp9', 'av1'],
  webm: ['vp9', 'av1'],
  webp: ['webp'],
} as const satisfies Record<Exclude<VideoRecipe['container'], 'same'>, readonly VideoRecipe['codec'][]>

type Contradiction<Recipe> = { readonly field: keyof Recipe; readonly message: string }

/** Wishes that exclude each other whatever the photo. */
function photoContradictions(photo: ImageRecipe): Contradiction<ImageRecipe>[] {
  const { format, bitDepth, look, maxBytes, mayShrink, lossless } = photo
  const found: Contradiction<ImageRecipe>[] = []
  if (bitDepth === 10 && format !== 'avif')
    found.push({ field: 'bitDepth', message: 'of 10 is only possible with "format": "avif"' })
  const goals = (['quality', 'look', 'maxBytes'] as const).filter((field) => photo[field] !== undefined)
  for (const field of goals.slice(1))
    found.push({
      field,
      message: `is not possible together with "${goals[0]}": only one of them can be given`,
    })
  if (look !== undefined && lossless)
    found.push({ field: 'look', message: 'is not possible with "lossless": true, which loses nothing' })
  if (mayShrink && maxBytes === undefined)
    found.push({ field: 'mayShrink', message: 'only means something together with "maxBytes"' })
  return found
}

/** Wishes that exclude each other whatever the video, and that would otherwise fail file by file. */
function contradictionsOf(video: VideoRecipe): Contradiction<VideoRecipe>[] {
  const { container, codec, height, fps, crop, rotate, grayscale, look, maxBytes } = video
  if (codec === 'copy') {
    const changed = {
      height,
      fps,
      crop,
      rotate: rotate || undefined,
      grayscale: grayscale || undefined,
      look,
      maxBytes,
      bitDepth: video.bitDepth === 10 ? 10 : undefined,
      hdr: video.hdr === 'tone-map' ? 'tone-map' : undefined,
    }
    const message = 'is not possible with "codec": "copy", which takes the pictures over untouched'
    const fields = [
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
    return fields.filter((field) => changed[field] !== undefined).map((field) => ({ field, message }))
  }
  if (codec === 'webp') {
    const message = 'is not possible with "codec": "webp", whose quality is set by "crf" alone'
    const wrong = (['look', 'maxBytes', 'bitrate'] as const).filter((field) => video[field] !== undefined)
    const found = wrong.map((field) => ({ field, message }))
    if (found.length > 0) return found
    if (video.bitDepth === 10) return [{ field: 'bitDepth', message: 'of 10 is not possible with "webp"' }]
  }
  if (video.bitDepth === 10 && codec === 'h264') {
    return [{ field: 'bitDepth', message: 'of 10 is not possible with "h264", which few players show then' }]
  }
  if (video.mayShrink && maxBytes === undefined) {
    return [{ field: 'mayShrink', message: 'has a meaning only together with "maxBytes"' }]
  }
  if (container === 'same') return []
  const codecs: readonly string[] = CODECS_IN[container]
  if (codecs.includes(codec)) return []
  const message = `"${container}" can't hold "${codec}" video, only ${codecs.map((name) => `"${name}"`).join(', ')}`
  return [{ field: 'container', message }]
}

/**
 * How far variations may stray. Each is the most, in either direction; a variation draws its values from a generator
 * seeded with `seed`, the file's name and the variation's number, so that the same job gives the same results.
 */
export const VariationRanges = z.strictObject({
  seed: z.int().min(0).default(1),
  /** Share of full brightness, 0.05 = ±5 %. */
  brightness: z.number().min(0).max(0.5).default(0.04),
  saturation: z.number().min(0).max(0.5).default(0.06),
  /** Degrees on the colour wheel. */
  hue: z.number().min(0).max(45).default(3),
  /** Degrees; the corners are cut away, so that no empty wedge shows. */
  rotation: z.number().min(0).max(10).default(0.8),
  /** Share of each side that may be cut off. */
  crop: z.number().min(0).max(0.2).default(0.03),
  /** Whether half of the variations are mirrored left to right. */
  mirror: z.boolean().default(false),
})
export type VariationRanges = z.infer<typeof VariationRanges>

/** What becomes of results beside their content. */
export const ResultRules = z.strictObject({
  /** Text with `{name}`, `{preset}`, `{width}`, `{height}`, `{date}` and `{number}`. */
  name: z
    .string()
    .max(MAX_TEMPLATE_LENGTH)
    .superRefine((template, context) => {
      const problem = templateProblem(template)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    })
    .default(USUAL_NAME),
  /** `keep` gives a result the dates of its original. */
  dates: z.enum(['keep', 'now']).default('keep'),
  /** `keep` puts results into the same folders that their inputs have below the folder that all of a job have in common. */
  folders: z.enum(['flat', 'keep']).default('flat'),
  /** Whether the original takes the place of a result that is not smaller and differs in nothing else. */
  neverLarger: z.boolean().default(true),
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
    for (const { field, message } of image === undefined ? [] : photoContradictions(image))
      context.addIssue({ code: 'custom', path: ['image', field], message })
    if (video === undefined) return
    const [one, other] = (['crf', 'bitrate', 'look', 'maxBytes'] as const).filter(
      (field) => video[field] !== undefined,
    )
    if (one !== undefined && other !== undefined) {
      const message = `takes "${one}" or "${other}", not both`
      context.addIssue({ code: 'custom', path: ['video'], message })
    }
    for (const { field, message } of contradictionsOf(video))
      context.addIssue({ code: 'custom', path: ['video', field], message })
  })
export type Preset = z.infer<typeof Preset>

/** What happens when a job names no preset: the same format, upright, at full size, in good quality. */
export const basicDefaults = once(
  (): Required<Pick<Preset, 'name' | 'image' | 'video' | 'results' | 'variations'>> => ({
    name: 'basic',
    image: ImageRecipe.parse({ quality: 90, colour: 'keep', metadata: 'keep' }),
    video: VideoRecipe.parse({ crf: 20 }),
    results: ResultRules.parse({}),
    variations: VariationRanges.parse({}),
  }),
)
