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

/** Extensions of results that have only the audio of a video. The app accepts no such files as inputs. */
const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(['m4a', 'opus', 'mp3', 'ogg', 'flac', 'wav', 'mka'])

/** Returns the kind of a result from its file name; undefined if it isn't a result's name. Audio can't be displayed. */
export function resultKindOf(nameOrPath: string): MediaKind | 'audio' | undefined {
  if (AUDIO_EXTENSIONS.has(extensionOf(nameOrPath))) return 'audio'
  const isOther = (RESULT_EXTENSIONS as readonly string[]).includes(extensionOf(nameOrPath))
  return isOther ? 'image' : mediaKindOf(nameOrPath)
}
