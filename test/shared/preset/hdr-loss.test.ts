import { describe, expect, it } from 'vitest'
import { hdrLossOf } from '../../../src/shared/preset/hdr-loss.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'

const lossOf = (recipe: Partial<VideoRecipe>) => {
  const video: Readonly<Record<string, unknown>> = VideoRecipe.parse(recipe)
  return hdrLossOf((path) => video[path.replace('video.', '')])
}

describe('HDR that a preset keeps but its codec doesn’t support', () => {
  it.each([
    [{ codec: 'h264' }, { codec: 'h264', instead: 'hevc' }],
    [
      { codec: 'h264', container: 'mp4' },
      { codec: 'h264', instead: 'hevc' },
    ],
    [
      { codec: 'vp9', container: 'webm' },
      { codec: 'vp9', instead: 'av1' },
    ],
    [
      { codec: 'webp', container: 'webp' },
      { codec: 'webp', instead: null },
    ],
    [
      { codec: 'webp', container: 'webp', crf: 0 },
      { codec: 'webp', instead: null },
    ],
  ] as const)('is lost by %j', (recipe, loss) => {
    expect(lossOf(recipe)).toEqual(loss)
  })

  it.each([
    { codec: 'hevc' },
    { codec: 'av1' },
    { codec: 'copy' },
    { codec: 'h264', hdr: 'tone-map' },
    { codec: 'h264', crf: 0 },
  ] as const)('is not lost by %j', (recipe) => {
    expect(lossOf(recipe)).toBeNull()
  })
})
