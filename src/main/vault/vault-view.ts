/** What users see of replaced originals. */
import { dirname } from 'node:path'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { Replacement, VaultTotals } from '../../shared/model/replacement.ts'
import type { StoredReplacement } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** @param days after which originals are deleted; null for never */
export function viewOf({ path, state }: StoredReplacement, days: number | null): Replacement {
  const until = 'at' in state && days !== null ? state.at + days * DAY_MS : null
  switch (state.kind) {
    case 'waiting':
    case 'swapping':
      return { path, state: { kind: 'waiting' } }
    case 'replaced':
      return { path, state: { kind: 'replaced', place: state.place, until } }
    case 'kept':
      return { path, state }
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
/** Adds up what the vaults hold. */
export async function totalsOf(table: ReplacementTable): Promise<VaultTotals> {
  const held = table.inVaults().flatMap(({ job, version, state }) => {
    const bytes =
      state.kind === 'replaced' ? version.size : state.kind === 'restored' ? state.version?.size : undefined
    return bytes === undefined ? [] : [{ vault: dirname(job), bytes }]
  })
  const vaults = table.vaults().filter(({ path }) => held.some(({ vault }) => vault === path))
  const away = await Promise.all(vaults.map(({ path, behind }) => isTakenAway(path, behind)))
  return {
    files: held.length,
    bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
    vaults: vaults.map(({ path }) => path),
    away: away.filter(Boolean).length,
  }
}
