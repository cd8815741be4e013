import { existsSync, renameSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

/** SQLite's own companions of a database file; a log left behind would be played into the new database. */
const COMPANIONS = ['', '-wal', '-shm'] as const

/**
 * Gives a database file and its companions a name of their own, next to where they were.
 *
 * @param why becomes part of the name, as in `history.damaged-2026-11-20T15-07-50-000Z.db`
 * @returns the new name of the database file, absolute if `file` was
 */
export function setAside(file: string, why: 'damaged' | 'newer', now: number): string {
  const extension = extname(file)
  const stem = join(dirname(file), basename(file, extension))
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  const keptAs = freeName((n) => `${stem}.${why}-${stamp}${n === 0 ? '' : `-${n}`}${extension}`)
  for (const companion of COMPANIONS) {
    if (existsSync(file + companion)) renameSync(file + companion, keptAs + companion)
  }
  return keptAs
}

function freeName(name: (n: number) => string): string {
  let n = 0
  while (existsSync(name(n))) n += 1
  return name(n)
}
