/** Performs or continues the swap of one original, and journals its steps. */
import { hasCode } from '../../node/errors.ts'
import { moveToOtherVault } from './move-to-other-vault.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Swapping } from './stored-state.ts'
import { performSwap, type SwapEnd } from './swap.ts'
import { isAway, type VaultParts } from './vault-parts.ts'

/** How a swap ended, and where it took place. */
export type Swapped<S extends Swapping> = {
  readonly end: SwapEnd
  readonly replacement: StoredReplacement
  readonly swapping: S
}

/**
 * Performs or continues a swap. If the place is on another volume than the vault, the swap continues in a vault of that volume.
 * @param allow called before the entering file is copied or moved. Throws if the file must stay where it is
 * @throws if the swap must be continued later, for example because its volume was unmounted, so that its files can't be seen
 */
export async function swapFiles<S extends Swapping>(
  parts: VaultParts,
  replacement: StoredReplacement,
  swapping: S,
  placeOf: (attempt: number) => string,
  allow: (folder: string, from: string) => Promise<void> = async () => undefined,
): Promise<Swapped<S>> {
  const requireAllowed = () => allow(replacement.folder, swapping.swap.entering.from)
  const end = await performSwap(swapping.swap, {
    placeOf,
    rights: replacement.rights,
    clock: parts.clock,
    async onPlacing(path, version) {
      await requireAllowed()
      await parts.onPlacing(path, version)
    },
    note: (swap) => parts.table().put(replacement.id, { ...swapping, swap }),
  })
  if (end.kind !== 'done' && (await isAway(replacement)))
    throw new Error('The volume was unmounted during the swap.')
  const here: Swapped<S> = { end, replacement, swapping }
  if (end.kind !== 'failed' || !hasCode(end.error, 'EXDEV')) return here
  const moved = await requireAllowed()
    .then(() => moveToOtherVault(parts, replacement, swapping))
    .catch((error: unknown) => ({ error }))
  if (moved === undefined) return here
  if ('error' in moved) return { ...here, end: { kind: 'failed', error: moved.error } }
  return swapFiles(parts, moved.replacement, moved.swapping, placeOf, allow)
}
