/** The journal of replaced originals. Changes are on disk when a method returns. */
import { basename, sep } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import {
  flag,
  integer,
  inTransaction,
  json,
  nullable,
  preparing,
  type RowOf,
  rowsOf,
  serial,
  table,
  text,
  tolerant,
} from '../database/index.ts'
import { NO_VERSION } from './file-version.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import { observedAfter } from './observed-time.ts'
import { movedText, Rights, State, textOf, Version, type Readable, type Swapping } from './stored-state.ts'

const Vaults = table('vaults', { name: text, path: text }, { key: ['name'] })

/** `at` is in ms since 1970, and `since` in ms of observed time. */
const Replacements = table(
  'replacements',
  {
    id: serial,
    job: text,
    path: text,
    folder: text,
    target: text,
    version: tolerant(json(Version, textOf)),
    rights: tolerant(json(Rights)),
    kind: text,
    state: tolerant(json<Readable>(State, textOf)),
    at: nullable(tolerant<number | null>(integer, null)),
    since: nullable(tolerant<number | null>(integer, null)),
    /** Whether the user wants the original back. */
    isRetained: tolerant(flag, true),
    /** Whether the history has recorded what happened to the original. */
    isTold: tolerant(flag, false),
  },
  {
    key: ['id'],
    also: ['UNIQUE (job, path)'],
    indexes: {
      folder: '(folder)',
      target: '(target, kind)',
      kind: '(kind, at)',
      untold: '(job) WHERE isTold = 0',
    },
  },
)

/** The same rows, with the JSON columns as plain text, so that unreadable values stay as they are. */
const Texts = table(
  'replacements',
  { ...Replacements.columns, version: text, rights: text, state: text, isRetained: flag, isTold: flag },
  { key: ['id'] },
)

const Time = table(
  'observed_time',
  { id: integer, latest: integer, elapsed: integer, earlier: nullable(integer), behind: integer },
  { key: ['id'] },
)
const Keeping = table('keeping', { id: integer, days: nullable(integer) }, { key: ['id'] })

export const VAULT_TABLES = [Vaults, Replacements, Time, Keeping] as const

/** The key of the only row in a single-row table. */
const ONLY = { id: 1 } as const

const NEW = { isRetained: false, isTold: false } as const

/** Reads an entry. An entry that can't be read affects only its own original, which stays in its vault. */
function replacementIn(row: RowOf<typeof Replacements>): StoredReplacement {
  const { id, job, path, folder, target, version, rights, state } = row
  const place = { id, job, path, folder, target }
  return version === undefined || rights === undefined || state === undefined
    ? { ...place, version: NO_VERSION, rights: [], state: { kind: 'unreadable' } }
    : { ...place, version, rights, state }
}

/** `name`: the random name of the vault's folder, which identifies the vault on any volume and at any mount point. */
export type Vault = RowOf<typeof Vaults>

export type Waiting = Pick<StoredReplacement, 'path' | 'target' | 'version' | 'rights'>

export type MovePath = (path: string) => string

export type Adopted = Omit<StoredReplacement, 'id' | 'state'> & {
  readonly state: Extract<ReplacementState, { readonly kind: 'replaced' | 'swapping' }>
}

export type ReplacementTable = ReturnType<typeof createReplacementTable>

const all = (rows: readonly RowOf<typeof Replacements>[]): readonly StoredReplacement[] =>
  rows.map(replacementIn)

const readable = (rows: readonly RowOf<typeof Replacements>[]): readonly StoredReplacement[] =>
  all(rows).filter(({ state }) => state.kind !== 'unreadable')

function readingsFrom(connection: DatabaseSync) {
  const rows = rowsOf(connection, Replacements)
  const keeping = rowsOf(connection, Keeping)
  const ofKind = (kind: ReplacementState['kind']) => rows.where`kind = ${kind} ORDER BY id`
  return {
    /** @param job the folder of the job when it was prepared */
    of: (job: string) => all(rows.where`job = ${job} ORDER BY id`),
    /** @param folder the folder of the job now */
    inJobFolder: (folder: string) => all(rows.where`folder = ${folder} ORDER BY id`),
    inVault: (vault: string) =>
      all(rows.where`substr(folder, 1, length(${vault + sep})) = ${vault + sep} ORDER BY id`),
    /**
     * Returns the user's last choice: the days after which originals are deleted, or null for never. Returns undefined if there is none.
     */
    keepDays: () => keeping.only('days').get(ONLY),
    /** Returns the folders that the jobs in a vault had when they were prepared. */
    jobsIn: (vault: string): readonly string[] =>
      rows.only('job').where`substr(folder, 1, length(${vault + sep})) = ${vault + sep} GROUP BY job`.map(
        ({ job }) => job,
      ),
    swapping: () => readable(ofKind('swapping')),
    /**
     * Returns the originals of jobs that haven't ended.
     * @param before ms since 1970; originals that were added later aren't returned
     */
    waiting: (before: number) =>
      readable(rows.where`kind = 'waiting' AND coalesce(at, 0) <= ${before} ORDER BY id`),
    inVaults: () =>
      readable(
        rows.where`kind IN ('replaced', 'restored', 'kept', 'swapping') AND at IS NOT NULL ORDER BY id`,
      ),
    /** Returns originals of this kind and those with an unfinished replacement, undo or redo; the most recently replaced ones first. */
    becoming: (kind: 'replaced' | 'restored') =>
      all(
        rows.where`kind = ${kind}
          OR (kind = 'swapping' AND iif(json_valid(state), json_extract(state, '$.goal'), '') <> 'keep')
          ORDER BY at DESC, id DESC`,
      ),
    /** Returns the paths of the originals that the user has restored, and that no later job has replaced. */
    restored: (): readonly string[] =>
      // A restored original still counts as restored after its result has expired.
      rows.only('path')
        .where`(kind = 'restored' OR iif(kind = 'expired' AND json_valid(state), json_extract(state, '$.was'), '') = 'restored')
          AND NOT EXISTS (SELECT 1 FROM replacements AS later
            WHERE later.target = replacements.target AND later.kind = 'replaced' AND later.id > replacements.id)`.map(
        ({ path }) => path,
      ),
    /** Returns the paths of originals whose file was deleted from the vault: the original, or the result of a restored one. */
    expired: (was: 'replaced' | 'restored') =>
      // If there is a later job, it has the original.
      rows.only('path', 'target')
        .where`kind = 'expired' AND iif(json_valid(state), coalesce(json_extract(state, '$.was'), 'replaced'), '') = ${was}
          AND NOT EXISTS (SELECT 1 FROM replacements AS later
            WHERE later.target = replacements.target AND later.id > replacements.id)`,
    /** Returns the replacements of the file at this path, including expired ones, whose original may have been restored before (`was`). */
    replacedAt: (path: string) =>
      readable(rows.where`target = ${path} AND kind IN ('replaced', 'expired') ORDER BY id`),
    get(id: number): StoredReplacement | undefined {
      const row = rows.get({ id })
      return row && replacementIn(row)
    },
  }
}

export const hasReplacements = (connection: DatabaseSync): boolean =>
  rowsOf(connection, Vaults).has({}) || rowsOf(connection, Replacements).has({})

export function createReplacementTable(connection: DatabaseSync, clock: () => number) {
  const rows = rowsOf(connection, Replacements)
  const texts = rowsOf(connection, Texts)
  const vaults = rowsOf(connection, Vaults)
  const time = rowsOf(connection, Time)
  const keeping = rowsOf(connection, Keeping)
  const sql = preparing(connection)

  /** Records the time that has passed. @returns the total observed time in ms; the last recorded one if it can't be written */
  function observe(): number {
    const known = time.get(ONLY)
    try {
      const observed = observedAfter(known, clock())
      time.put({ ...ONLY, ...observed })
      return observed.elapsed
    } catch {
      return known?.elapsed ?? 0
    }
  }
  let elapsed = observe()

  return {
    ...readingsFrom(connection),
    vaults: (): readonly Vault[] => vaults.all(),
    noteKeepDays: (days: number | null): void => keeping.put({ ...ONLY, days }),
    putVault: (path: string): void => vaults.put({ name: basename(path), path }),
    /** Adds the originals of a job before it is sent. Idempotent. */
    add: (job: string, originals: readonly Waiting[]): void =>
      inTransaction(connection, () => {
        const waiting = { kind: 'waiting', state: { kind: 'waiting' }, ...NEW } as const
        for (const { path, target, version, rights } of originals)
          rows.add({ job, path, folder: job, target, version, rights, ...waiting, at: clock() })
      }),
    /** Adds an unreadable entry for each of a job's originals that the journal doesn't have. */
    addUnreadable: (job: string, paths: readonly string[]): void =>
      inTransaction(connection, () => {
        const known = new Set(rows.where`job = ${job}`.map(({ path }) => path))
        const unknown = { version: '', rights: '', kind: 'waiting', state: '', ...NEW }
        for (const path of paths.filter((one) => !known.has(one)))
          texts.insert({ job, path, folder: job, target: path, ...unknown, at: clock() })
      }),
    /** Adds originals that were found in a vault, or updates entries that are older than the vault. */
    adopt: (found: readonly Adopted[]): void =>
      inTransaction(connection, () => {
        for (const { job, path, ...now } of found) {
          const { kind, at } = now.state
          const adopted = { ...now, kind, at, since: elapsed }
          // If the journal had no entry, the history knows what happened to the original, unless a swap was interrupted.
          const isTold = kind !== 'swapping'
          if (!rows.add({ job, path, ...adopted, isRetained: false, isTold }))
            rows.update({ job, path }, { ...adopted, isTold: false })
        }
      }),
    /** Notes that a vault is at another path. @param moveOf returns how the paths of an original change */
    moveVault: (from: string, to: string, moveOf: (id: number) => MovePath): void =>
      inTransaction(connection, () => {
        const inside = from + sep
        const moving = texts.where`substr(folder, 1, length(${inside})) = ${inside}`
        for (const { id, folder, target, state } of moving) {
          const move = moveOf(id)
          texts.update({ id }, { folder: move(folder), target: move(target), state: movedText(state, move) })
          rows.update({ id }, { isTold: false })
        }
        vaults.put({ name: basename(to), path: to })
      }),
    /** Notes that the folder of an original is somewhere else. */
    putPlace: ({ id, folder, target, state }: StoredReplacement): void =>
      void rows.update({ id }, { folder, target, ...stateOf(state), isTold: false }),
    moveToVault: (id: number, folder: string, swapping: Swapping): void =>
      void rows.update({ id }, { folder, state: swapping }),
    /** Returns the jobs with changes that the history doesn't know. */
    unrecorded: (): readonly string[] =>
      rows.only('job').where`isTold = 0 GROUP BY job`.map(({ job }) => job),
    markRecorded: (job: string): void =>
      // Originals that still wait, for example for a volume or for the next start, must be found again.
      void sql(
        `UPDATE replacements SET isTold = 1 WHERE job = ? AND isTold = 0 AND kind NOT IN ('waiting', 'swapping')`,
      ).run(job),
    put(id: number, state: Readable): void {
      const before = rows.only('at', 'since', 'isRetained').get({ id })
      if (before === undefined) return
      const { kind } = state
      const at = 'at' in state ? state.at : null
      const isRetained = before.isRetained && (kind === 'swapping' || kind === 'replaced')
      const since = before.at === at ? (before.since ?? elapsed) : elapsed
      rows.update({ id }, { kind, state, at, since, isRetained, isTold: false })
    },
    /** Notes in one transaction that the user wants these originals back. They don't expire until they have been restored. */
    retain: (ids: readonly number[]): void =>
      inTransaction(connection, () => {
        for (const id of ids) rows.update({ id }, { isRetained: true })
      }),
    /** Whether the user wants back an original that hasn't been restored yet. */
    isRetained: (id: number): boolean => rows.has({ id, isRetained: true, kind: 'replaced' }),
    /**
     * Returns the entries whose files may be deleted: they aren't retained, and their state is older than `age`, both by the clock and by
     * the time that this journal has observed. A wrong clock therefore never causes an early deletion, whether it is ahead or behind, and
     * regardless of how long.
     * @param age ms
     * @param patience additional ms of observed time
     */
    due(age: number, patience: number): readonly StoredReplacement[] {
      elapsed = observe()
      return readable(
        rows.where`kind IN ('replaced', 'restored', 'kept') AND isRetained = 0
          AND at <= ${clock() - age} AND since <= ${elapsed - age - patience} ORDER BY at`,
      )
    },
    forget: (id: number): void => void rows.remove({ id }),
  }
}

/** Returns the change of the `state` column. A state that couldn't be read stays as it is. */
const stateOf = (state: ReplacementState) => (state.kind === 'unreadable' ? {} : { state })
