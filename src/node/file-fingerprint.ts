/** Shows whether a file may have changed, without reading it. Only the content proves which file it is. */
import type { BigIntStats, Stats } from 'node:fs'
import { wholeMs } from './whole-ms.ts'

export type Fingerprint = {
  /** Bytes. */
  readonly size: number
  /** Whole milliseconds since 1970. Card readers and some system calls provide no finer resolution. */
  readonly mtime: number
  /** When the file arrived, was written or was renamed last (ctime), in milliseconds since 1970. Programs can't set it. */
  readonly changed: number
  /** When the file was created, in milliseconds since 1970; 0 if the file system doesn't store it. */
  readonly born: number
  readonly device: string
  readonly inode: string
}

export const fingerprintOf = (stats: Stats | BigIntStats): Fingerprint => ({
  size: Number(stats.size),
  mtime: 'mtimeNs' in stats ? wholeMs(stats.mtimeNs) : Math.floor(stats.mtimeMs),
  changed: Math.floor(Number(stats.ctimeMs)),
  born: 'birthtimeNs' in stats ? wholeMs(stats.birthtimeNs) : Math.floor(stats.birthtimeMs),
  device: String(stats.dev),
  inode: String(stats.ino),
})
