/**
 * Adds originals to a journal that doesn't know their vault or their job, such as after the old journal was damaged or deleted, or after
 * an older copy of it was restored.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { deviceBehind } from '../../node/mounted-disk.ts'
import { findVaults, noteJournal, noteVault, vaultListOf } from './known-vaults.ts'
import { recordsIn, type OriginalRecord } from './original-record.ts'
import type { Adopted, ReplacementTable } from './replacement-table.ts'
import { exists } from './vault-parts.ts'

type AdoptDeps = {
  /** Path of the journal's database. */
  readonly file: string
  readonly home: string
  readonly log: Log
}

/** Adopts the originals of vaults that are connected. Vaults that fail are tried again the next time. */
export async function adoptOriginals(table: ReplacementTable, { file, home, log }: AdoptDeps): Promise<void> {
  const known = new Set(table.vaults().map(({ path }) => path))
  for (const vault of await findVaults(file, home)) {
    const adopting = known.has(vault) ? adoptUnknownJobs(table, vault) : adoptVault(table, vault, file)
    await adopting.catch((error: unknown) =>
      log('originals not found again', { vault, error: messageOf(error) }),
    )
  }
}

async function adoptVault(table: ReplacementTable, vault: string, journal: string): Promise<void> {
  const behind = await deviceBehind(vault)
  for (const name of await readdir(vault)) table.adopt(await originalsIn(join(vault, name), behind))
  await noteVault(vaultListOf(journal), vault)
  await noteJournal(vault, journal)
  table.addVault({ path: vault, behind })
}

/** The journal knows each job before its first original leaves, so jobs that it doesn't know are younger than the journal. */
async function adoptUnknownJobs(table: ReplacementTable, vault: string): Promise<void> {
  for (const name of await readdir(vault)) {
    const job = join(vault, name)
    if (table.of(job).length === 0) table.adopt(await originalsIn(job, await deviceBehind(vault)))
  }
}

async function originalsIn(job: string, behind: bigint | undefined): Promise<readonly Adopted[]> {
  const found: Adopted[] = []
  for (const record of await recordsIn(job)) {
    const one = await adoptedFrom(record, job, behind)
    if (one !== undefined) found.push(one)
  }
  return found
}

/**
 * Returns an original's entry for the journal; undefined if it isn't in the vault anymore. A volume may come from another computer, so
 * its descriptions can't name places outside it.
 */
async function adoptedFrom(
  { owner, version, result, at, ...record }: OriginalRecord,
  job: string,
  behind: bigint | undefined,
): Promise<Adopted | undefined> {
  const vault = dirname(job)
  // The volume may be mounted somewhere else now.
  const moved = (file: string) => rebased(file, dirname(dirname(record.job)), dirname(vault))
  const [path, place] = [moved(record.path), moved(record.place)]
  const original = join(job, 'originals', basename(record.original))
  const from = rebased(record.from, record.job, job)
  if (!(await exists(original))) return undefined
  const { dev } = await stat(vault, { bigint: true })
  if ((await deviceFor(path)) !== dev || (await deviceFor(place)) !== dev) return undefined
  const isInterrupted = isBelow(from, job, process.platform) && !(await exists(place)) && (await exists(from))
  return {
    job,
    path,
    version,
    behind,
    owner,
    state: isInterrupted
      ? {
          kind: 'swapping',
          goal: 'replace',
          swap: {
            leaving: { from: path, to: original, version },
            entering: { from, to: place, version: result },
            reserved: null,
          },
          result,
          at,
        }
      : { kind: 'replaced', place, original, result, at },
  }
}

const rebased = (path: string, from: string, to: string): string =>
  from !== to && isBelow(path, from, process.platform) ? join(to, relative(from, path)) : path

/** Returns the device of the nearest folder of a path that exists and that the user can access. */
async function deviceFor(path: string): Promise<bigint | undefined> {
  const folder = dirname(path)
  const found = await stat(folder, { bigint: true }).catch(() => undefined)
  return found === undefined && folder !== path ? deviceFor(folder) : found?.dev
}
