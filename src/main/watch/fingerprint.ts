/**
 * Identifies files and their contents. Size, times and inode show which known files to compare; only the content proves that a file is
 * known.
 */
import { lstat } from 'node:fs/promises'
import { contentHash } from '../../node/content-hash.ts'
import { type Fingerprint, fingerprintOf } from '../../node/file-fingerprint.ts'
import { mapLimited } from '../../node/limited.ts'

export { fingerprintOf, type Fingerprint }

export type FoundFile = {
  readonly path: string
  readonly fingerprint: Fingerprint
  /** SHA-256 as hex; undefined before the file has been read. */
  readonly content?: string
  /** Whether the file may be a result that a job didn't report. */
  readonly isDoubtful?: boolean
  /** The processed file that had this content before it was renamed or touched. */
  readonly sameAs?: TakenFile
}

/** A file at the time when it was taken for processing. */
export type TakenFile = {
  readonly path: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Number of parallel `lstat` calls. */
const AT_ONCE = 64

/** Returns the current fingerprint of a file; undefined if it doesn't exist or isn't a regular file. */
export async function fingerprintFile(path: string): Promise<FoundFile | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  return stats?.isFile() === true ? { path, fingerprint: fingerprintOf(stats) } : undefined
}

/** Returns the current fingerprints of the files that exist. */
export async function fingerprintFiles(paths: readonly string[]): Promise<readonly FoundFile[]> {
  const found = await mapLimited(paths, fingerprintFile, { atOnce: AT_ONCE })
  return found.filter((file) => file !== undefined)
}

/** Whether the file is unchanged between two fingerprints. */
export const isUntouched = (a: Omit<Fingerprint, 'device'>, b: Omit<Fingerprint, 'device'>): boolean =>
  a.size === b.size &&
  a.mtime === b.mtime &&
  a.changed === b.changed &&
  a.born === b.born &&
  a.inode === b.inode

/** Adds the content's hash. @returns undefined if the file can't be read, or changes before or while it is read */
export async function withContent(
  file: FoundFile,
): Promise<(Required<Pick<FoundFile, 'content'>> & FoundFile) | undefined> {
  const { path, fingerprint, content: known } = file
  if (known !== undefined) return { ...file, content: known }
  const content = await contentHash(path, fingerprint.size).catch(() => undefined)
  const now = await fingerprintFile(path)
  return content !== undefined && now !== undefined && isUntouched(fingerprint, now.fingerprint)
    ? { ...file, content }
    : undefined
}
