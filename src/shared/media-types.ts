/** The file extensions that the service accepts (API spec, section 1). */
import { baseName } from './paths.ts'

export const IMAGE_EXTENSIONS = ['jpg', 'jpeg', 'png', 'webp', 'heic', 'bmp', 'tiff'] as const
export const VIDEO_EXTENSIONS = ['mp4', 'mov', 'avi', 'mkv', 'webm', 'm4v'] as const
export const SUPPORTED_EXTENSIONS = [...IMAGE_EXTENSIONS, ...VIDEO_EXTENSIONS] as const

export type ImageExtension = (typeof IMAGE_EXTENSIONS)[number]
export type MediaKind = 'image' | 'video'

const kinds = new Map<string, MediaKind>([
  ...IMAGE_EXTENSIONS.map((extension) => [extension, 'image'] as const),
  ...VIDEO_EXTENSIONS.map((extension) => [extension, 'video'] as const),
])

/** Extensions of results that the service doesn't accept as inputs. */
const RESULT_EXTENSIONS = ['tif', 'gif', 'heif', 'avif', 'jxl'] as const

/** Returns the extension in lower case without the dot; '' if there is none. */
export function extensionOf(nameOrPath: string): string {
  const name = baseName(nameOrPath)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}

/** Returns the kind of an input from its file name, ignoring case; undefined if the service would refuse it. */
export function mediaKindOf(nameOrPath: string): MediaKind | undefined {
  return kinds.get(extensionOf(nameOrPath))
}

/** Returns the kind of a result from its file name; undefined if it can't be displayed. */
export function resultKindOf(nameOrPath: string): MediaKind | undefined {
  const isOther = (RESULT_EXTENSIONS as readonly string[]).includes(extensionOf(nameOrPath))
  return isOther ? 'image' : mediaKindOf(nameOrPath)
}
