/** What a preset that the built-in service brings along promises of its results, read from the preset's own document. */
import { DEFAULT_PRESETS } from '../src/shared/preset/default-presets.ts'
import { Preset } from '../src/shared/preset/preset.ts'
import type { Promised } from './result-table.ts'

/** @throws where no preset for both photos and videos has this name */
export function promisesOf(name: string): Readonly<Record<'image' | 'video', Promised>> {
  const { image, video } = Preset.parse(DEFAULT_PRESETS.find((preset) => preset.name === name))
  if (image === undefined || video === undefined) throw new Error(`"${name}" is not for photos and videos`)
  const { width = Infinity, height = Infinity } = image.size ?? {}
  return {
    image: { format: image.format, fits: (made) => made.width <= width && made.height <= height },
    video: {
      format: video.container,
      // An upright video is measured across.
      fits: (made) => Math.min(made.width, made.height) <= (video.height ?? Infinity),
    },
  }
}
