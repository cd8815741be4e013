/** Reads from a built-in preset's document what it promises about its results. */
import { DEFAULT_PRESETS } from '../src/shared/preset/default-presets.ts'
import { Preset } from '../src/shared/preset/preset.ts'
import type { Promised } from './result-table.ts'

/** @throws if no preset with this name handles both photos and videos */
export function promisesOf(name: string): Readonly<Record<'image' | 'video', Promised>> {
  const { image, video } = Preset.parse(DEFAULT_PRESETS.find((preset) => preset.name === name))
  if (image === undefined || video === undefined)
    throw new Error(`"${name}" doesn't handle both photos and videos`)
  const { width = Infinity, height = Infinity } = image.size ?? {}
  return {
    image: { format: image.format, fits: (made) => made.width <= width && made.height <= height },
    video: {
      format: video.container,
      // The limit applies to the short side, so that upright videos count too.
      fits: (made) => Math.min(made.width, made.height) <= (video.height ?? Infinity),
    },
  }
}
