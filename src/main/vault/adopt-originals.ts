/**
 * Brings the journal up to date with the vaults. Adds originals that the journal doesn't know, for example after it was damaged or deleted.
 * Updates entries that are older than the vaults, for example after an older copy of the journal was restored.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { hasContentOf } from './file-version.ts'
import { findVaults, noteJournal, noteVault, vaultListOf } from './known-vaults.ts'
import { rebased, relocate } from './locate-vaults.ts'
import { recordsIn, type OriginalRecord } from './original-record.ts'
import type { Adopted, ReplacementTable } from './replacement-table.ts'
import { exists, ORIGINALS, REPLACED, statOf } from './vault-parts.ts'
import { isOwnVault } from './vault-folder.ts'
import { fileIn, unlistedIn } from './vault-view.ts'

/** Adopts the originals of connected vaults, except those of other journals. Logs vaults that fail. The next call tries them again. */
export async function adoptOriginals(
  table: ReplacementTable,
  deps: {
    /** Path of the journal's database. */
    readonly file: string
    readonly home: string
    readonly log: Log
  },
): Promise<void> {
  const { file, home, log } = deps
  const known = new Set(table.vaults().map(({ path }) => path))
  for (const vault of await findVaults(file, home, known))
    await adoptVault(table, vault, file).catch((error: unknown) =>
      log('originals not found again', { vault, error: messageOf(error) }),
    )
}

async function adoptVault(table: ReplacementTable, vault: string, journal: string): Promise<void> {
  const known = table.vaults().find(({ name }) => name === basename(vault))
  if (known !== undefined && known.path !== vault) {
    // If the vault is still at its known path, this one is a copy, for example on a backup disk.
    if (await isOwnVault(known.path)) return
    // The vault wasn't found at its known path, for example because its disk responded too late.
    await relocate(table, known.path, vault)
  }
  for (const name of await readdir(vault)) {
    await noteRestored(table, join(vault, name))
    await adoptJob(table, join(vault, name))
  }
  await noteVault(vaultListOf(journal), vault)
  await noteJournal(vault, journal)
  table.putVault(vault)
}

/** Updates entries whose originals have been restored since the journal was copied. The results of these originals are in the vault. */
async function noteRestored(table: ReplacementTable, folder: string): Promise<void> {
  const found = (await readdir(join(folder, REPLACED)).catch(() => [])).map((name) =>
    join(folder, REPLACED, name),
  )
  const known = new Set(table.inJobFolder(folder).map(({ state }) => fileIn(state)))
  const unknown = found.filter((path) => !known.has(path))
  if (unknown.length === 0) return
  const records = await recordsIn(folder)
  for (const result of unknown)
    for (const record of await recordsOf(result, records))
      if (await noteRestoredOf(table, folder, record, result)) break
}

/** Returns the descriptions of the originals that a file in the vault may have been made from, most likely first. */
async function recordsOf(
  result: string,
  records: readonly OriginalRecord[],
): Promise<readonly OriginalRecord[]> {
  const inode = (await statOf(result))?.ino
  const same = await Promise.all(records.map((record) => hasContentOf(result, record.result)))
  // A program may have edited the result, which keeps its inode.
  const saved = records.filter((record) => record.result.inode === inode)
  return [...records.filter((_, index) => same[index]), ...saved]
}

/** Updates an original's entry if it is older than the vault. @returns whether it was updated */
async function noteRestoredOf(
  table: ReplacementTable,
  folder: string,
  { job, path, original, result: version, at }: OriginalRecord,
  result: string,
): Promise<boolean> {
  const entry = () => table.inJobFolder(folder).find((one) => one.job === job && one.path === path)
  const before = entry()?.state
  if (before?.kind === 'replaced' && (await exists(before.original))) return false
  if (await exists(join(folder, ORIGINALS, basename(original)))) return false
  const known = entry()
  // The user may have begun to replace or restore the original in the meantime.
  if (known === undefined || known.state.kind !== before?.kind) return false
  const { id, target, state } = known
  if (state.kind === 'swapping' || state.kind === 'restored' || state.kind === 'unreadable') return false
  table.put(id, { kind: 'restored', place: target, result, version, at, restoredAt: null })
  return true
}

/**
 * Adds the job's originals that the journal lacks. The journal notes each original before the original is moved, so a missing entry means
 * that the journal is older than the vault.
 */
async function adoptJob(table: ReplacementTable, folder: string): Promise<void> {
  const unlisted = await unlistedIn(table, folder)
  if (unlisted.length === 0) return
  for (const record of await recordsIn(folder)) {
    if (!unlisted.includes(basename(record.original)) || (await isRemainder(table, record, folder))) continue
    const adopted = await adoptedFrom(record, folder)
    if (adopted !== undefined && (await unlistedIn(table, folder)).includes(basename(record.original)))
      table.adopt([adopted])
  }
}

/**
 * Whether an original's file is only a leftover: according to the journal, the original is now in another vault, or this replacement of it
 * has ended there. Also true during a swap.
 */
async function isRemainder(
  table: ReplacementTable,
  { job, path, at }: OriginalRecord,
  folder: string,
): Promise<boolean> {
  const known = table.of(job).find((one) => one.path === path)
  if (known === undefined) return false
  const { state } = known
  if (state.kind === 'swapping') return true
  if (state.kind === 'waiting' || state.kind === 'unreadable' || known.folder === folder) return false
  return state.kind === 'replaced' ? exists(state.original) : state.at === at
}

/**
 * Returns an original's entry for the journal; undefined if the original isn't in the vault anymore. Also undefined if the description has
 * paths outside the volume, because the volume may come from another computer.
 * @param folder the job's folder now
 */
async function adoptedFrom(
  { version, rights, result, at, job, path, ...record }: OriginalRecord,
  folder: string,
): Promise<Adopted | undefined> {
  const vault = dirname(folder)
  // The volume may be mounted somewhere else now.
  const moved = (file: string) => rebased(file, dirname(dirname(record.folder)), dirname(vault))
  const [target, place] = [moved(record.target), moved(record.place)]
  const original = join(folder, ORIGINALS, basename(record.original))
  const from = rebased(record.from, record.folder, folder)
  if (!(await exists(original))) return undefined
  const { dev } = await stat(vault, { bigint: true })
  if ((await deviceFor(target)) !== dev || (await deviceFor(place)) !== dev) return undefined
  const isInterrupted =
    isBelow(from, folder, process.platform) && !(await exists(place)) && (await exists(from))
  return {
    job,
    path,
    folder,
    target,
    version,
    rights,
    state: isInterrupted
      ? {
          kind: 'swapping',
          goal: 'replace',
          swap: {
            leaving: { from: target, to: original, version },
            entering: { from, to: place, version: result },
            reserved: null,
            copied: null,
          },
          result,
          at,
        }
      : { kind: 'replaced', place, original, result, at },
  }
}

/** Returns the device of a path's nearest parent folder that exists and that the user can access; undefined if there is none. */
async function deviceFor(path: string): Promise<bigint | undefined> {
  const folder = dirname(path)
  const found = await stat(folder, { bigint: true }).catch(() => undefined)
  return found === undefined && folder !== path ? deviceFor(folder) : found?.dev
}
