import type { BigIntStats, Stats } from 'node:fs'

/** What tells one content of one file from another. */
export type FileMark = {
  /** Bytes. */
  readonly size: number
  /** ms since 1970, whole: a card reader gives no more, and not every way of asking does. */
  readonly mtime: number
  readonly device: string
  readonly inode: string
}

export const markOf = ({ size, mtimeMs, dev, ino }: Stats | BigIntStats): FileMark => ({
  size: Number(size),
  mtime: Math.floor(Number(mtimeMs)),
  device: String(dev),
  inode: String(ino),
})
