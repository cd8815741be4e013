/** Predicts how a preset names its results, before any file has been processed. */
import { extensionOf, type MediaKind, resultExtension } from '../media-types.ts'
import { removesOnlyMetadata } from './only-metadata.ts'
import type { Preset } from './preset.ts'

/**
 * Extensions of formats that can't be encoded. A preset that keeps the format usually converts such files to JPEG. GIF is missing, because
 * its new format depends on the content.
 */
const CONVERTED = new Set(['heic', 'heif', 'hif', 'bmp'])

/**
 * Returns the name of a file after its result has replaced it, such as `DSC_4821.jpg` for `DSC_4821.heic`. Returns null if the name doesn't
 * change, or if it depends on the file's content.
 */
export function replacedName(
  { name, kind }: { readonly name: string; readonly kind: MediaKind },
  { image, video }: Pick<Preset, 'image' | 'video'>,
): string | null {
  const before = extensionOf(name)
  const after = kind === 'image' ? imageEnding(before, image) : videoEnding(video)
  if (after === null || before === '') return null
  const extension = resultExtension(after, name)
  return extension === before ? null : `${name.slice(0, -before.length)}${extension}`
}

function imageEnding(before: string, image: Preset['image']): string | null {
  if (image === undefined) return null
  if (removesOnlyMetadata(image)) return null
  if (image.format === 'same') return CONVERTED.has(before) ? 'jpg' : null
  return image.format === 'jpeg' ? 'jpg' : image.format
}

function videoEnding(video: Preset['video']): string | null {
  if (video === undefined || video.codec === 'none' || video.container === 'same') return null
  return video.container
}
