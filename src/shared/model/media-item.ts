import * as z from 'zod'
import type { builtInOnlyReason, MediaKind } from '../media-types.ts'

export const MediaItem = z
  .object({
    /** Absolute, on this computer. */
    path: z.string(),
    name: z.string(),
    kind: z.enum(['image', 'video'] satisfies MediaKind[]),
    /** In bytes. */
    size: z.number(),
    /** The extension that fits the content; absent if the name has this extension or if the content isn't known. */
    format: z.string().optional(),
    /** Identity of the file when the user added it (`src/node/file-identity.ts`). No other file at this path is read. */
    identity: z.string().optional(),
    /** Whether the path was a link when the user added it. */
    isLink: z.literal(true).optional(),
    /** Size, inode and times of the file when it was submitted; only in submissions and records. */
    print: z.string().optional(),
  })
  .readonly()
export type MediaItem = z.infer<typeof MediaItem>

export type RejectionReason =
  | 'unsupported'
  | 'raw'
  /** The draft's service doesn't process the file's format, but the built-in service does. */
  | ReturnType<typeof builtInOnlyReason>
  | 'unreadable'
  | 'missing'
  /** The name isn't UTF-8, so it can't be used to open the file. */
  | 'nameUnreadable'
  | 'empty'
  | 'notAFile'
  /** A link in a folder that leads outside the folder. */
  | 'leadsOutside'
  /** Another user's link is on the path of a file or folder that the user named. */
  | 'foreignLink'
  | 'tooLargeToUpload'
  /** The user has restored the file after it was replaced. */
  | 'restored'
  /** None of the chosen presets handles files of its kind. */
  | 'noPresetFor'

/** A file that was added but can't be used. It stays listed to show the user why. */
export type RejectedItem = {
  readonly path: string
  readonly name: string
  readonly reason: RejectionReason
  /** The system's error message, if it is useful to the user. */
  readonly detail?: string
  /** In bytes; absent if it isn't a file or couldn't be read. */
  readonly size?: number
  /** The file as an input, if another service would accept it. */
  readonly item?: MediaItem
}
