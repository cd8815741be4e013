/** Parses rclone's lists of remotes and folder contents. */
import * as z from 'zod'
import { isRemoteName, type Remote } from '../../shared/drive-folder.ts'

export type DriveEntry = {
  readonly name: string
  /** In bytes. -1 if the back end doesn't report the size. */
  readonly size: number
  readonly isFolder: boolean
  /** The back end's ID; absent if it has none. */
  readonly id?: string
}

const Entries = z.array(
  z.object({ Name: z.string(), Size: z.number().catch(-1), IsDir: z.boolean(), ID: z.string().optional() }),
)
const Entry = Entries.element.omit({ Name: true })

/** Options for listings without dates and types. Some back ends would need a separate request per file for each of them. */
export const LIST_FOLDER = ['lsjson', '--max-depth=1', '--no-modtime', '--no-mimetype'] as const
export const STAT_ENTRY = ['lsjson', '--stat', '--no-modtime', '--no-mimetype'] as const

/**
 * Parses a folder listing.
 * @throws if the text isn't rclone's output
 */
export const parseListing = (text: string): readonly DriveEntry[] =>
  Entries.parse(JSON.parse(text)).map(({ Name, Size, IsDir, ID }) => ({
    name: Name,
    size: Size,
    isFolder: IsDir,
    ...(ID === undefined ? {} : { id: ID }),
  }))

/**
 * Whether the listed address may be a file. rclone lists a file as a folder that contains only this file, so a separate call is needed to
 * tell them apart.
 * @param folder the address that was listed
 */
export const mayBeFile = (entries: readonly DriveEntry[], folder: string): boolean =>
  entries.length === 1 && entries[0]?.isFolder === false && folder.endsWith(entries[0].name)

/**
 * Returns whether the output for a single entry describes a folder.
 * @throws if the text isn't rclone's output
 */
export const isFolderEntry = (text: string): boolean => Entry.parse(JSON.parse(text)).IsDir

export const LIST_REMOTES = ['listremotes', '--long'] as const

/** Parses the output of `rclone listremotes --long`: `name: type`, padded with spaces. */
export function parseRemotes(text: string): readonly Remote[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = /^([^:]+):\s*(\S+)/.exec(line)
    const [, name, type] = match ?? []
    return name !== undefined && type !== undefined && isRemoteName(name) ? [{ name, type }] : []
  })
}
