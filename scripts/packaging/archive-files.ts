/** The files of an asar archive with what its header says of them. */
import { extractFile, getRawHeader } from '@electron/asar'
import { createHash } from 'node:crypto'

export type ArchiveFile = {
  /** With slashes, and none at the beginning. */
  readonly path: string
  readonly bytes: number
  /** A real file beside the archive. */
  readonly unpacked: boolean
  /** SHA-256 of the content, in hex, as the header has it. */
  readonly hash: string | undefined
}

type Folder = ReturnType<typeof getRawHeader>['header']

export function filesOf(archivePath: string): readonly ArchiveFile[] {
  return walk(getRawHeader(archivePath).header, '')
}

const walk = ({ files }: Folder, prefix: string): readonly ArchiveFile[] =>
  Object.entries(files).flatMap(([name, entry]) => {
    const path = prefix + name
    if ('files' in entry) return walk(entry, `${path}/`)
    // A link is a way to another file, and there is none in the app.
    if ('link' in entry) return [{ path, bytes: 0, unpacked: false, hash: undefined }]
    const { size, integrity } = entry
    // The header has the word only where it is true.
    const unpacked = 'unpacked' in entry && entry.unpacked
    return [{ path, bytes: size, unpacked, hash: integrity?.hash }]
  })

/** Whether the content is what the header's hash was made from. */
export const isWhole = (archivePath: string, { path, hash }: ArchiveFile): boolean =>
  createHash('sha256').update(extractFile(archivePath, path)).digest('hex') === hash
