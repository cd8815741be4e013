/** Predicts how a preset names its results, before any file has been processed. */
import { extensionOf, type MediaKind } from '../media-types.ts'
import { removesOnlyMetadata } from './only-metadata.ts'
import type { Preset } from './preset.ts'

/** Extensions of formats that can't be encoded. A preset that keeps the format converts such files. */
const CONVERTED = new Set(['heic', 'heif', 'hif', 'bmp'])

/**
 * Returns the name of a file after its result has replaced it, such as `DSC_4821.jpg` for `DSC_4821.heic`. null if the name doesn't
 * change, or if it depends on the file's content.
 */
export function replacedName(
  { name, kind }: { readonly name: string; readonly kind: MediaKind },
  { image, video }: Pick<Preset, 'image' | 'video'>,
): string | null {
  const before = extensionOf(name)
  const after = kind === 'image' ? imageEnding(before, image) : videoEnding(video)
  if (after === null || after === before || before === '') return null
  return `${name.slice(0, -before.length)}${after}`
}

function imageEnding(before: string, image: Preset['image']): string | null {
  if (image === undefined) return null
  if (removesOnlyMetadata(image)) return null
  if (image.format === 'same') return CONVERTED.has(before) ? 'jpg' : null
  if (image.format !== 'jpeg') return image.format
  return before === 'jpeg' ? 'jpeg' : 'jpg'
}

function videoEnding(video: Preset['video']): string | null {
  if (video === undefined || video.codec === 'none' || video.container === 'same') return null
  return video.container
}
