/**
 * Replaces originals with their results and keeps the originals, so that every replacement can be undone. Each volume has one vault: a
 * hidden folder that only the user can enter. Every step is noted in a journal before it is taken, and a later run finishes what a crash
 * interrupted (docs/decisions/replacing.md).
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import { createSerialQueue, createTurns } from '../../node/serial-queue.ts'
import { rightsFrom, type FolderRights } from '../../node/opened-folder.ts'
import { syncFoldersOf } from '../../node/sync-folder.ts'
import { once } from '../../shared/once.ts'
import {
  isInVault,
  type ReplacedAnyway,
  type Replacement,
  type Restored,
  type VaultTotals,
} from '../../shared/model/replacement.ts'
import { adoptOriginals } from './adopt-originals.ts'
import { NO_VERSION, readVersion, type FileVersion } from './file-version.ts'
import { findExpired, findOriginals } from './find-originals.ts'
import { jobOperations } from './job-operations.ts'
import {
  findVaults,
  hasVaultIn,
  noteJournal,
  noteVault,
  otherJournalOf,
  vaultListOf,
} from './known-vaults.ts'
import { locateVaults } from './locate-vaults.ts'
import { NOTHING_PLACED, placedFiles, type PlacedFiles } from './placed-files.ts'
import { realPlaceOf, type Identities } from './real-place.ts'
import { createReplacingAnyway } from './replace-anyway.ts'
import { createReplacing, type IsGood, type KeepAll } from './replace-original.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Readable } from './stored-state.ts'
import { createReplacementTable, hasReplacements, type ReplacementTable } from './replacement-table.ts'
import { createRestoring } from './restore-original.ts'
import { createTidying, type FinishedSwap, type WaitingIn } from './tidy-vault.ts'
import { findVault, OriginalInVault, requireAnyRemovable, VAULT_PREFIX } from './vault-folder.ts'
import { contentsOf, totalsOf, viewOf } from './vault-view.ts'
import { dayOf, jobOf, outputOf, RESULTS, type VaultParts } from './vault-parts.ts'

export type VaultOptions = {
  /** Path of the database, which identifies the journal. */
  readonly file: string
  /** Has the journal's tables. */
  readonly connection: DatabaseSync
  readonly home: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Days after which originals are deleted; null keeps them. `unreadable`: the user's choice can't be read. */
  readonly keepDays: () =>
    | { readonly from: 'choice' | 'default'; readonly days: number | null }
    | { readonly from: 'unreadable' }
  /** Called with the user's last choice if the settings no longer have it. */
  readonly onKeepDays: (days: number | null) => void
  /**
   * Called with a path and a version before a file is moved to this path, so that watched folders ignore it even after a crash. If the call
   * fails, the file isn't moved.
   */
  readonly notePlacing: (
    path: string,
    version: Pick<FileVersion, 'size' | 'sha256' | 'inode' | 'born'>,
    kind: 'result' | 'original',
  ) => void
  readonly onChange: () => void
  /**
   * Called with the new paths of files that were moved out of the vault instead of deleted, because another program had changed them there.
   */
  readonly onReleased: (places: readonly string[]) => void
  readonly log: Log
}

export type JobOriginals = { readonly output: string; readonly paths: readonly string[] }

export type Vault = ReturnType<typeof openVault>

/** Whether a folder is the output folder of a job that replaces originals. */
export const isVaultOutput = (folder: string): boolean =>
  basename(folder) === RESULTS && basename(dirname(jobOf(folder))).startsWith(VAULT_PREFIX)

export function openVault(options: VaultOptions) {
  const { clock, onChange, log } = options
  // Opened on first use, because most owners never need the journal.
  const opened = once(() => createReplacementTable(options.connection, clock))
  let isStopped = false
  const queue = createSerialQueue((error) => log('replacing failed', { error: messageOf(error) }))

  function put(id: number, state: Readable): void {
    opened().put(id, state)
    onChange()
  }

  const onPlacing: VaultParts['onPlacing'] = async (path, version, kind) =>
    options.notePlacing(path, version, kind ?? 'result')
  const managerOf: VaultParts['managerOf'] = async (vault) => {
    const other = await otherJournalOf(vault, options.file)
    return other === undefined ? undefined : dirname(other)
  }
  const vaultFolders = { vaultFor: (folder: string) => nextVault(folder), managerOf }
  const parts: VaultParts = { table: opened, clock, put, onPlacing, ...vaultFolders }
  const replacing = createReplacing(parts)
  const restoring = createRestoring(parts)
  const keepDays = keepDaysOf(opened, options)
  const tidying = createTidying({ ...options, ...parts, keepDays }, replacing, restoring)

  const operations = jobOperations({
    table: opened,
    isStopped: () => isStopped,
    replacing,
    restoring,
    replaceAnyway: createReplacingAnyway(parts, replacing),
    recover: (one) => tidying.recover(one),
    log,
  })

  async function adopt(near?: string): Promise<void> {
    noteKeepDays(opened(), options)
    await locateVaults(opened(), options, near)
    await adoptOriginals(opened(), options)
  }

  /** Finds one vault at a time, so that jobs of several watched folders don't each create one. */
  const findInTurn = createTurns()
  const nextVault = (folder: string): Promise<string> => findInTurn(() => vaultFor(folder, opened(), options))

  /**
   * Prepares a job that will replace the originals of one folder: records their versions, and creates the job's output folder in the vault.
   * Call this before the job is submitted.
   * @param paths absolute, all in the same folder
   * @param identities of the accepted originals, by path
   * @returns the output folder
   * @throws OriginalInVault, or the file system's error if originals can't be moved out of their folder
   */
  async function prepare(paths: readonly string[], identities: Identities = new Map()): Promise<string> {
    const [first = ''] = paths
    if (isInVault(first)) throw new OriginalInVault(first)
    await requireAnyRemovable(paths)
    const vault = await nextVault(dirname(first))
    return addJob(vault, paths, identities, opened(), options)
  }

  /** Returns the job's originals; empty for a job that replaces nothing. */
  const of = (output: string) =>
    opened()
      .of(jobOf(output))
      .map((one) => viewOf(one, keepDays()))

  /** Removes the job's folder for results once it isn't needed. Returns the job's originals. */
  async function removeUnused(output: string): Promise<readonly Replacement[]> {
    const replacements = of(output)
    // The service may still write the results of waiting originals, and an open swap needs its folder.
    if (replacements.every(({ state }) => state.kind !== 'waiting'))
      await rmdir(output).catch(() => undefined)
    return replacements
  }

  /** Whether originals may have been replaced before, even if the journal was deleted. Cheap: doesn't search the vaults. */
  const isUsed = createUsedCheck(options)

  return {
    prepare,
    /**
     * Replaces originals of a finished job, one after the other. Idempotent.
     * @param results the path of each original's result; undefined if there is none
     * @param check a function that decodes a result completely and compares it with what its preset promises; or a reason to keep all
     * originals that haven't been replaced yet. The results of a canceled job are deleted
     * @param isCancelled called before each file. Returns whether the user has canceled in the meantime, so that the remaining originals
     * are kept
     * @param isRepeated whether changed originals are processed again, so that their results are deleted
     * @throws if a disk is full, or for an error that isn't about one of the files, for example an error of the journal; call this again
     * later
     */
    async replaceAll(
      output: string,
      results: ReadonlyMap<string, string | undefined>,
      check: IsGood | KeepAll,
      isCancelled = () => false,
      isRepeated = false,
    ): Promise<readonly Replacement[]> {
      await queue.next(() => operations.replaceAll(output, results, check, isCancelled, isRepeated))
      return removeUnused(output)
    },
    /**
     * Replaces one original that was kept because something would be lost. Call this only after the user has confirmed it. If either file has
     * changed or an error occurs, the original stays, and the result stays or moves back next to it.
     * @param check a function that decodes the result completely and compares it with what its preset promises
     * @returns undefined if the job doesn't have the original, or once the vault is closed
     */
    async replaceAnyway(output: string, path: string, check: IsGood): Promise<ReplacedAnyway | undefined> {
      const ended = await queue.next(() => operations.replaceAnyway(output, path, check))
      await removeUnused(output)
      return ended
    },
    of,
    ...recordsIn(opened, isUsed),
    /**
     * Prevents the expiry of originals that will be restored; by default, of all originals of the job. Call this before restoring originals
     * of several jobs.
     */
    retain: (output: string, paths?: readonly string[]): void => operations.retain(output, paths),
    /**
     * Restores originals, all of the job's by default. Results that weren't edited move to the vault, so that `redo` can replace the
     * originals again.
     */
    undo: async (output: string, paths?: readonly string[]): Promise<readonly Restored[]> =>
      (await queue.next(() => operations.undo(output, paths))) ?? [],
    redo: async (output: string, paths?: readonly string[]): Promise<readonly Restored[]> =>
      (await queue.next(() => operations.redo(output, paths))) ?? [],
    /**
     * Returns the originals at this path or in this folder, by job. The path may also belong to a file that replaced one.
     * @returns in the order in which they can be changed: the last replacement is undone first
     */
    async inFolder(path: string, kind: 'replaced' | 'restored'): Promise<readonly JobOriginals[]> {
      const found = await findOriginals(opened(), path, kind)
      return byJob(kind === 'replaced' ? found : found.toReversed())
    },
    /**
     * Returns the paths of a folder's replaced originals that can't be restored, or of its restored ones that can't be replaced again,
     * because the file in the vault has expired.
     */
    expiredIn: (path: string, was: 'replaced' | 'restored'): Promise<readonly string[]> =>
      findExpired(opened(), path, was),
    isUsed,
    /** Returns the days after which originals are deleted; null for never. */
    keepDays: (): number | null => (isUsed() ? keepDays() : daysIn(options.keepDays())),
    totals: async (): Promise<VaultTotals> => totalsOf(opened(), await allVaults(opened(), options)),
    /**
     * Returns what the vaults know about files outside them, even if the journal doesn't.
     * @param isKnown whether the caller knows the files of a job in this state
     */
    async placed(isKnown: (job: string) => boolean): Promise<PlacedFiles> {
      if (!isUsed()) return NOTHING_PLACED
      await queue.next(adopt)
      return placedFiles(await allVaults(opened(), options), isKnown)
    },
    /**
     * Deletes the files in the vaults permanently, except on volumes that aren't connected. Files that a program has changed in the vault
     * are moved to the folders of their originals instead.
     * @param unrestored whether to delete even originals whose undo failed; false by default
     */
    empty: (unrestored = false): Promise<void> => queue.next(() => tidying.empty(unrestored)),
    /**
     * Finishes swaps that a crash interrupted, and finds the originals again if the journal was damaged or deleted.
     * @param near absolute path; also searched, with its parent folders, for vaults that have moved
     * @returns each interrupted undo or redo that is now finished
     */
    recover: async (near?: string): Promise<readonly FinishedSwap[]> =>
      (await queue.next(() => adopt(near).then(() => tidying.recoverAll()))) ?? [],
    /**
     * Does what `recover` does, and deletes leftover and expired files.
     * @param isOpen whether the job with this output folder hasn't ended yet
     * @param waitingIn returns the originals that a job with this output folder has yet to replace
     */
    tidy: (isOpen: (output: string) => boolean, waitingIn: WaitingIn = () => []): Promise<void> =>
      queue.next(() => adopt().then(() => tidying.tidy(isOpen, waitingIn))),
    /** Ends running operations before their next file. */
    stop(): void {
      isStopped = true
    },
    async close(): Promise<void> {
      isStopped = true
      await queue.close()
    },
  }
}

/**
 * Creates a function that returns how many days to keep originals. If the settings don't have the user's choice, for example because they
 * were damaged, it returns the journal's last choice, so that originals aren't deleted earlier than the user wants.
 */
const keepDaysOf =
  (table: () => ReplacementTable, { keepDays }: Pick<VaultOptions, 'keepDays'>) =>
  () => {
    const choice = keepDays()
    return choice.from === 'choice' ? choice.days : (table().keepDays() ?? { days: daysIn(choice) }).days
  }

/** Returns the days to keep originals. If the choice is unknown, returns null, which keeps them. */
const daysIn = (choice: ReturnType<VaultOptions['keepDays']>): number | null =>
  choice.from === 'unreadable' ? null : choice.days

function noteKeepDays(table: ReplacementTable, { keepDays, onKeepDays }: VaultOptions): void {
  const choice = keepDays()
  const last = table.keepDays()
  if (choice.from === 'choice' && last?.days !== choice.days) table.noteKeepDays(choice.days)
  if (choice.from === 'default' && last !== undefined) onKeepDays(last.days)
}

/** Returns the operations that only read or change the journal, but no files. */
const recordsIn = (table: () => ReplacementTable, isUsed: () => boolean) => ({
  /**
   * Returns the SHA-256 of each result of the job that is outside the vault, by its path. Another file may be there by now, such as the
   * next photo that a camera calls IMG_0001.
   */
  contentsOf: (output: string): ReadonlyMap<string, string> => contentsOf(table().of(jobOf(output))),
  /** Returns the paths of the originals that the user has restored, and that no later job has replaced. */
  restored: (): readonly string[] => (isUsed() ? table().restored() : []),
  /** Returns the output folders of jobs whose changes the history doesn't have yet. */
  unrecorded: (): readonly string[] => table().unrecorded().map(outputOf),
  /** Call this when the history has the job's current state. Originals that still wait stay unrecorded. */
  markRecorded: (output: string): void => table().markRecorded(jobOf(output)),
})

const byJob = (originals: readonly StoredReplacement[]): readonly JobOriginals[] =>
  [...Map.groupBy(originals, ({ job }) => job)].map(([job, own]) => ({
    output: outputOf(job),
    paths: own.map(({ path }) => path),
  }))

type Files = Pick<VaultOptions, 'file' | 'home'>

function createUsedCheck({ file, home, connection }: VaultOptions): () => boolean {
  const isInHome = once(() => hasVaultIn(home))
  return () => hasReplacements(connection) || existsSync(vaultListOf(file)) || isInHome()
}

/** Returns the connected vaults, including those that aren't in the journal. */
const allVaults = (table: ReplacementTable, { file, home }: Files): Promise<readonly string[]> =>
  findVaults(file, home, new Set(table.vaults().map(({ path }) => path)))

/** Creates a job's folder in a vault, and records its originals. @returns its output folder */
async function addJob(
  vault: string,
  paths: readonly string[],
  identities: Identities,
  table: ReplacementTable,
  { clock, log }: Pick<VaultOptions, 'clock' | 'log'>,
): Promise<string> {
  const job = join(vault, `${dayOf(clock())}-${randomBytes(6).toString('hex')}`)
  await mkdir(job, { mode: 0o700 })
  await mkdir(outputOf(job), { mode: 0o700 })
  await syncFoldersOf(outputOf(job), job, vault)
  const originals = []
  let rights: readonly FolderRights[] | undefined
  for (const path of paths) {
    const target = await realPlaceOf(path, identities.get(path))
    const version = await readVersion(target).catch((error: unknown) =>
      log('original not read', { error: messageOf(error) }),
    )
    rights ??= await rightsFrom(dirname(target)).catch(() => [])
    originals.push({ path, target, version: version ?? NO_VERSION, rights })
  }
  table.add(job, originals)
  return outputOf(job)
}

/** Returns the vault for the originals in a folder, and notes it in the journal and in the list. */
async function vaultFor(folder: string, table: ReplacementTable, options: VaultOptions): Promise<string> {
  await locateVaults(table, options, folder)
  await adoptOriginals(table, options)
  const known = table.vaults().map(({ path }) => path)
  const vault = await findVault(folder, known, options.home)
  await noteVault(vaultListOf(options.file), vault)
  await noteJournal(vault, options.file)
  if (!known.includes(vault)) table.putVault(vault)
  return vault
}
