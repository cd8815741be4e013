/** What rclone lists: the remotes that there are, and what lies in a folder of one. */
import * as z from 'zod'
import { isRemoteName, type Remote } from '../../shared/drive-folder.ts'

export type DriveEntry = {
  readonly name: string
  /** In bytes; -1 where the back-end doesn't know. */
  readonly size: number
  readonly isFolder: boolean
}

const Entries = z.array(z.object({ Name: z.string(), Size: z.number().catch(-1), IsDir: z.boolean() }))
const Entry = Entries.element.omit({ Name: true })

/** Without dates and types, because some back-ends need a request for each of them. */
export const LIST_FOLDER = ['lsjson', '--max-depth=1', '--no-modtime', '--no-mimetype'] as const
export const LOOK_AT_ENTRY = ['lsjson', '--stat', '--no-modtime', '--no-mimetype'] as const

/** @throws where the text is not what rclone prints */
export const parseListing = (text: string): readonly DriveEntry[] =>
  Entries.parse(JSON.parse(text)).map(({ Name, Size, IsDir }) => ({
    name: Name,
    size: Size,
    isFolder: IsDir,
  }))

/**
 * rclone lists a file as a folder that holds just this file; only a closer look tells them apart.
 * @param folder the address that was listed
 */
export const mayBeFile = (entries: readonly DriveEntry[], folder: string): boolean =>
  entries.length === 1 && entries[0]?.isFolder === false && folder.endsWith(entries[0].name)

/** @param text what looking at one entry printed @throws where it is not what rclone prints */
export const isFolderEntry = (text: string): boolean => Entry.parse(JSON.parse(text)).IsDir

export const LIST_REMOTES = ['listremotes', '--long'] as const

/** Reads what `rclone listremotes --long` prints: `name: type`, padded with spaces. */
export function parseRemotes(text: string): readonly Remote[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = /^([^:]+):\s*(\S+)/.exec(line)
    const [, name, type] = match ?? []
    return name !== undefined && type !== undefined && isRemoteName(name) ? [{ name, type }] : []
  })
}
