/** The journal of replaced originals. Changes are on disk when a method returns. */
import { sep } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction, openDatabase, type Migration } from '../database/index.ts'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import { big, json, State, textOf, Version } from './stored-state.ts'

const migrations: readonly Migration[] = [
  (connection) =>
    connection.exec(`
      CREATE TABLE vaults (path TEXT PRIMARY KEY, device_behind TEXT) STRICT, WITHOUT ROWID;
      CREATE TABLE replacements (
        id INTEGER PRIMARY KEY,
        job TEXT NOT NULL,
        path TEXT NOT NULL,
        version TEXT NOT NULL,
        device_behind TEXT,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        at INTEGER,
        due_since INTEGER,
        owner TEXT,
        told INTEGER NOT NULL DEFAULT 0,
        UNIQUE (job, path)
      ) STRICT;
      CREATE INDEX replacements_kind ON replacements (kind, at);
      CREATE INDEX replacements_untold ON replacements (job) WHERE told = 0;`),
]

const Row = z.object({
  id: z.number(),
  job: z.string(),
  path: z.string(),
  version: json(Version),
  device_behind: big.nullable(),
  state: json(State),
})
const VaultRow = z.object({ path: z.string(), device_behind: big.nullable() })

const replacementIn = (row: unknown): StoredReplacement => {
  const { device_behind, ...rest } = Row.parse(row)
  return { ...rest, behind: device_behind ?? undefined }
}

export type Vault = { readonly path: string; readonly behind: bigint | undefined }

export type Waiting = Pick<StoredReplacement, 'path' | 'version'>

/** An original that was found in a vault. `owner`: mark of the process that moved it there. */
export type Adopted = Omit<StoredReplacement, 'id' | 'state'> & {
  readonly state: Extract<ReplacementState, { readonly kind: 'replaced' | 'swapping' }>
  readonly owner: string
}

export type ReplacementTable = ReturnType<typeof openReplacementTable>

const statementsOn = (connection: DatabaseSync) => ({
  vaults: connection.prepare('SELECT * FROM vaults'),
  addVault: connection.prepare('INSERT OR IGNORE INTO vaults VALUES (?, ?)'),
  add: connection.prepare(
    `INSERT OR IGNORE INTO replacements (job, path, version, device_behind, kind, state, at)
     VALUES (?, ?, ?, ?, 'waiting', '{"kind":"waiting"}', ?)`,
  ),
  // The history knows what happened to them, unless a swap was interrupted.
  adopt: connection.prepare(
    `INSERT OR IGNORE INTO replacements (job, path, version, device_behind, kind, state, at, owner, told)
     VALUES (:job, :path, :version, :behind, :kind, :state, :at, :owner, :kind <> 'swapping')`,
  ),
  get: connection.prepare('SELECT * FROM replacements WHERE id = ?'),
  of: connection.prepare('SELECT * FROM replacements WHERE job = ? ORDER BY id'),
  ofKind: connection.prepare('SELECT * FROM replacements WHERE kind = ? ORDER BY id'),
  waiting: connection.prepare(
    `SELECT * FROM replacements WHERE kind = 'waiting' AND coalesce(at, 0) <= ? ORDER BY id`,
  ),
  inVaults: connection.prepare(
    `SELECT * FROM replacements WHERE kind IN ('replaced', 'restored', 'kept', 'swapping') AND at IS NOT NULL ORDER BY id`,
  ),
  inFolder: connection.prepare(
    `SELECT * FROM replacements
     WHERE (kind = :kind OR (kind = 'swapping' AND json_extract(state, '$.goal') <> 'keep'))
       AND (path = :path OR substr(path, 1, length(:inside)) = :inside)
     ORDER BY at DESC, id DESC`,
  ),
  put: connection.prepare(
    `UPDATE replacements SET kind = :kind, state = :state, at = :at, told = 0, due_since = NULL, owner = :owner WHERE id = :id`,
  ),
  unrecorded: connection.prepare('SELECT DISTINCT job FROM replacements WHERE told = 0'),
  // Originals that wait, such as for a volume or for the next start, must be found again.
  markRecorded: connection.prepare(
    `UPDATE replacements SET told = 1 WHERE job = ? AND told = 0 AND kind NOT IN ('waiting', 'swapping')`,
  ),
  owner: connection.prepare('SELECT owner FROM replacements WHERE id = ?'),
  claim: connection.prepare('UPDATE replacements SET owner = ? WHERE id = ?'),
  release: connection.prepare('UPDATE replacements SET owner = NULL WHERE id = ? AND owner = ?'),
  due: connection.prepare(
    `SELECT * FROM replacements WHERE kind IN ('replaced', 'restored', 'kept') AND at <= ? ORDER BY at`,
  ),
  dueSince: connection.prepare('SELECT due_since FROM replacements WHERE id = ?'),
  setDue: connection.prepare('UPDATE replacements SET due_since = ? WHERE id = ?'),
  notDue: connection.prepare(
    'UPDATE replacements SET due_since = NULL WHERE due_since IS NOT NULL AND (at > ? OR due_since > ?)',
  ),
  forget: connection.prepare('DELETE FROM replacements WHERE id = ?'),
})

/** Runs a transaction without syncing. A power cut may undo it, but ends this process too. Checkpoints still sync, so the file stays intact. */
function withoutSync<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    return inTransaction(connection, work)
  } finally {
    connection.exec('PRAGMA synchronous = FULL')
  }
}

/** @throws if no database can be created there */
export function openReplacementTable(file: string, clock: () => number) {
  const { connection, setAside } = openDatabase({
    file,
    migrations,
    checkWhole: true,
    takeBack: (merging) =>
      merging.exec(`
        INSERT OR IGNORE INTO main.vaults SELECT * FROM aside.vaults;
        INSERT OR IGNORE INTO main.replacements (job, path, version, device_behind, kind, state, at)
          SELECT job, path, version, device_behind, kind, state, at FROM aside.replacements;`),
    clock,
  })
  const sql = statementsOn(connection)
  const Owner = z.object({ owner: z.string().nullable() })
  const Job = z.object({ job: z.string() })
  const Due = z.object({ due_since: z.number().nullable() })

  return {
    setAside,
    vaults: (): readonly Vault[] =>
      sql.vaults.all().map((row) => {
        const { path, device_behind } = VaultRow.parse(row)
        return { path, behind: device_behind ?? undefined }
      }),
    addVault: ({ path, behind }: Vault) =>
      void sql.addVault.run(path, behind === undefined ? null : String(behind)),
    /** Adds the originals of a job before it is sent. Idempotent. */
    add: (job: string, behind: bigint | undefined, originals: readonly Waiting[]) =>
      inTransaction(connection, () => {
        for (const { path, version } of originals)
          sql.add.run(job, path, textOf(version), behind === undefined ? null : String(behind), clock())
      }),
    /** Adds originals that were found in a vault. Leaves those that the journal knows. */
    adopt: (found: readonly Adopted[]) =>
      inTransaction(connection, () => {
        for (const { job, path, version, behind, state, owner } of found)
          sql.adopt.run({
            job,
            path,
            version: textOf(version),
            behind: behind === undefined ? null : String(behind),
            kind: state.kind,
            state: textOf(state),
            at: state.at,
            owner: state.kind === 'swapping' ? owner : null,
          })
      }),
    of: (job: string): readonly StoredReplacement[] => sql.of.all(job).map(replacementIn),
    swapping: (): readonly StoredReplacement[] => sql.ofKind.all('swapping').map(replacementIn),
    /**
     * Returns the originals of jobs that haven't ended.
     * @param before ms since 1970; originals that were added later aren't returned
     */
    waiting: (before: number): readonly StoredReplacement[] => sql.waiting.all(before).map(replacementIn),
    inVaults: (): readonly StoredReplacement[] => sql.inVaults.all().map(replacementIn),
    /** Returns the originals at this path or in this folder, last replaced first, and those that are becoming what is sought. */
    inFolder: (path: string, kind: 'replaced' | 'restored'): readonly StoredReplacement[] =>
      sql.inFolder.all({ kind, path, inside: path.endsWith(sep) ? path : path + sep }).map(replacementIn),
    /** Returns the jobs with changes that the history doesn't know. */
    unrecorded: (): readonly string[] => sql.unrecorded.all().map((row) => Job.parse(row).job),
    markRecorded: (job: string) => void sql.markRecorded.run(job),
    get(id: number): StoredReplacement | undefined {
      const row = sql.get.get(id)
      return row === undefined ? undefined : replacementIn(row)
    },
    put(id: number, state: ReplacementState): void {
      sql.put.run({
        id,
        kind: state.kind,
        state: textOf(state),
        at: 'at' in state ? state.at : null,
        owner: state.kind === 'swapping' ? OWN_MARK : null,
      })
    },
    /** Reserves a replacement for this process. @returns false while another running process has it */
    claim: (id: number): boolean =>
      withoutSync(connection, () => {
        const row = sql.owner.get(id)
        if (row === undefined) return false
        const { owner } = Owner.parse(row)
        if (owner !== null && owner !== OWN_MARK && isOwnerAlive(owner)) return false
        sql.claim.run(OWN_MARK, id)
        return true
      }),
    /** Does nothing if another process has reserved it since. */
    release: (id: number) => void sql.release.run(id, OWN_MARK),
    /**
     * Returns what may be deleted: it is older than `age`, and has been for a while. A clock that is wrong for one run deletes nothing.
     * @param age ms
     * @param now ms since 1970
     * @param decide what to do with an entry of the time `at` that was first found due at `since`, both in ms since 1970: return it, wait,
     * or count from now again
     */
    due(
      age: number,
      now: number,
      decide: (at: number, since: number) => 'return' | 'wait' | 'again',
    ): readonly StoredReplacement[] {
      const before = now - age
      sql.notDue.run(before, now)
      return sql.due
        .all(before)
        .map(replacementIn)
        .filter(({ id, state }) => {
          if (!('at' in state) || state.at === null) return false
          const { due_since: since } = Due.parse(sql.dueSince.get(id))
          const decision = since === null ? 'again' : decide(state.at, since)
          if (decision === 'again') sql.setDue.run(now, id)
          return decision === 'return'
        })
    },
    forget: (id: number) => void sql.forget.run(id),
    close: () => connection.close(),
  }
}
