import {
  closeSync,
  existsSync,
  mkdirSync,
  constants,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepFilePrivate } from '../../node/private-files.ts'
import { isDamage } from './errors.ts'

/** One schema migration. Its position in the list, counted from 1, is the resulting schema version. */
export type Migration = (connection: DatabaseSync) => void

export type DatabaseOptions = {
  readonly file: string
  readonly migrations: readonly Migration[]
  /** Checks the whole file for damage. Use only for small files. */
  readonly checkWhole: boolean
  /** Whether to keep the log below half a megabyte, so that it has room on a full disk. Many small writes get slower. */
  readonly keepsLogSmall?: boolean
  /**
   * Copies missing rows from `aside`, an attached file with the same schema. A newer version of the app wrote the file, and an
   * older one moved it aside.
   */
  readonly takeBack?: (connection: DatabaseSync) => void
  /** A file that turned out to be damaged while it was in use. */
  readonly damaged?: FileIdentity
  /** ms since 1970. */
  readonly clock: () => number
}

/** Identifies a file regardless of its name. */
export type FileIdentity = string

export type Database = {
  readonly connection: DatabaseSync
  readonly identity: FileIdentity
  /** New path of a file that was moved aside because it was damaged or from a newer version; null if none was moved. */
  readonly setAside: string | null
  /** Whether files from a newer version remain that this version can't read. */
  readonly hasNewerAside: boolean
}

const HEADER = Buffer.from('SQLite format 3\0')

/** How long to wait for another program that has locked the file. Only the owner uses it, but the user may have opened it with a tool. */
const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens a database and migrates its schema. A damaged file is never repaired or deleted: it is moved aside with its log and
 * replaced with an empty database.
 * @throws the error from SQLite or the file system if no database can be created there
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { file, damaged, clock } = options
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  for (const companion of COMPANIONS) if (existsSync(file + companion)) keepFilePrivate(file + companion)
  // The user may have replaced the damaged file.
  const opened = damaged === undefined || damaged !== identityOf(file) ? tryOpen(options) : DAMAGED_FILE
  if (opened.ok) return openedAs(opened, options, null)
  const keptAs = setAside(file, opened.why, clock())
  const again = tryOpen(options)
  if (!again.ok) throw new Error(`Couldn’t open ${file}: ${again.why}`)
  return openedAs(again, options, keptAs)
}

function openedAs({ connection }: OpenedWell, options: DatabaseOptions, keptAs: string | null): Database {
  takeBackNewer(connection, options)
  const { file } = options
  return {
    connection,
    identity: identityOf(file),
    setAside: keptAs,
    hasNewerAside: newerAside(file).length > 0,
  }
}

/** Whether the file is still at the path where it was opened. On some systems, writes to a deleted file keep succeeding. */
export const isInPlace = (file: string, identity: FileIdentity): boolean =>
  statSync(file, { throwIfNoEntry: false }) !== undefined && identityOf(file) === identity

function identityOf(file: string): FileIdentity {
  const { dev, ino } = statSync(file, { bigint: true })
  return `${dev}:${ino}`
}

type OpenedWell = { readonly ok: true; readonly connection: DatabaseSync }
type Opened = OpenedWell | { readonly ok: false; readonly why: 'damaged' | 'newer' }

const DAMAGED_FILE: Opened = { ok: false, why: 'damaged' }

/** Number of pages in the log, usually of 4 KiB, after which they are moved to the database and the log starts again. */
const SMALL_LOG_PAGES = 100

function tryOpen({ file, migrations, checkWhole, keepsLogSmall = false }: DatabaseOptions): Opened {
  if (!mayBeDatabase(file)) return { ok: false, why: 'damaged' }
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    connection.exec('PRAGMA journal_mode = WAL')
    if (keepsLogSmall) connection.exec(`PRAGMA wal_autocheckpoint = ${SMALL_LOG_PAGES}`)
    // A commit is on disk when it returns.
    connection.exec('PRAGMA synchronous = FULL')
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

/** Checks the header first, because SQLite deletes the log of an unreadable file when it closes it. */
function mayBeDatabase(file: string): boolean {
  // Creates the file here, because SQLite would make it readable by all users. The log inherits its permissions.
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
 * Runs `work` in a transaction. Takes the write lock at the start, so that any wait for another program happens there. A nested
 * call joins the outer transaction.
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

/** Receives the outcome of each write, so that the app can show a notice while the disk is full. */
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

/** SQLite's companion files. A leftover log would be replayed into the new database. */
const COMPANIONS = ['', '-wal', '-shm'] as const

/**
 * Renames a database file and its companions within their folder.
 * @param why becomes part of the name, as in `history.damaged-2026-11-20T15-07-50-000Z.db`
 * @returns the new path of the database file; absolute if `file` is absolute
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

/** Whether `setAside` chose this name for a file from a newer version of the app. */
export const isOfNewerVersion = (keptAs: string): boolean => /\.newer-[^.]*\.\w+$/.test(basename(keptAs))

/** Returns the files in this folder that come from newer versions and were moved aside, oldest first. */
function newerAside(file: string): string[] {
  const extension = extname(file)
  const prefix = `${basename(file, extension)}.newer-`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix) && name.endsWith(extension))
    .toSorted()
    .map((name) => join(dirname(file), name))
}

/** Offset of the schema version in the file header. The log may contain a newer value. */
const VERSION_AT = 60

function versionInHeader(file: string): number {
  // Doesn't block on a pipe without a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const version = Buffer.alloc(4)
    return readSync(descriptor, version, 0, 4, VERSION_AT) === 4 ? version.readUInt32BE() : 0
  } finally {
    closeSync(descriptor)
  }
}

/** Imports the contents of files from newer versions once this version can read them. */
function takeBackNewer(connection: DatabaseSync, options: DatabaseOptions): void {
  const { file, migrations, takeBack } = options
  if (takeBack === undefined) return
  for (const aside of newerAside(file)) {
    try {
      if (versionInHeader(aside) <= migrations.length)
        takeBackOne(connection, aside, { ...options, takeBack })
    } catch {
      // The file stays in place if it can't be imported, for example because the disk is full. The next launch tries again.
    }
  }
}

function takeBackOne(
  connection: DatabaseSync,
  aside: string,
  { takeBack, ...options }: DatabaseOptions & Required<Pick<DatabaseOptions, 'takeBack'>>,
): void {
  const opened = tryOpen({ ...options, file: aside })
  if (!opened.ok) return
  opened.connection.close()
  connection.prepare('ATTACH DATABASE ? AS aside').run(aside)
  try {
    inTransaction(connection, () => {
      // If the process ends before deleting the file, the next attempt must not restore rows that have been sent or cleared since.
      connection.exec('CREATE TABLE IF NOT EXISTS taken_back (file TEXT PRIMARY KEY) STRICT')
      const { changes } = connection
        .prepare('INSERT OR IGNORE INTO taken_back (file) VALUES (?)')
        .run(basename(aside))
      if (changes === 1) takeBack(connection)
    })
  } finally {
    connection.exec('DETACH DATABASE aside')
  }
  for (const companion of COMPANIONS) rmSync(aside + companion, { force: true })
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
