/** What tells one content of one file from another. */
import { lstat } from 'node:fs/promises'
import type { BigIntStats, Stats } from 'node:fs'

export type Fingerprint = {
  /** Bytes. */
  readonly size: number
  /** ms since 1970, whole: a card reader gives no more, and not every way of asking does. */
  readonly mtime: number
  /** When it got here or was last written to, which no program sets; ms since 1970. Not part of what is remembered. */
  readonly changed: number
  readonly device: string
  readonly inode: string
}

export type FoundFile = { readonly path: string; readonly fingerprint: Fingerprint }

/** Files read together. */
const AT_ONCE = 64

export const fingerprintOf = ({ size, mtimeMs, ctimeMs, dev, ino }: Stats | BigIntStats): Fingerprint => ({
  size: Number(size),
  mtime: Math.floor(Number(mtimeMs)),
  changed: Math.floor(Number(ctimeMs)),
  device: String(dev),
  inode: String(ino),
})

/** Those that are there, as they are now. */
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
