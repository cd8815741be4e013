/** The journal of replaced originals. Changes are on disk when a method returns. */
import { basename, sep } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction, openDatabase } from '../database/index.ts'
import { NO_VERSION } from './file-version.ts'
import type { ReplacementState, StoredReplacement, Swapping } from './replacement.ts'
import { observedAfter } from './observed-time.ts'
import { json, movedText, Rights, State, textOf, Version } from './stored-state.ts'

const schema = `
  CREATE TABLE vaults (name TEXT PRIMARY KEY, path TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE replacements (
    id INTEGER PRIMARY KEY,
    job TEXT NOT NULL,
    path TEXT NOT NULL,
    folder TEXT NOT NULL,
    target TEXT NOT NULL,
    version TEXT NOT NULL,
    rights TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    at INTEGER,
    since INTEGER,
    held INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    UNIQUE (job, path)
  ) STRICT;
  CREATE INDEX replacements_folder ON replacements (folder);
  CREATE INDEX replacements_target ON replacements (target);
  CREATE INDEX replacements_kind ON replacements (kind, at);
  CREATE TABLE time (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL,
    elapsed INTEGER NOT NULL,
    earlier INTEGER,
    behind INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE keeping (id INTEGER PRIMARY KEY CHECK (id = 1), days INTEGER) STRICT;
  CREATE INDEX replacements_untold ON replacements (job) WHERE told = 0;`

const Place = z.object({
  id: z.number(),
  job: z.string(),
  path: z.string(),
  folder: z.string(),
  target: z.string(),
})
const Row = Place.extend({ version: json(Version), rights: json(Rights), state: json(State) })
const Path = Place.pick({ path: true })
const VaultRow = z.object({ name: z.string(), path: z.string() })
const TimeRow = z.object({
  latest: z.number(),
  elapsed: z.number(),
  earlier: z.number().nullable(),
  behind: z.number(),
})
const KeepDays = z.object({ days: z.number().nullable() }).optional()
const Texts = z.object({ folder: z.string(), target: z.string(), state: z.string() })

/** A row that can't be read disables only its own original, which stays in its vault. */
function replacementIn(row: unknown): StoredReplacement {
  const read = Row.safeParse(row)
  if (read.success) return read.data
  return { ...Place.parse(row), version: NO_VERSION, rights: [], state: { kind: 'unreadable' } }
}

const isReadable = ({ state }: StoredReplacement): boolean => state.kind !== 'unreadable'

/** `name`: the random name that the vault's folder got, which identifies it on any volume and at any mount point. */
export type Vault = z.infer<typeof VaultRow>

export type Waiting = Pick<StoredReplacement, 'path' | 'target' | 'version' | 'rights'>

/** Returns where a path is now. */
export type MovePath = (path: string) => string

/** An original that was found in a vault. */
export type Adopted = Omit<StoredReplacement, 'id' | 'state'> & {
  readonly state: Extract<ReplacementState, { readonly kind: 'replaced' | 'swapping' }>
}

export type ReplacementTable = ReturnType<typeof openReplacementTable>

const statementsOn = (connection: DatabaseSync) => ({
  vaults: connection.prepare('SELECT * FROM vaults'),
  putVault: connection.prepare(
    'INSERT INTO vaults VALUES (:name, :path) ON CONFLICT (name) DO UPDATE SET path = :path',
  ),
  keepDays: connection.prepare('SELECT days FROM keeping'),
  noteKeepDays: connection.prepare(
    'INSERT INTO keeping VALUES (1, :days) ON CONFLICT (id) DO UPDATE SET days = :days WHERE days IS NOT :days',
  ),
  add: connection.prepare(
    `INSERT OR IGNORE INTO replacements (job, path, folder, target, version, rights, kind, state, at)
     VALUES (:job, :path, :job, :target, :version, :rights, 'waiting', '{"kind":"waiting"}', :at)`,
  ),
  // If the journal had no entry, the history knows what happened to it, unless a swap was interrupted.
  adopt: connection.prepare(
    `INSERT INTO replacements (job, path, folder, target, version, rights, kind, state, at, since, told)
     VALUES (:job, :path, :folder, :target, :version, :rights, :kind, :state, :at, :since, :kind <> 'swapping')
     ON CONFLICT (job, path) DO UPDATE SET folder = :folder, target = :target, version = :version, rights = :rights, kind = :kind,
       state = :state, at = :at, since = :since, told = 0`,
  ),
  get: connection.prepare('SELECT * FROM replacements WHERE id = ?'),
  of: connection.prepare('SELECT * FROM replacements WHERE job = ? ORDER BY id'),
  inJobFolder: connection.prepare('SELECT * FROM replacements WHERE folder = ? ORDER BY id'),
  inVault: connection.prepare(
    'SELECT * FROM replacements WHERE substr(folder, 1, length(:inside)) = :inside ORDER BY id',
  ),
  jobsIn: connection.prepare(
    'SELECT DISTINCT job AS path FROM replacements WHERE substr(folder, 1, length(:inside)) = :inside',
  ),
  move: connection.prepare(
    'UPDATE replacements SET folder = :folder, target = :target, state = :state, told = 0 WHERE id = :id',
  ),
  moveRow: connection.prepare('UPDATE replacements SET folder = :folder, state = :state WHERE id = :id'),
  ofKind: connection.prepare('SELECT * FROM replacements WHERE kind = ? ORDER BY id'),
  waiting: connection.prepare(
    `SELECT * FROM replacements WHERE kind = 'waiting' AND coalesce(at, 0) <= ? ORDER BY id`,
  ),
  inVaults: connection.prepare(
    `SELECT * FROM replacements WHERE kind IN ('replaced', 'restored', 'kept', 'swapping') AND at IS NOT NULL ORDER BY id`,
  ),
  // The last replacement comes first.
  becoming: connection.prepare(
    `SELECT * FROM replacements
     WHERE kind = :kind OR (kind = 'swapping' AND iif(json_valid(state), json_extract(state, '$.goal'), '') <> 'keep')
     ORDER BY at DESC, id DESC`,
  ),
  // A later job has the original that was there then.
  expired: connection.prepare(
    `SELECT path, target FROM replacements AS one
     WHERE kind = 'expired' AND iif(json_valid(state), coalesce(json_extract(state, '$.was'), 'replaced'), '') = ?
       AND NOT EXISTS (SELECT 1 FROM replacements WHERE target = one.target AND id > one.id)`,
  ),
  replacedAt: connection.prepare("SELECT * FROM replacements WHERE target = ? AND kind = 'replaced'"),
  // The last job counts. A restored original stays so when its result has expired.
  restored: connection.prepare(
    `SELECT path FROM replacements AS one
     WHERE (kind = 'restored' OR iif(kind = 'expired' AND json_valid(state), json_extract(state, '$.was'), '') = 'restored')
       AND NOT EXISTS (SELECT 1 FROM replacements WHERE target = one.target AND kind = 'replaced' AND id > one.id)`,
  ),
  put: connection.prepare(
    `UPDATE replacements SET kind = :kind, state = :state, at = :at, told = 0,
       held = iif(:kind IN ('swapping', 'replaced'), held, 0),
       since = iif(at IS :at AND since IS NOT NULL, since, :since)
     WHERE id = :id`,
  ),
  hold: connection.prepare('UPDATE replacements SET held = 1 WHERE id = ?'),
  isHeld: connection.prepare("SELECT 1 FROM replacements WHERE id = ? AND held = 1 AND kind = 'replaced'"),
  unrecorded: connection.prepare('SELECT DISTINCT job FROM replacements WHERE told = 0'),
  // Originals that wait, such as for a volume or for the next start, must be found again.
  markRecorded: connection.prepare(
    `UPDATE replacements SET told = 1 WHERE job = ? AND told = 0 AND kind NOT IN ('waiting', 'swapping')`,
  ),
  due: connection.prepare(
    `SELECT * FROM replacements
     WHERE kind IN ('replaced', 'restored', 'kept') AND held = 0 AND at <= :at AND since <= :since ORDER BY at`,
  ),
  time: connection.prepare('SELECT * FROM time'),
  putTime: connection.prepare('INSERT OR REPLACE INTO time VALUES (1, :latest, :elapsed, :earlier, :behind)'),
  forget: connection.prepare('DELETE FROM replacements WHERE id = ?'),
})

type Statements = ReturnType<typeof statementsOn>

const readable = (rows: readonly unknown[]): readonly StoredReplacement[] =>
  rows.map(replacementIn).filter(isReadable)

/** Notes that time has passed. If that is impossible, such as on a full disk, it hasn't been observed. @returns how much, in ms */
function observeTime(connection: DatabaseSync, sql: Statements, now: number): number {
  const row = sql.time.get()
  const known = row === undefined ? undefined : TimeRow.parse(row)
  try {
    return inTransaction(connection, () => {
      const observed = observedAfter(known, now)
      sql.putTime.run(observed)
      return observed.elapsed
    })
  } catch {
    return known?.elapsed ?? 0
  }
}

const readingsFrom = (sql: Statements) => ({
  /** @param job the folder of the job when it was prepared */
  of: (job: string): readonly StoredReplacement[] => sql.of.all(job).map(replacementIn),
  /** @param folder the folder of the job now */
  inJobFolder: (folder: string): readonly StoredReplacement[] =>
    sql.inJobFolder.all(folder).map(replacementIn),
  inVault: (vault: string): readonly StoredReplacement[] =>
    sql.inVault.all({ inside: vault + sep }).map(replacementIn),
  /** Returns the last choice of the days after which originals are deleted; null for never. */
  keepDays: () => KeepDays.parse(sql.keepDays.get()),
  /** Returns the folders that the jobs in a vault had when they were prepared. */
  jobsIn: (vault: string): readonly string[] =>
    sql.jobsIn.all({ inside: vault + sep }).map((row) => Path.parse(row).path),
  swapping: (): readonly StoredReplacement[] => readable(sql.ofKind.all('swapping')),
  /**
   * Returns the originals of jobs that haven't ended.
   * @param before ms since 1970; originals that were added later aren't returned
   */
  waiting: (before: number): readonly StoredReplacement[] => readable(sql.waiting.all(before)),
  inVaults: (): readonly StoredReplacement[] => readable(sql.inVaults.all()),
  /** Returns the originals that are replaced or restored, last replaced first, and those that are becoming it. */
  becoming: (kind: 'replaced' | 'restored'): readonly StoredReplacement[] =>
    sql.becoming.all({ kind }).map(replacementIn),
  /** Returns the paths of the originals that the user has restored, and that no later job has replaced. */
  restored: (): readonly string[] => sql.restored.all().map((row) => Path.parse(row).path),
  /** Returns the originals, or the results that replaced them, that are no longer kept. */
  expired: (was: 'replaced' | 'restored') => sql.expired.all(was).map((row) => Expired.parse(row)),
  replacedAt: (path: string): readonly StoredReplacement[] => readable(sql.replacedAt.all(path)),
  get(id: number): StoredReplacement | undefined {
    const row = sql.get.get(id)
    return row === undefined ? undefined : replacementIn(row)
  },
})

const Expired = z.object({ path: z.string(), target: z.string() })

/** @throws if no database can be created there */
export function openReplacementTable(file: string, clock: () => number) {
  const { connection, setAside } = openDatabase({
    file,
    schema,
    checkWhole: true,
    keepsLogSmall: true,
    clock,
  })
  const sql = statementsOn(connection)
  const Job = z.object({ job: z.string() })

  const observe = () => observeTime(connection, sql, clock())
  let elapsed = observe()

  return {
    setAside,
    ...readingsFrom(sql),
    vaults: (): readonly Vault[] => sql.vaults.all().map((row) => VaultRow.parse(row)),
    noteKeepDays: (days: number | null) => void sql.noteKeepDays.run({ days }),
    /** Notes where a vault is. */
    putVault: (path: string) => void sql.putVault.run({ name: basename(path), path }),
    /** Adds the originals of a job before it is sent. Idempotent. */
    add: (job: string, originals: readonly Waiting[]) =>
      inTransaction(connection, () => {
        for (const { path, target, version, rights } of originals)
          sql.add.run({
            job,
            path,
            target,
            version: textOf(version),
            rights: textOf(rights),
            at: clock(),
          })
      }),
    /** Adds originals that were found in a vault, or updates entries that are older than the vault. */
    adopt: (found: readonly Adopted[]) =>
      inTransaction(connection, () => {
        for (const { job, path, folder, target, version, rights, state } of found)
          sql.adopt.run({
            job,
            path,
            folder,
            target,
            version: textOf(version),
            rights: textOf(rights),
            kind: state.kind,
            state: textOf(state),
            at: state.at,
            since: elapsed,
          })
      }),
    /** Notes that a vault is at another path. @param moveOf returns how the paths of an original change */
    moveVault: (from: string, to: string, moveOf: (id: number) => MovePath) =>
      inTransaction(connection, () => {
        for (const row of sql.inVault.all({ inside: from + sep })) {
          const [{ id }, { folder, target, state }] = [Place.parse(row), Texts.parse(row)]
          const move = moveOf(id)
          sql.move.run({ id, folder: move(folder), target: move(target), state: movedText(state, move) })
        }
        sql.putVault.run({ name: basename(to), path: to })
      }),
    /** Notes that the folder of an original is somewhere else. */
    putPlace: ({ id, folder, target, state }: StoredReplacement) =>
      void sql.move.run({ id, folder, target, state: textOf(state) }),
    /** Notes that a swap continues in another vault. */
    moveToVault: (id: number, folder: string, swapping: Swapping) =>
      void sql.moveRow.run({ id, folder, state: textOf(swapping) }),
    /** Returns the jobs with changes that the history doesn't know. */
    unrecorded: (): readonly string[] => sql.unrecorded.all().map((row) => Job.parse(row).job),
    markRecorded: (job: string) => void sql.markRecorded.run(job),
    put(id: number, state: ReplacementState): void {
      sql.put.run({
        id,
        kind: state.kind,
        state: textOf(state),
        at: 'at' in state ? state.at : null,
        since: elapsed,
      })
    },
    /** Notes that the user wants originals back, all or none of them. They aren't due again before they were restored. */
    hold: (ids: readonly number[]): void =>
      inTransaction(connection, () => {
        for (const id of ids) sql.hold.run(id)
      }),
    /** Whether an original couldn't be restored, and hasn't been since. */
    isHeld: (id: number): boolean => sql.isHeld.get(id) !== undefined,
    /**
     * Returns what may be deleted: it is older than `age` by the clock, and this journal has observed that much time since then. So a
     * clock that is wrong, in either direction and for any time, deletes nothing early.
     * @param age ms
     * @param patience ms of observed time in addition
     */
    due(age: number, patience: number): readonly StoredReplacement[] {
      elapsed = observe()
      return readable(sql.due.all({ at: clock() - age, since: elapsed - age - patience }))
    },
    forget: (id: number) => void sql.forget.run(id),
    close: () => connection.close(),
  }
}
