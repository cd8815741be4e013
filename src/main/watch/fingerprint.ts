/** Identifies a version of a file's content. */
import { lstat } from 'node:fs/promises'
import type { BigIntStats, Stats } from 'node:fs'

export type Fingerprint = {
  /** Bytes. */
  readonly size: number
  /** Whole milliseconds since 1970. Card readers and some system calls provide no finer resolution. */
  readonly mtime: number
  /** When the file arrived or was last written (ctime), in milliseconds since 1970. Programs can't set it. Not stored. */
  readonly changed: number
  readonly device: string
  readonly inode: string
}

export type FoundFile = { readonly path: string; readonly fingerprint: Fingerprint }

/** Number of files read in parallel. */
const AT_ONCE = 64

export const fingerprintOf = ({ size, mtimeMs, ctimeMs, dev, ino }: Stats | BigIntStats): Fingerprint => ({
  size: Number(size),
  mtime: Math.floor(Number(mtimeMs)),
  changed: Math.floor(Number(ctimeMs)),
  device: String(dev),
  inode: String(ino),
})

/** Returns the current fingerprint of a file; undefined if it doesn't exist or isn't a regular file. */
export async function fingerprintFile(path: string): Promise<FoundFile | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  return stats?.isFile() === true ? { path, fingerprint: fingerprintOf(stats) } : undefined
}

/** Returns the current fingerprints of the files that exist. */
export async function fingerprintFiles(paths: readonly string[]): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = []
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = await Promise.all(paths.slice(start, start + AT_ONCE).map(fingerprintFile))
    found.push(...group.flatMap((file) => file ?? []))
  }
  return found
}
