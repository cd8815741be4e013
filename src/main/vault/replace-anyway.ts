/**
 * Replaces one original that was kept because something would be lost. Its result is next to it. The result first moves back to the job's folder
 * in the vault. From there, it replaces the original as usual. Until that swap is in the journal, the journal has one that moves the result
 * back next to its original.
 */
import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { syncFoldersOf } from '../../node/sync-folder.ts'
import type { KeptReason, ReplacedAnyway } from '../../shared/model/replacement.ts'
import type { CopyAttributes } from './file-attributes.ts'
import { hasContentOf, type FileVersion } from './file-version.ts'
import {
  checkBoth,
  keepingAgain,
  keptAfter,
  prepareSwap,
  type IsGood,
  type Replacing,
} from './replace-original.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import { awayFrom } from './restore-original.ts'
import { moveIn } from './swap.ts'
import { exists, freePath, isAway, outputOf, statOf, type VaultParts } from './vault-parts.ts'

type Kept = Extract<ReplacementState, { readonly kind: 'kept' }>
/** An original with its result next to it. */
type KeptWithResult = Kept & { readonly result: string; readonly version: FileVersion }

const hasResult = (state: ReplacementState): state is KeptWithResult =>
  state.kind === 'kept' &&
  state.why === 'lost' &&
  state.result !== null &&
  state.version !== null &&
  // A result that was left in the vault has never been at a place that the user knows.
  state.at === null

export function createReplacingAnyway(parts: VaultParts, replacing: Replacing) {
  const { clock, put } = parts

  /** Returns why a result that is next to its original can't be used; undefined if it can. */
  async function whyUnusable({ result, version }: KeptWithResult) {
    const found = await statOf(result)
    if (found === undefined) return 'noResult'
    if (!found.isFile() || !(await hasContentOf(result, version))) return 'resultChanged'
    if (found.nlink > 1n) return 'badResult'
    return (await replacing.isInUse(result)) ? 'inUse' : undefined
  }

  async function replaceKept(
    replacement: StoredReplacement,
    state: KeptWithResult,
    isGood: IsGood,
    copyAttributes: CopyAttributes,
  ): Promise<KeptReason | 'resultChanged' | undefined> {
    const { id, folder, target } = replacement
    const { result, version } = state
    const original = await checkBoth(replacement, result, isGood, replacing.isInUse, () => whyUnusable(state))
    if (typeof original === 'string') return original
    const output = outputOf(folder)
    await mkdir(output, { recursive: true, mode: 0o700 })
    await syncFoldersOf(output, folder, dirname(folder))
    const staged = await freePath(output, basename(result))
    const returning = keepingAgain({ from: staged, to: result, version }, clock())
    put(id, returning)
    try {
      if (!(await moveIn({ from: result, to: staged, version }))) {
        await putBack()
        return 'resultChanged'
      }
      const swapping = await prepareSwap(replacement, staged, original, copyAttributes, clock(), true)
      put(id, swapping)
      return await replacing.finishReplacing(replacement, swapping)
    } catch (error) {
      if (stateNow() === 'keep') await putBack()
      const why = (await exists(target)) ? keptAfter(error) : 'missing'
      // An open swap is continued later.
      if (why === undefined || stateNow() !== 'kept') throw error
      return why
    }

    function stateNow(): string | undefined {
      const now = parts.table().get(id)?.state
      return now?.kind === 'swapping' ? now.goal : now?.kind
    }

    /** Returns the result to its place, unless it never left. */
    async function putBack(): Promise<void> {
      if ((await statOf(staged)) === undefined) put(id, state)
      else await replacing.finishKeeping(replacement, returning)
    }
  }

  return async (
    replacement: StoredReplacement,
    isGood: IsGood,
    copyAttributes: CopyAttributes,
  ): Promise<ReplacedAnyway> => {
    const { path, state } = replacement
    if (state.kind === 'replaced') return { path, kind: 'replaced' }
    if (!hasResult(state)) return { path, kind: 'kept', why: 'noResult' }
    if (await isAway(replacement)) return awayFrom(replacement)
    const why = await replaceKept(replacement, state, isGood, copyAttributes)
    return why === undefined ? { path, kind: 'replaced' } : { path, kind: 'kept', why }
  }
}
