/** Derives what users see of replaced originals. */
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { filterAsync } from '../../node/limited.ts'
import { DAY_MS } from '../../shared/durations.ts'
import type { Replacement, VaultTotals } from '../../shared/model/replacement.ts'
import type { StoredReplacement } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { isOwnVault } from './vault-folder.ts'
import { ORIGINALS } from './vault-parts.ts'

/** @param days after which originals are deleted; null for never */
export const viewOf = (stored: StoredReplacement, days: number | null): Replacement => ({
  path: stored.path,
  state: viewOfState(shownState(stored), days),
})

function viewOfState(state: StoredReplacement['state'], days: number | null): Replacement['state'] {
  const at = 'at' in state ? state.at : null
  const until = at === null || days === null ? null : at + days * DAY_MS
  switch (state.kind) {
    // The original's state is unknown. The original must not count as replaced, because undo may not find it.
    case 'unreadable':
      return { kind: 'kept', why: 'unreadable', result: null, resultBytes: null }
    case 'waiting':
    case 'swapping':
      return { kind: 'waiting' }
    case 'replaced':
      return { kind: 'replaced', place: state.place, until }
    case 'kept':
      return { kind: 'kept', why: state.why, result: state.result, resultBytes: state.resultBytes }
    case 'restored': {
      const { kind, place, result, restoredAt } = state
      return { kind, place, again: result !== null, restoredAt, until }
    }
    case 'expired':
      return { kind: 'expired', at: state.at, was: state.was, place: state.place }
  }
}

/** Returns the SHA-256 of each result that is outside the vault, by its path. */
export const contentsOf = (all: readonly StoredReplacement[]): ReadonlyMap<string, string> =>
  new Map(
    all.map(shownState).flatMap((state) => {
      if (state.kind === 'replaced') return [[state.place, state.result.sha256] as const]
      if (state.kind !== 'kept' && state.kind !== 'expired') return []
      const path = state.kind === 'kept' ? state.result : state.place
      return path === null || state.version === null ? [] : [[path, state.version.sha256] as const]
    }),
  )

/** Returns a state with the user's own paths, unless the vault has moved or changed since the job was prepared. */
function shownState({ job, folder, path, target, state }: StoredReplacement): StoredReplacement['state'] {
  if (job !== folder) return state
  const shown = <File extends string | null>(file: File) =>
    file !== null && dirname(file) === dirname(target) ? join(dirname(path), basename(file)) : file
  if (state.kind === 'kept') return { ...state, result: shown(state.result) }
  if (state.kind === 'expired') return { ...state, place: shown(state.place) }
  return state.kind === 'replaced' || state.kind === 'restored'
    ? { ...state, place: shown(state.place) }
    : state
}

/** Returns the size of a replacement's file in the vault; undefined if there is none. @param isThere whether its volume is connected */
async function bytesOf({ version, state }: StoredReplacement, isThere: boolean): Promise<number | undefined> {
  if (!isThere && state.kind === 'replaced') return version.size
  if (!isThere && state.kind === 'restored') return state.version?.size
  const file = fileIn(state)
  return file === null || file === undefined ? undefined : (await lstat(file).catch(() => undefined))?.size
}

/** Returns the vaults that are connected and hold originals that the journal doesn't know, for example after it was damaged. */
async function unlistedVaults(
  table: ReplacementTable,
  vaults: readonly string[],
): Promise<readonly string[]> {
  return filterAsync(vaults, async (vault) => (await isOwnVault(vault)) && hasUnlisted(table, vault))
}

async function hasUnlisted(table: ReplacementTable, vault: string): Promise<boolean> {
  for (const name of await readdir(vault).catch(() => []))
    if ((await unlistedIn(table, join(vault, name))).length > 0) return true
  return false
}

/** Returns the names of the originals in a job's folder that the journal doesn't have there. */
export async function unlistedIn(table: ReplacementTable, folder: string): Promise<readonly string[]> {
  const kept = await readdir(join(folder, ORIGINALS)).catch(() => [])
  if (kept.length === 0) return []
  const known = new Set(table.inJobFolder(folder).map(({ state }) => basename(originalIn(state) ?? '')))
  return kept.filter((original) => !known.has(original))
}

/** Returns the path that an original has in the vault, or is about to have; undefined if there is none. */
function originalIn(state: StoredReplacement['state']): string | undefined {
  if (state.kind === 'replaced') return state.original
  if (state.kind !== 'swapping') return undefined
  const { leaving, entering } = state.swap
  return state.goal === 'replace' || state.goal === 'redo' ? leaving?.to : entering.from
}

/**
 * Returns the path of the file that a replacement has in the vault; null or undefined if there is none. For a kept original, returns the
 * path of its result, which is in the vault only if the result couldn't be moved next to the original.
 */
export const fileIn = (state: StoredReplacement['state']): string | null | undefined =>
  state.kind === 'restored' || state.kind === 'kept' ? state.result : originalIn(state)

/** Adds up what the vaults hold. @param all the vaults, even those that the journal doesn't know */
export async function totalsOf(table: ReplacementTable, all: readonly string[]): Promise<VaultTotals> {
  const away = new Set<string>()
  for (const { path } of table.vaults()) if (!(await isOwnVault(path))) away.add(path)
  const kept: { path: string; vault: string; bytes: number; isUnrestored: boolean }[] = []
  for (const replacement of table.inVaults()) {
    const vault = dirname(replacement.folder)
    const bytes = await bytesOf(replacement, !away.has(vault))
    if (bytes === undefined) continue
    kept.push({ path: replacement.path, vault, bytes, isUnrestored: table.isRetained(replacement.id) })
  }
  const vaults = [...new Set(kept.map(({ vault }) => vault))]
  return {
    files: kept.length,
    bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0),
    vaults,
    away: vaults.filter((vault) => away.has(vault)).length,
    unrestored: kept
      .filter(({ isUnrestored }) => isUnrestored)
      .map(({ path, bytes: size }) => ({ path, bytes: size })),
    unlisted: await unlistedVaults(table, all),
  }
}
