/** Classifies SQLite's errors. The low byte of a result code is the primary code. */

const ANY_ERROR = 1
const BUSY = 5
const CORRUPT = 11
const FULL = 13
/** The disk has no space for the index of the write-ahead log, which SQLite needs even for reading. */
const NO_ROOM_FOR_INDEX = 10 | (19 << 8)
const NOT_A_DATABASE = 26
/** A virtual table, such as a search index, is inconsistent. The other tables may be intact. */
const CORRUPT_VIRTUAL_TABLE = 267

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

const primaryCode = (error: unknown): number => (resultCode(error) ?? 0) & 0xff

/** Whether a virtual table can't be opened, because its backing tables are unreadable. SQLite has no specific code for that. */
const isUnusableTable = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('vtable constructor failed')

/** Whether the file has lost a table. SQLite has no specific code for that. */
export const isMissingTable = (error: unknown): boolean =>
  resultCode(error) === ANY_ERROR && error instanceof Error && error.message.startsWith('no such table')

/** Whether the file isn't a database, or is damaged. */
export const isDamage = (error: unknown): boolean =>
  primaryCode(error) === CORRUPT ||
  primaryCode(error) === NOT_A_DATABASE ||
  isUnusableTable(error) ||
  isMissingTable(error)

export const isSearchDamage = (error: unknown): boolean => resultCode(error) === CORRUPT_VIRTUAL_TABLE

/** Whether another process holds the lock. If so, nothing was written. */
export const isLockedError = (error: unknown): boolean => primaryCode(error) === BUSY

/** Whether the disk was full. If so, nothing was written and existing data is intact. */
export const isDiskFull = (error: unknown): boolean =>
  primaryCode(error) === FULL || resultCode(error) === NO_ROOM_FOR_INDEX

/** Why writes fail. `locked` means that another process held the lock for longer than the timeout. */
export type WriteTrouble = 'full' | 'readOnly' | 'locked' | 'failed'

const WRITE_TROUBLES: Readonly<Record<number, WriteTrouble>> = {
  8: 'readOnly',
  5: 'locked',
  6: 'locked',
  // SQLITE_PERM, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PROTOCOL and SQLITE_NOLFS.
  3: 'failed',
  10: 'failed',
  14: 'failed',
  15: 'failed',
  22: 'failed',
}

/** @returns undefined for any other error, such as damage or a violated constraint */
export const writeTroubleOf = (error: unknown): WriteTrouble | undefined =>
  isDiskFull(error) ? 'full' : WRITE_TROUBLES[primaryCode(error)]
