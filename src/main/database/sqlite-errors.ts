/** What SQLite says about itself, by its primary result code (the low byte of the extended one). */

const CORRUPT = 11
const FULL = 13
const NOT_A_DATABASE = 26
/** A virtual table, such as a search index, contradicts itself; the tables may be fine. */
const CORRUPT_VIRTUAL_TABLE = 267

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

const primaryCode = (error: unknown): number => (resultCode(error) ?? 0) & 0xff

/** A virtual table whose own tables are not readable can't even be opened, and SQLite has no code for that. */
const isUnusableTable = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('vtable constructor failed')

/** The file is not a database, or not a whole one. */
export const isDamage = (error: unknown): boolean =>
  primaryCode(error) === CORRUPT || primaryCode(error) === NOT_A_DATABASE || isUnusableTable(error)

export const isSearchDamage = (error: unknown): boolean => resultCode(error) === CORRUPT_VIRTUAL_TABLE

/** Nothing was written; what was there before still is. */
export const isDiskFull = (error: unknown): boolean => primaryCode(error) === FULL
