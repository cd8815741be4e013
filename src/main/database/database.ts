import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepFilePrivate } from '../../node/private-files.ts'
import { ifPossible } from '../../node/if-possible.ts'
import { isDamage } from './errors.ts'
import { hasWholeKeys } from './check-keys.ts'
import { isLogDamaged } from './check-log.ts'

/** Version of the schemas. Increase it with any change to one of them. */
const SCHEMA_VERSION = 1

export type DatabaseOptions = {
  readonly file: string
  /** SQL that creates the tables and their indexes. */
  readonly schema: string
  /** Tables to create if they are missing, because their rows can be collected again. */
  readonly collectable?: readonly string[]
  /** Whether to check the whole file for damage. Use only for small files. */
  readonly checkWhole: boolean
  /** Whether to limit the write-ahead log to half a megabyte, to fit on an almost full disk. Slows down many small writes. */
  readonly keepsLogSmall?: boolean
  /** A file that turned out to be damaged while it was in use. */
  readonly damaged?: FileIdentity
  /** ms since 1970. */
  readonly clock: () => number
}

/** Identifies a file regardless of its name. */
export type FileIdentity = string

/** A database that a newer version of the app wrote. Opening it changes neither the file nor its log. */
export class NewerDatabase extends Error {
  readonly file: string

  constructor(file: string) {
    super(`A newer version of Mediatray wrote ${file}. The file is unchanged. Install that version again.`)
    this.file = file
  }
}

/**
 * How long to wait for another program that has locked the file, in ms. Only the owner uses the file, but the user may have opened it with
 * a tool.
 */
const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens a database, and creates its tables in a new file. A damaged file is never repaired or deleted: it is moved aside with its log and
 * replaced with an empty database. If only the log is damaged, a copy of both is kept.
 * @returns the connection, the file's identity, and in `setAside` the new path of a damaged file that was moved aside, or of its copy; null
 * if there was none
 * @throws NewerDatabase; the error from SQLite or the file system if no database can be created there
 */
export function openDatabase(options: DatabaseOptions) {
  const { file, damaged, clock } = options
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  for (const companion of COMPANIONS) if (existsSync(file + companion)) keepFilePrivate(file + companion)
  // The user may have replaced the damaged file.
  const isOther = damaged === undefined || damaged !== identityOf(file)
  // Keep a copy, because SQLite ignores and later overwrites everything in the log from the first damaged transaction on.
  const copied = isOther && existsSync(file) && isLogDamaged(`${file}-wal`) ? copyAside(file, clock()) : null
  const connection = isOther ? tryOpen(options) : undefined
  if (connection !== undefined) return { connection, identity: identityOf(file), setAside: copied }
  const keptAs = setAside(file, clock())
  const created = tryOpen(options)
  if (created === undefined) throw new Error(`Couldn’t open ${file}: damaged`)
  return { connection: created, identity: identityOf(file), setAside: keptAs }
}

/** Whether the file is still at the path where it was opened. On some systems, writes to a deleted file keep succeeding. */
export function isInPlace(file: string, identity: FileIdentity): boolean {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found !== undefined && identityIn(found) === identity
}

export const identityOf = (file: string): FileIdentity => identityIn(statSync(file, { bigint: true }))

const identityIn = ({ dev, ino }: BigIntStats): FileIdentity => `${dev}:${ino}`

/** Size of the log at which SQLite copies it to the database and restarts it, in pages of usually 4 KiB. */
const SMALL_LOG_PAGES = 100

/** @returns undefined if the file is damaged */
function tryOpen(options: DatabaseOptions): DatabaseSync | undefined {
  const { file, checkWhole, keepsLogSmall = false } = options
  const header = headerOf(file)
  // Don't open an empty file with a log, because SQLite would delete the log.
  if (header.length === 0 && sizeOf(`${file}-wal`) > 0) return undefined
  if (header.length > 0 && !header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  if (versionOf(file, header) > SCHEMA_VERSION) throw new NewerDatabase(file)
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    connection.exec('PRAGMA journal_mode = WAL')
    if (keepsLogSmall) connection.exec(`PRAGMA wal_autocheckpoint = ${SMALL_LOG_PAGES}`)
    // A commit is on disk when it returns.
    connection.exec('PRAGMA synchronous = FULL')
    connection.exec('PRAGMA foreign_keys = ON')
    if (checkWhole && !isWhole(connection)) {
      connection.close()
      return undefined
    }
    if (prepareTables(connection, options)) return connection
    connection.close()
    return undefined
  } catch (error) {
    connection.close()
    if (isDamage(error)) return undefined
    throw error
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const MAGIC = Buffer.from('SQLite format 3\0')
const VERSION_AT = 60
const HEADER_LENGTH = 100

/**
 * Returns the file's header; empty for a new file. Call this before SQLite opens the file, because SQLite deletes the log when it closes an
 * unreadable file.
 */
function headerOf(file: string): Buffer {
  // Create the file here, because SQLite would make it readable by all users. The log inherits the file's permissions.
  const descriptor = openSync(file, 'a+', 0o600)
  try {
    const header = Buffer.alloc(HEADER_LENGTH)
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_LENGTH, 0))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns the schema version; 0 for a new file. Also reads a leftover log, which may contain a later version. Doesn't change either file.
 */
function versionOf(file: string, header: Buffer): number {
  if (header.length < HEADER_LENGTH) return 0
  const version = header.readInt32BE(VERSION_AT)
  if (version > SCHEMA_VERSION || !existsSync(`${file}-wal`)) return version
  using connection = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  return ifPossible(() => userVersion(connection)) ?? version
}

/**
 * Creates the tables of a new file, and missing indexes and collectable tables of an existing one.
 * @returns false if the file isn't new and its tables aren't the expected ones
 */
function prepareTables(connection: DatabaseSync, { schema, collectable = [] }: DatabaseOptions): boolean {
  const found = entriesOf(connection)
  if (found.size > 0) {
    for (const [name, { type, table, sql }] of expectedEntries(schema)) {
      if (found.get(name)?.sql === sql) continue
      if (found.has(name) || !(type === 'index' || collectable.includes(table))) return false
      connection.exec(sql)
    }
  }
  inTransaction(connection, () => {
    if (found.size === 0) connection.exec(schema)
    if (userVersion(connection) === 0) connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  })
  return true
}

type Entry = { readonly type: string; readonly table: string; readonly sql: string }

function expectedEntries(schema: string): ReadonlyMap<string, Entry> {
  using connection = new DatabaseSync(':memory:')
  connection.exec(schema)
  return entriesOf(connection)
}

/** Returns the tables and indexes of a database, by name. */
const entriesOf = (connection: DatabaseSync): ReadonlyMap<string, Entry> =>
  new Map(
    connection
      .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
      .all()
      .map(({ type, name, tbl_name: table, sql }) => [
        String(name),
        { type: String(type), table: String(table), sql: String(sql) },
      ]),
  )

function userVersion(connection: DatabaseSync): number {
  const version = connection.prepare('PRAGMA user_version').get()?.['user_version']
  return typeof version === 'number' ? version : 0
}

const isWhole = (connection: DatabaseSync): boolean =>
  connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok' && hasWholeKeys(connection)

/**
 * Runs `work` in a transaction. Acquires the write lock at the start, which is the only place where it may wait for another program. A
 * nested call joins the outer transaction.
 */
export function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  if (connection.isTransaction) return work()
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** Receives the outcome of each write. Lets the app show a notice while the disk is full. */
export type WriteListener = {
  readonly written: () => void
  readonly notWritten: (error: unknown) => void
}

export function reportWrite<T>(listener: WriteListener | undefined, write: () => T): T {
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

/** Suffixes of a database and its companion files. Move all of them, because SQLite would replay a leftover log into the new database. */
const COMPANIONS = ['', '-wal', '-shm'] as const

/**
 * Renames a database file and its companions within their folder.
 * @returns the new path of the database file, such as `history.damaged-2026-11-20T15-07-50-000Z.db`; absolute if `file` is absolute
 */
function setAside(file: string, now: number): string {
  const keptAs = damagedName(file, now)
  for (const companion of COMPANIONS) {
    if (existsSync(file + companion)) renameSync(file + companion, keptAs + companion)
  }
  return keptAs
}

/**
 * Like `setAside`, but copies the file, because most of it is still usable. Leaves out `-shm`, which SQLite recreates when it opens the
 * file.
 */
export function copyAside(file: string, now: number): string {
  const keptAs = damagedName(file, now)
  for (const companion of ['', '-wal']) {
    if (existsSync(file + companion))
      copyFileSync(file + companion, keptAs + companion, constants.COPYFILE_FICLONE)
  }
  return keptAs
}

function damagedName(file: string, now: number): string {
  const extension = extname(file)
  const stem = join(dirname(file), basename(file, extension))
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  return freeName((n) => `${stem}.damaged-${stamp}${n === 0 ? '' : `-${n}`}${extension}`)
}

function freeName(name: (n: number) => string): string {
  let n = 0
  while (existsSync(name(n))) n += 1
  return name(n)
}

/** Rewrites the current schema version to test whether the file is writable. Throws if it isn't. */
export function writeNothing(connection: DatabaseSync): void {
  inTransaction(connection, () =>
    connection.prepare(`PRAGMA user_version = ${userVersion(connection)}`).run(),
  )
}
