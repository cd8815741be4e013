/** Formats and shipped presets that originals are converted with. */
import { DEFAULT_PRESETS } from '../../src/shared/preset/default-presets.ts'
import { ImageRecipe, Preset, VideoRecipe } from '../../src/shared/preset/preset.ts'

export type Target<Recipe> = { readonly name: string; readonly recipe: Recipe }

const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'jxl', 'tiff'] as const

const shipped = DEFAULT_PRESETS.map((preset) => Preset.parse(preset))

export const PHOTO_TARGETS: readonly Target<ImageRecipe>[] = [
  ...FORMATS.map((format) => ({
    name: `${format}, everything kept`,
    recipe: ImageRecipe.parse({ format, quality: 92, colour: 'keep', metadata: 'keep' }),
  })),
  {
    name: 'same format, without location',
    recipe: ImageRecipe.parse({ quality: 92, colour: 'keep', metadata: 'strip-location' }),
  },
  ...shipped.flatMap(({ name, image }) => (image === undefined ? [] : [{ name, recipe: image }])),
]

const CONTAINERS = [
  ['mp4', 'h264'],
  ['mov', 'hevc'],
  ['mkv', 'h264'],
  ['webm', 'vp9'],
  ['same', 'copy'],
  ['mkv', 'copy'],
  ['gif', 'gif'],
] as const

export const VIDEO_TARGETS: readonly Target<VideoRecipe>[] = [
  ...CONTAINERS.map(([container, codec]) => ({
    name: `${container}, ${codec}, everything kept`,
    recipe: VideoRecipe.parse({
      container,
      codec,
      speed: 'ultrafast',
      ...(codec === 'copy' ? {} : { crf: 30 }),
    }),
  })),
  ...shipped.flatMap(({ name, video }) => (video === undefined ? [] : [{ name, recipe: video }])),
]
