/** Restores one original, or replaces a restored one again. */
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, parse } from 'node:path'
import { fileFailureOf } from '../../node/file-failure.ts'
import { nameWith, numberedIn } from '../../node/file-name.ts'
import { createTrustedFolder } from '../../node/opened-folder.ts'
import type { NOT_RESTORED_REASONS, Restored } from '../../shared/model/replacement.ts'
import { hasContentOf, readVersion, type FileVersion } from './file-version.ts'
import { describeOriginal } from './original-record.ts'
import { asUserKnows, atRealPlace, throughLinks } from './real-place.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import type { Swap, Swapping } from './stored-state.ts'
import { swapFiles } from './swap-files.ts'
import { newSwap } from './swap.ts'
import {
  exists,
  freePath,
  fullDiskOf,
  isAway,
  pathInVault,
  REPLACED,
  withEndingOf,
  type VaultParts,
} from './vault-parts.ts'

/** Returns the parts for a swap that places an original. */
const originalIn = (parts: VaultParts): VaultParts => ({
  ...parts,
  onPlacing: (path, version) => parts.onPlacing(path, version, 'original'),
})

type NotRestored = Extract<Restored, { readonly kind: 'failed' }>
type Replaced = Extract<ReplacementState, { readonly kind: 'replaced' }>
type RestoreSwap = Extract<Swapping, { readonly goal: 'restore' }>
type RedoSwap = Extract<Swapping, { readonly goal: 'redo' }>

export type Restoring = ReturnType<typeof createRestoring>

export function createRestoring(parts: VaultParts) {
  const { clock, put } = parts

  async function restoreOne(known: StoredReplacement): Promise<Restored> {
    const { id, path } = known
    if (known.state.kind === 'unreadable') return { path, kind: 'failed', why: 'unreadable' }
    if (known.state.kind !== 'replaced') return { path, kind: 'failed', why: 'gone' }
    if (await isAway(known)) return awayFrom(known)
    const replacement = await atRealPlace(parts, { ...known, state: known.state }, known.state.result)
    const { target, state, rights } = replacement
    if (!(await exists(state.original))) return acceptInPlace(parts, replacement, state)
    const swap = await restoringSwap(replacement, state)
    const { place, result, at } = state
    // The user may have renamed or deleted the original's folder.
    await createTrustedFolder(dirname(target), rights)
    const swapping: RestoreSwap = { kind: 'swapping', goal: 'restore', swap, place, result, at }
    put(id, swapping)
    return finishRestoring(replacement, swapping)
  }

  async function finishRestoring(before: StoredReplacement, begun: RestoreSwap): Promise<Restored> {
    const { id, path, target } = before
    const { place, result, at } = begun
    const swapped = await swapFiles(originalIn(parts), before, begun, originalNames(target))
    const { end, replacement, swapping } = swapped
    const { swap } = swapping
    switch (end.kind) {
      case 'done': {
        const { leaving } = swap
        put(id, {
          kind: 'restored',
          place: end.at,
          result: leaving?.to ?? null,
          version: leaving?.version ?? null,
          at,
          restoredAt: clock(),
        })
        const isAlone = leaving !== null || place === target || !(await exists(place).catch(() => true))
        if (!isAlone || end.at !== target) return { path, kind: 'both', place: end.at }
        const isNewer = swap.entering.version.sha256 !== replacement.version.sha256
        return { path, kind: 'restored', place: end.at, ...(isNewer ? { newer: true } : {}) }
      }
      case 'changed':
        // The result that replaced the original was edited just now. Keep both files.
        return finishRestoring(replacement, { ...swapping, swap: { ...swap, leaving: null } })
      case 'lost': {
        // A program may still be writing the original.
        const why = (await exists(swap.entering.from)) ? 'changed' : 'gone'
        put(id, { kind: 'replaced', place, original: swap.entering.from, result, at })
        return { path, kind: 'failed', why }
      }
      case 'failed':
        put(id, { kind: 'replaced', place, original: swap.entering.from, result, at })
        return { path, kind: 'failed', why: whyFailed(end.error) }
    }
  }

  async function redoOne(known: StoredReplacement): Promise<Restored> {
    const { id, path, version } = known
    if (known.state.kind === 'unreadable') return { path, kind: 'failed', why: 'unreadable' }
    if (known.state.kind !== 'restored') return { path, kind: 'failed', why: 'gone' }
    if (await isAway(known)) return awayFrom(known)
    const placed = await atRealPlace(parts, { ...known, state: known.state }, version)
    const replacement = await throughLinks(parts, placed)
    const { target, state } = replacement
    if (state.result === null || state.version === null) return { path, kind: 'failed', why: 'gone' }
    const found = await readVersion(state.place).catch(() => undefined)
    if (found?.sha256 !== version.sha256) return { path, kind: 'failed', why: 'changed' }
    const swap = newSwap(
      { from: state.place, to: await pathInVault(replacement), version: found },
      { from: state.result, to: withEndingOf(target, state.result), version: state.version },
    )
    // After this replacement, the original is kept for as long as after the first one.
    const { version: result, restoredAt } = state
    const swapping: RedoSwap = { kind: 'swapping', goal: 'redo', swap, result, restoredAt, at: clock() }
    await describeOriginal(replacement, swapping)
    put(id, swapping)
    return finishRedoing(parts, replacement, swapping)
  }

  const reported = async (one: StoredReplacement, ended: Restored): Promise<Restored> =>
    asUserKnows(parts, one, await unlessElsewhere(parts, one, ended))

  return {
    restore: async (one: StoredReplacement): Promise<Restored> => reported(one, await restoreOne(one)),
    redo: async (one: StoredReplacement): Promise<Restored> => reported(one, await redoOne(one)),
    /**
     * Reports the other data folder that manages an original's vault; undefined unless the original was restored with this data folder, and
     * then replaced again with the other.
     */
    async replacedElsewhere(one: StoredReplacement): Promise<Restored | undefined> {
      const { path, state, version } = one
      if (state.kind !== 'restored') return undefined
      const ended = await unlessElsewhere(parts, one, { path, kind: 'failed', why: 'gone' })
      const isElsewhere = ended.kind === 'failed' && ended.why === 'elsewhere'
      return isElsewhere && !(await hasContentOf(state.place, version)) ? ended : undefined
    },
    finish: async (one: StoredReplacement, swapping: RestoreSwap | RedoSwap): Promise<Restored> =>
      reported(
        one,
        await (swapping.goal === 'restore'
          ? finishRestoring(one, swapping)
          : finishRedoing(parts, one, swapping)),
      ),
  }
}

/**
 * Returns how an operation ended. If the file is gone, names the other data folder that manages its vault. This data folder may be a copy
 * of the other.
 */
async function unlessElsewhere(
  { managerOf }: VaultParts,
  { path, folder: job }: StoredReplacement,
  ended: Restored,
): Promise<Restored> {
  if (ended.kind !== 'failed' || ended.why !== 'gone') return ended
  const folder = await managerOf(dirname(job))
  return folder === undefined ? ended : { path, kind: 'failed', why: 'elsewhere', folder }
}

async function finishRedoing(
  parts: VaultParts,
  before: StoredReplacement,
  begun: RedoSwap,
): Promise<Restored> {
  const { put } = parts
  const { id, path, target } = before
  const name = basename(withEndingOf(target, begun.swap.entering.from))
  const swapped = await swapFiles(parts, before, begun, numberedIn(dirname(target), name))
  const { end, replacement, swapping } = swapped
  const { swap, result: version, at } = swapping
  const { leaving, entering } = swap
  if (end.kind === 'done') {
    if (end.at !== entering.to) await describeOriginal(replacement, swapping, end.at)
    put(id, { kind: 'replaced', place: end.at, original: leaving?.to ?? target, result: version, at })
    return { path, kind: 'restored', place: end.at }
  }
  put(id, {
    kind: 'restored',
    place: leaving?.from ?? target,
    result: entering.from,
    version,
    at,
    restoredAt: swapping.restoredAt,
  })
  const why = end.kind === 'failed' ? whyFailed(end.error) : end.kind === 'lost' ? 'gone' : 'changed'
  return { path, kind: 'failed', why }
}

/**
 * Accepts an original that is already at its own path: the user has moved it back, or the journal is a copy from before the original was
 * restored.
 */
async function acceptInPlace(
  { put, clock }: VaultParts,
  replacement: StoredReplacement,
  { result: made, at }: Replaced,
): Promise<Restored> {
  const { id, path, target, version } = replacement
  if (!(await hasContentOf(target, version))) return { path, kind: 'failed', why: 'gone' }
  const result = await heldResult(replacement, made)
  const held = result === null ? null : made
  put(id, { kind: 'restored', place: target, result, version: held, at, restoredAt: clock() })
  return { path, kind: 'restored', place: target }
}

async function restoringSwap(
  { id, folder, target, version }: StoredReplacement,
  { original, place, result }: Replaced,
): Promise<Swap> {
  // A program that had the original open, or a hard link that was added meanwhile, may have changed it in the vault. It is still the
  // user's file.
  const held = (await readVersion(original)) ?? version
  const found = await readVersion(place).catch(() => undefined)
  // While files are replaced and restored, two files of a job may get the same name.
  const replaced = `${id} ${basename(place)}`
  const leaving =
    found?.sha256 === result.sha256
      ? { from: place, to: await freePath(join(folder, REPLACED), replaced), version: found }
      : null
  return newSwap(leaving, { from: original, to: target, version: held })
}

/** Returns the path of a result that is already in the vault; null if it isn't there. */
async function heldResult({ folder }: StoredReplacement, result: FileVersion): Promise<string | null> {
  const held = join(folder, REPLACED)
  for (const name of await readdir(held).catch(() => []))
    if (await hasContentOf(join(held, name), result)) return join(held, name)
  return null
}

/**
 * Creates a function that names a restored original for each attempt: its own name first, then `DSC_4821 (original).heic`,
 * `DSC_4821 (original 2).heic` and so on.
 */
function originalNames(path: string): (attempt: number) => string {
  const { dir, base } = parse(path)
  return (attempt) => {
    const suffix = ` (original${attempt === 2 ? '' : ` ${attempt - 1}`})`
    return attempt === 1 ? path : join(dir, nameWith(base, { suffix }))
  }
}

/** Reports an original that couldn't be restored, or couldn't be replaced again, because an operation failed unexpectedly. */
export async function failedWith(error: unknown, replacement: StoredReplacement): Promise<NotRestored> {
  const { path } = replacement
  return (await isAway(replacement)) ? awayFrom(replacement) : { path, kind: 'failed', why: whyFailed(error) }
}

/** Reports an original whose vault isn't where it was. */
export const awayFrom = ({ path, folder }: StoredReplacement): NotRestored => ({
  path,
  kind: 'failed',
  why: 'away',
  folder: dirname(folder),
})

function whyFailed(error: unknown): (typeof NOT_RESTORED_REASONS)[number] {
  const full = fullDiskOf(error)
  if (full !== undefined) return full === 'journal' ? 'dataFull' : 'full'
  switch (fileFailureOf(error)) {
    case 'denied':
    case 'readOnly':
      return 'readOnly'
    case 'missing':
    case 'notAFolder':
    case 'foreignLink':
      return 'noFolder'
    default:
      return 'other'
  }
}
