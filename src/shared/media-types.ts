/** Section 1 of the API spec: what the service takes, by file extension. */
import { baseName } from './paths.ts'

export const IMAGE_EXTENSIONS = ['jpg', 'jpeg', 'png', 'webp', 'heic', 'bmp', 'tiff'] as const
export const VIDEO_EXTENSIONS = ['mp4', 'mov', 'avi', 'mkv', 'webm', 'm4v'] as const
export const SUPPORTED_EXTENSIONS = [...IMAGE_EXTENSIONS, ...VIDEO_EXTENSIONS] as const

export type ImageExtension = (typeof IMAGE_EXTENSIONS)[number]
export type VideoExtension = (typeof VIDEO_EXTENSIONS)[number]
export type MediaKind = 'image' | 'video'

const kinds = new Map<string, MediaKind>([
  ...IMAGE_EXTENSIONS.map((extension) => [extension, 'image'] as const),
  ...VIDEO_EXTENSIONS.map((extension) => [extension, 'video'] as const),
])

/** What a service may make beside what it takes. */
const RESULT_EXTENSIONS = ['tif', 'gif', 'heif', 'avif', 'jxl'] as const

/** The part of a name behind its last dot, in lower case and without the dot; '' where there is none. */
export function extensionOf(nameOrPath: string): string {
  const name = baseName(nameOrPath)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}

/** What a file is by its name, in any case; undefined where the service would refuse it. */
export function mediaKindOf(nameOrPath: string): MediaKind | undefined {
  return kinds.get(extensionOf(nameOrPath))
}

/** What a result is by its name; undefined where it is nothing that is shown or opened. */
export function resultKindOf(nameOrPath: string): MediaKind | undefined {
  const isOther = (RESULT_EXTENSIONS as readonly string[]).includes(extensionOf(nameOrPath))
  return isOther ? 'image' : mediaKindOf(nameOrPath)
}
