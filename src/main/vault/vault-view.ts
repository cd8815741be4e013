/** What users see of replaced originals. */
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { Replacement, VaultTotals } from '../../shared/model/replacement.ts'
import type { StoredReplacement, Swapping } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { isOwnVault, VAULT_PREFIX } from './vault-folder.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** @param days after which originals are deleted; null for never */
export function viewOf({ path, state }: StoredReplacement, days: number | null): Replacement {
  const at = 'at' in state ? state.at : null
  const until = at === null || days === null ? null : at + days * DAY_MS
  switch (state.kind) {
    case 'waiting':
    case 'swapping':
      return { path, state: { kind: 'waiting' } }
    case 'replaced':
      return { path, state: { kind: 'replaced', place: state.place, until } }
    case 'kept':
      return {
        path,
        state: { kind: 'kept', why: state.why, result: state.result, resultBytes: state.resultBytes },
      }
    case 'restored':
      return {
        path,
        state: {
          kind: 'restored',
          place: state.place,
          again: state.result !== null,
          restoredAt: state.restoredAt,
          until,
        },
      }
    case 'expired':
      return { path, state }
  }
}

/** Returns the path that an original, or a result that is to be next to it, has in the vault during a swap. */
function originalOf({ goal, swap: { leaving, entering } }: Swapping): string | null {
  return goal === 'replace' || goal === 'redo' ? (leaving?.to ?? null) : entering.from
}

/** Returns the size of a replacement's file in the vault; undefined if there is none. */
async function bytesOf({ version, state }: StoredReplacement): Promise<number | undefined> {
  if (state.kind === 'replaced') return version.size
  if (state.kind === 'restored') return state.version?.size
  const file = state.kind === 'swapping' ? originalOf(state) : state.kind === 'kept' ? state.result : null
  return file === null ? undefined : (await lstat(file).catch(() => undefined))?.size
}

/** Returns the vaults in the home folder that the journal doesn't know, such as after it was damaged, and that hold originals. */
export async function unlistedVaults(home: string, known: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await readdir(home).catch(() => [])) {
    const vault = join(home, name)
    if (!name.startsWith(VAULT_PREFIX) || known.includes(vault) || !(await isOwnVault(vault))) continue
    const jobs = await readdir(vault).catch(() => [])
    const held = await Promise.all(jobs.map((job) => readdir(join(vault, job, 'originals')).catch(() => [])))
    if (held.flat().length > 0) found.push(vault)
  }
  return found
}

/** Adds up what the vaults hold. */
export async function totalsOf(table: ReplacementTable): Promise<VaultTotals> {
  const held: { vault: string; bytes: number }[] = []
  for (const replacement of table.inVaults()) {
    const bytes = await bytesOf(replacement)
    if (bytes !== undefined) held.push({ vault: dirname(replacement.job), bytes })
  }
  const vaults = table.vaults().filter(({ path }) => held.some(({ vault }) => vault === path))
  const away = await Promise.all(vaults.map(({ path, behind }) => isTakenAway(path, behind)))
  return {
    files: held.length,
    bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
    vaults: vaults.map(({ path }) => path),
    away: away.filter(Boolean).length,
  }
}
