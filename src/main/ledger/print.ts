/** Recognizes an unchanged file without reading it: by size, inode, and the times of its last changes. */
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { wholeMs } from '../../node/whole-ms.ts'

/** A file's print, and its size in bytes. */
export type Printed = { readonly print: string; readonly size: number }

const NS_PER_MS = 1_000_000n
/** Time in ms after a write during which a file may change again without getting a different time. FAT rounds to two seconds. */
const ROUNDED_MS = 2_000
const PRECISE_MS = 20

/** @returns undefined for anything but a regular file, for an empty file, and for a file that was written just now */
export function printOf(stats: BigIntStats, now: number): Printed | undefined {
  const { size, mtimeNs, ino, ctimeNs } = stats
  if (!stats.isFile() || size === 0n) return undefined
  // Writing sets the mtime to the current time, so an mtime in the future would change as well.
  const age = Math.abs(now - Number(mtimeNs / NS_PER_MS))
  if (age < (mtimeNs % NS_PER_MS === 0n ? ROUNDED_MS : PRECISE_MS)) return undefined
  // Programs can set the mtime, but not the ctime. A rename, a link and new permissions also change the ctime.
  return { print: `${size}:${mtimeNs}:${ino}:${ctimeNs}`, size: Number(size) }
}

/** Whether two prints differ at most in the ctime. An edit that keeps the mtime changes the ctime, but so do changes that aren't edits. */
export const isSameFile = (print: string, other: string): boolean =>
  withoutLastTime(print) === withoutLastTime(other)

const withoutLastTime = (print: string): string => print.slice(0, print.lastIndexOf(':'))

/** Returns the mtime of the file with this print, in ms since 1970. */
export const dateIn = (print: string): number => wholeMs(BigInt(print.split(':')[1] ?? 0))

/** Follows links. @returns undefined if the file can't be read or recognized later */
export async function printFile(path: string, clock: () => number): Promise<Printed | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats && printOf(stats, clock())
}
