/** Moves files out of the vault if other programs have changed them there, for example because the programs had them open. */
import { basename, dirname } from 'node:path'
import { numberedIn } from '../../node/file-name.ts'
import { readVersion } from './file-version.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import type { Swapping } from './stored-state.ts'
import type { Restoring } from './restore-original.ts'
import { moveOut, type Swap } from './swap.ts'
import { withEndingOf, type VaultParts } from './vault-parts.ts'

/**
 * Moves a changed file from the vault to the folder of its original, so that the file isn't deleted.
 * @returns where it is now; undefined if it stays in the vault
 */
export async function releaseChanged(
  parts: VaultParts,
  restoring: Restoring,
  replacement: StoredReplacement,
): Promise<string | undefined> {
  const { id, target, state } = replacement
  if (state.kind === 'restored') return releaseResult(parts, replacement, state)
  if (state.kind !== 'replaced') return undefined
  const { place, original, result, at } = state
  const version = await readVersion(original)
  if (version === undefined) return undefined
  const swap: Swap = {
    leaving: null,
    entering: { from: original, to: target, version },
    reserved: null,
    copied: null,
  }
  const swapping: Swapping = { kind: 'swapping', goal: 'restore', swap, place, result, at }
  parts.put(id, swapping)
  const end = await restoring.finish(replacement, swapping)
  return end.kind === 'failed' ? undefined : end.place
}

async function releaseResult(
  { put, onPlacing }: VaultParts,
  { id, target }: StoredReplacement,
  state: Extract<ReplacementState, { readonly kind: 'restored' }>,
): Promise<string | undefined> {
  if (state.result === null) return undefined
  const version = await readVersion(state.result)
  if (version === undefined) return undefined
  const names = numberedIn(dirname(target), basename(withEndingOf(target, state.result)))
  const place = await moveOut(state.result, names, (to) => onPlacing(to, version, 'original'))
  put(id, { ...state, result: null, version: null })
  return place
}
