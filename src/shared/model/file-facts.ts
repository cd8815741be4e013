/** Facts about a file that the conditions of rules are compared with. */
import type { MediaKind } from '../media-types.ts'

export type FileHeader = {
  /** In pixels, as displayed; null if unknown. */
  readonly width: number | null
  readonly height: number | null
  /** In milliseconds; null for photos, and if unknown. */
  readonly duration: number | null
}

/** All facts about a file. Facts that need the file's content are read only if a condition asks for them. */
export type FileFacts = {
  /** Relative to the watched folder, with `/` between folders. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** In milliseconds since 1970. */
  readonly modified: number
  /** Missing if the content hasn't been read; null if the file is neither a photo nor a video. */
  readonly kind?: MediaKind | null | undefined
  /** Missing if it hasn't been read. */
  readonly header?: FileHeader | undefined
}
