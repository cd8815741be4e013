/** Lists the files of an asar archive from its header. */
import { extractFile, getRawHeader } from '@electron/asar'
import { createHash } from 'node:crypto'

export type ArchiveFile = {
  /** Separated by slashes, without a leading slash. */
  readonly path: string
  readonly bytes: number
  /** Whether it is a real file next to the archive. */
  readonly unpacked: boolean
  /** SHA-256 of the content in hex, according to the header. */
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
    // The app contains no links, so a link is a file that doesn't belong there.
    if ('link' in entry) return [{ path, bytes: 0, unpacked: false, hash: undefined }]
    const { size, integrity } = entry
    // The header has this property only if it is true.
    const unpacked = 'unpacked' in entry && entry.unpacked
    return [{ path, bytes: size, unpacked, hash: integrity?.hash }]
  })

/** Returns whether the content matches the header's hash. */
export const isWhole = (archivePath: string, { path, hash }: ArchiveFile): boolean =>
  createHash('sha256').update(extractFile(archivePath, path)).digest('hex') === hash
