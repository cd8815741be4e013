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

/** Returns the current fingerprints of the files that exist. */
export async function fingerprintFiles(paths: readonly string[]): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = []
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = paths.slice(start, start + AT_ONCE)
    const all = await Promise.all(group.map((path) => lstat(path, { bigint: true }).catch(() => undefined)))
    for (const [index, path] of group.entries()) {
      const stats = all[index]
      if (stats?.isFile() === true) found.push({ path, fingerprint: fingerprintOf(stats) })
    }
  }
  return found
}
