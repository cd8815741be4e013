import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** One step of the schema, from the version before it; its place in the list, from 1, is the version it leads to. */
export type Migration = (connection: DatabaseSync) => void

export type DatabaseOptions = {
  readonly file: string
  readonly migrations: readonly Migration[]
  /** `full`: a commit is on the disk when it returns. `normal`: the last ones may be missing after a power failure. */
  readonly synchronous: 'full' | 'normal'
  /** Reads the whole file for damage; only for a small one. */
  readonly checkWhole: boolean
  /** The one that has been found to be damaged while it was in use. */
  readonly damaged?: FileIdentity
  /** ms since 1970. */
  readonly clock: () => number
}

/** Which file it is, whatever its name. */
export type FileIdentity = string

export type Database = {
  readonly connection: DatabaseSync
  readonly identity: FileIdentity
  /** Where a damaged file, or one of a newer version, was put before a new one was begun; null if all was well. */
  readonly setAside: string | null
}

const HEADER = Buffer.from('SQLite format 3\0')

/** Another process of ours may be writing; a write takes milliseconds. */
const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens a database and brings its schema up to date. A damaged file is never repaired and never deleted: it is set aside
 * with its log, and an empty database takes its place.
 *
 * Throws what SQLite or the file system throws when there is no usable place for a database at all.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { file, damaged, clock } = options
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const opened = damaged === undefined ? tryOpen(options) : DAMAGED
  if (opened.ok) return openedAs(opened, file, null)
  return oneAtATime(file, () => {
    // Another process may have been faster: then what lies there now is the new one, and must not be set aside too.
    const now = damaged === undefined || damaged !== identityOf(file) ? tryOpen(options) : DAMAGED
    if (now.ok) return openedAs(now, file, null)
    const keptAs = setAside(file, now.why, clock())
    const again = tryOpen(options)
    if (!again.ok) throw new Error(`${file} can't be used: ${again.why}`)
    return openedAs(again, file, keptAs)
  })
}

const openedAs = ({ connection }: OpenedWell, file: string, keptAs: string | null): Database => ({
  connection,
  identity: identityOf(file),
  setAside: keptAs,
})

/** Whether the file still is where it was opened: on some systems one that was deleted can be written to for ever. */
export const isInPlace = (file: string, identity: FileIdentity): boolean =>
  statSync(file, { throwIfNoEntry: false }) !== undefined && identityOf(file) === identity

function identityOf(file: string): FileIdentity {
  const { dev, ino } = statSync(file, { bigint: true })
  return `${dev}:${ino}`
}

/** A lock of the operating system, which ends with its process. Its file stays: to remove one that others wait for is no lock. */
function oneAtATime<T>(file: string, work: () => T): T {
  const lock = new DatabaseSync(`${file}-setting-aside`, { timeout: BUSY_TIMEOUT_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return work()
  } finally {
    lock.close()
  }
}

type OpenedWell = { readonly ok: true; readonly connection: DatabaseSync }
type Opened = OpenedWell | { readonly ok: false; readonly why: 'damaged' | 'newer' }

const DAMAGED: Opened = { ok: false, why: 'damaged' }

function tryOpen({ file, migrations, synchronous, checkWhole }: DatabaseOptions): Opened {
  if (!mayBeDatabase(file)) return { ok: false, why: 'damaged' }
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    connection.exec('PRAGMA journal_mode = WAL')
    connection.exec(`PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`)
    connection.exec('PRAGMA foreign_keys = ON')
    const version = userVersion(connection)
    if (version > migrations.length) {
      connection.close()
      return { ok: false, why: 'newer' }
    }
    if (checkWhole && !isWhole(connection)) {
      connection.close()
      return { ok: false, why: 'damaged' }
    }
    if (version < migrations.length) migrate(connection, migrations)
    return { ok: true, connection }
  } catch (error) {
    connection.close()
    if (isDamage(error)) return { ok: false, why: 'damaged' }
    throw error
  }
}

/** Looked at first, because SQLite deletes the log of a file that it can't read when it closes it. */
function mayBeDatabase(file: string): boolean {
  // A new file is made here and not by SQLite, which would let everybody read it; its log gets the rights of the file.
  const descriptor = openSync(file, 'a+', 0o600)
  try {
    const header = Buffer.alloc(HEADER.length)
    const length = readSync(descriptor, header, 0, HEADER.length, 0)
    return length === 0 || header.equals(HEADER)
  } finally {
    closeSync(descriptor)
  }
}

function migrate(connection: DatabaseSync, migrations: readonly Migration[]): void {
  inTransaction(connection, () => {
    // Read again under the lock: another process may have done it in between.
    for (const step of migrations.slice(userVersion(connection))) step(connection)
    connection.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

function userVersion(connection: DatabaseSync): number {
  const version = connection.prepare('PRAGMA user_version').get()?.['user_version']
  return typeof version === 'number' ? version : 0
}

const isWhole = (connection: DatabaseSync): boolean =>
  connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok'

/**
 * All of `work` or nothing of it. Takes the write lock at once, so that another process is waited for at the start. Inside of
 * another one it is a part of that one.
 */
export function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  if (connection.isTransaction) return work()
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has rolled back by itself after some errors, a full disk among them.
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** Is told what comes of each write, so that a full disk is said and no longer said when there is room again. */
export type WriteListener = {
  readonly written: () => void
  readonly notWritten: (error: unknown) => void
}

export function toldOf<T>(listener: WriteListener | undefined, write: () => T): T {
  try {
    const result = write()
    listener?.written()
    return result
  } catch (error) {
    listener?.notWritten(error)
    throw error
  }
}

// ── Damaged files ────────────────────────────────────────────────────────────────────────────────────────────────────

/** SQLite's own companions of a database file; a log left behind would be played into the new database. */
const COMPANIONS = ['', '-wal', '-shm'] as const

/**
 * Gives a database file and its companions a name of their own, next to where they were.
 *
 * @param why becomes part of the name, as in `history.damaged-2026-11-20T15-07-50-000Z.db`
 * @returns the new name of the database file, absolute if `file` was
 */
function setAside(file: string, why: 'damaged' | 'newer', now: number): string {
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

// ── SQLite's own result codes, the low byte of which is the primary one ──────────────────────────────────────────────

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
