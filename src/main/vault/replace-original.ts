import { lstat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import { fileFailureOf } from '../../node/file-failure.ts'
import { numberedIn } from '../../node/file-name.ts'
import type { KeptReason } from '../../shared/model/replacement.ts'
import { copyRights, type CopyAttributes } from './file-attributes.ts'
import { createUseCheck } from './file-use.ts'
import { readVersion, type FileVersion } from './file-version.ts'
import { isReplacedMeanwhile } from './later-result.ts'
import { describeOriginal } from './original-record.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import type { Move, Swapping } from './stored-state.ts'
import { deleteResult, placeFor, requireOwnResult, whyForeign } from './result-file.ts'
import { swapFiles, type Swapped } from './swap-files.ts'
import { newSwap, type SwapEnd } from './swap.ts'
import {
  exists,
  isAway,
  KeepOriginal,
  statOf,
  pathInVault,
  withEndingOf,
  type VaultParts,
} from './vault-parts.ts'

/**
 * @param isSmaller whether the result is smaller than the original
 * @returns true if the result may replace the original; otherwise why the original is kept
 */
export type IsGood = (
  original: string,
  result: string,
  isSmaller: boolean,
) => Promise<true | Extract<KeptReason, 'notSmaller' | 'lost' | 'lowQuality' | 'badResult'>>

/** Why all originals of a job that haven't been replaced yet are kept. */
export type KeepAll = Extract<KeptReason, 'cancelled' | 'unchecked'>

type ReplaceSwap = Extract<Swapping, { readonly goal: 'replace' }>
type KeepSwap = Extract<Swapping, { readonly goal: 'keep' }>

export type Replacing = ReturnType<typeof createReplacing>

/** Reasons to discard the result. After a cancel, the user doesn't expect new files among the originals. */
const USELESS: ReadonlySet<KeptReason> = new Set([
  'notSmaller',
  // The result has the original's pixels, so it isn't worth keeping.
  'lowQuality',
  'badResult',
  'noResult',
  'rights',
  'cancelled',
])

const isUseless = (why: KeptReason, isRepeated: boolean): boolean =>
  USELESS.has(why) || (isRepeated && why === 'changed')

type Kept = Extract<ReplacementState, { readonly kind: 'kept' }>
const KEPT = { kind: 'kept', result: null, resultBytes: null, version: null, at: null } as const

/** Returns the original's version if the result may replace it, or why the original must be kept. */
export async function checkBoth<Unusable extends string>(
  { target: path, version }: StoredReplacement,
  result: string,
  isGood: IsGood,
  isInUse: (path: string) => Promise<boolean>,
  whyUnusable: (result: string) => Promise<Unusable | undefined>,
): Promise<FileVersion | KeptReason | Unusable> {
  const found = await statOf(path).catch(() => null)
  if (found === undefined) return 'missing'
  if (found?.isSymbolicLink() === true) return 'link'
  if (found?.isFile() !== true || Number(found.size) !== version.size) return 'changed'
  if (found.nlink > 1n) return 'hardLink'
  if ((found.mode & 0o200n) === 0n) return 'readOnly'
  if (await isInUse(path)) return 'inUse'
  const unusable = await whyUnusable(result)
  if (unusable !== undefined) return unusable
  const made = await lstat(result).catch(() => undefined)
  if (made === undefined) return 'noResult'
  const judged = await isGood(path, result, made.size < version.size)
  if (judged !== true) return judged
  // Checked last, because decoding a result may take long.
  const now = await readVersion(path).catch(() => undefined)
  if (await isInUse(path)) return 'inUse'
  return now?.sha256 === version.sha256 ? now : 'changed'
}

/** Moves the result to its original's path, or to a free name next to it. Its extension was chosen when the swap was noted. */
async function swapResult<S extends ReplaceSwap | KeepSwap>(
  parts: VaultParts,
  replacement: StoredReplacement,
  swapping: S,
): Promise<Swapped<S>> {
  const { target } = replacement
  const names = numberedIn(dirname(target), basename(withEndingOf(target, swapping.swap.entering.to)))
  // A result never gets the name of an original that was moved: a program that syncs folders would take it for the original.
  const isReturning = swapping.goal === 'keep' && swapping.anyway === true
  const isMissing =
    (swapping.goal === 'keep' && swapping.why === 'missing') || (isReturning && !(await exists(target)))
  const placeOf = (attempt: number) => names(isMissing ? attempt + 1 : attempt)
  // Check the result once more before it is moved, because the service may have replaced it in the meantime. A file of the user
  // always returns, even if it has changed.
  return swapFiles(parts, replacement, swapping, placeOf, isReturning ? undefined : requireOwnResult)
}

/**
 * Prepares the result and describes the original in its vault. @throws KeepOriginal with the reason why the original must be kept, or the
 * file system's error
 */
export async function prepareSwap(
  replacement: StoredReplacement,
  result: string,
  version: FileVersion,
  copyAttributes: CopyAttributes,
  at: number,
  anyway?: true,
): Promise<ReplaceSwap> {
  const { folder, target: path } = replacement
  await requireOwnResult(folder, result)
  await copyAttributes(path, result)
  const made = await readVersion(result)
  if (made === undefined) throw new KeepOriginal('badResult')
  const swap = newSwap(
    { from: path, to: await pathInVault(replacement), version },
    { from: result, to: await placeFor(path, result), version: made },
  )
  const swapping: ReplaceSwap = { kind: 'swapping', goal: 'replace', swap, result: made, at, anyway }
  await describeOriginal(replacement, swapping)
  return swapping
}

export function createReplacing(parts: VaultParts) {
  const { clock, put } = parts
  const isInUse = createUseCheck()

  async function replaceOne(
    replacement: StoredReplacement,
    result: string | undefined,
    isGood: IsGood,
    copyAttributes: CopyAttributes,
    isRepeated: boolean,
  ): Promise<void> {
    // The original stays waiting until its volume is back.
    if (await isAway(replacement)) return
    if (result === undefined) return keep(replacement, 'noResult', undefined)
    const version = await checkBoth(replacement, result, isGood, isInUse, (made) =>
      whyForeign(replacement.folder, made),
    )
    if (typeof version === 'string') return keep(replacement, version, result, isUseless(version, isRepeated))
    const { id, target: path } = replacement
    let swapping: ReplaceSwap
    try {
      swapping = await prepareSwap(replacement, result, version, copyAttributes, clock())
    } catch (error) {
      const failed = (await exists(path)) ? keptAfter(error) : 'missing'
      if (failed === undefined) throw error
      return keep(replacement, failed, result)
    }
    put(id, swapping)
    await finishReplacing(replacement, swapping, isRepeated)
  }

  async function finishReplacing(
    before: StoredReplacement,
    begun: ReplaceSwap,
    isRepeated = false,
  ): Promise<KeptReason | undefined> {
    const { end, replacement, swapping } = await swapResult(parts, before, begun)
    const { swap, anyway } = swapping
    const { from: result, to, version } = swap.entering
    switch (end.kind) {
      case 'done': {
        // If a crash interrupted the swap, the user may have had the original until now.
        const at = clock()
        const { at: place } = end
        if (place !== to) await describeOriginal(replacement, swapping, place)
        const original = swap.leaving?.to ?? replacement.target
        put(replacement.id, { kind: 'replaced', place, original, result: version, at })
        return undefined
      }
      case 'changed': {
        const why = (await exists(replacement.target)) ? 'changed' : 'missing'
        await (anyway
          ? keepAgain(replacement, swap.entering)
          : keep(replacement, why, result, isUseless(why, isRepeated)))
        return why
      }
      case 'lost': {
        await (anyway ? keepAgain(replacement, swap.entering) : keep(replacement, 'noResult', undefined))
        return 'noResult'
      }
      case 'failed': {
        const why = keptAfter(end.error)
        if (anyway) await keepAgain(replacement, swap.entering)
        else if (why !== undefined) await keep(replacement, why, result)
        if (why !== undefined) return why
        return waitAfter(replacement, end.error, anyway)
      }
    }
  }

  /**
   * Moves a result back next to its original after *Replace anyway* failed. The recorded reason stays `lost`.
   */
  async function keepAgain(replacement: StoredReplacement, { from, version }: Move): Promise<void> {
    const to = await placeFor(replacement.target, from)
    const swapping = keepingAgain({ from, to, version }, clock())
    put(replacement.id, swapping)
    await finishKeeping(replacement, swapping)
  }

  /**
   * Keeps an original where it is. A result that is worth keeping moves next to it; any other is deleted. If the move is impossible, the
   * result stays in the vault until it expires.
   * @throws if a disk is full, or if the error isn't about this file; the next run tries again
   */
  async function keep(
    replacement: StoredReplacement,
    why: KeptReason,
    result: string | undefined,
    isDeleted = isUseless(why, false),
  ): Promise<void> {
    const { id, folder, target } = replacement
    const putKept = (more: Partial<Kept> = {}): void => put(id, { ...KEPT, why, ...more })
    if (result === undefined || (await whyForeign(folder, result)) !== undefined) return putKept()
    if (isDeleted || (await isReplacedMeanwhile(parts.table(), replacement))) {
      const made = await lstat(result).catch(() => undefined)
      await deleteResult(folder, result)
      return putKept(why === 'notSmaller' ? { resultBytes: made?.size ?? null } : {})
    }
    const version = await copyRights(target, result)
      .then(() => readVersion(result))
      .catch(() => undefined)
    if (version === undefined) return putKept()
    const swap = newSwap(null, { from: result, to: await placeFor(target, result), version })
    const swapping: KeepSwap = { kind: 'swapping', goal: 'keep', why, swap, result: version, at: clock() }
    put(id, swapping)
    await finishKeeping(replacement, swapping)
  }

  async function finishKeeping(before: StoredReplacement, begun: KeepSwap): Promise<void> {
    const { end, replacement, swapping } = await swapResult(parts, before, await withCurrentVersion(begun))
    const { id } = replacement
    const { why, at, result: version, anyway } = swapping
    const { from: result } = swapping.swap.entering
    const later = await whyLater(end, result, anyway)
    if (later !== undefined) return waitAfter(replacement, later, anyway)
    const isLeft = end.kind === 'failed' && !(end.error instanceof KeepOriginal)
    const kept = end.kind === 'done' ? { result: end.at, version } : isLeft ? { result, version, at } : {}
    put(id, { ...KEPT, why, ...kept })
  }

  /**
   * Stops the job after an error such as a full disk. Nothing has changed, so it can resume later. If the result was next to its original
   * (`anyway`), the open swap stays in the journal until the result can be moved back.
   */
  function waitAfter({ id }: StoredReplacement, error: unknown, anyway?: true): never {
    if (anyway !== true) put(id, { kind: 'waiting' })
    throw error
  }

  return {
    /**
     * Replaces one original, or keeps it if that isn't possible.
     * @param isRepeated whether a changed original is processed again, so that its result isn't worth keeping
     * @throws if a disk is full, or if the error isn't about this file, such as the journal's; nothing has changed then
     */
    replace: replaceOne,
    keep,
    finishReplacing,
    finishKeeping,
    isInUse,
  }
}

/** Returns the swap that puts a result back next to its original, which was kept because something would be lost. */
export const keepingAgain = (back: Move, at: number): KeepSwap => ({
  kind: 'swapping',
  goal: 'keep',
  why: 'lost',
  anyway: true,
  swap: newSwap(null, back),
  result: back.version,
  at,
})

/** Returns the error because of which a result must be moved later; undefined if that is decided. A user's file is moved until it is back. */
async function whyLater(end: SwapEnd, result: string, anyway?: true): Promise<unknown> {
  if (end.kind === 'failed') return anyway || keptAfter(end.error) === undefined ? end.error : undefined
  // A program may still write it.
  const isThere = anyway === true && end.kind !== 'done' && (await exists(result))
  return isThere ? new Error("The result couldn't be moved back yet.") : undefined
}

/** Returns a swap with the current version of its result, which the user may have changed just before it was moved to the vault. */
async function withCurrentVersion(swapping: KeepSwap): Promise<KeepSwap> {
  const { entering } = swapping.swap
  if (swapping.anyway !== true || !(await exists(entering.from))) return swapping
  const version = await readVersion(entering.from)
  return version === undefined
    ? swapping
    : { ...swapping, swap: { ...swapping.swap, entering: { ...entering, version } }, result: version }
}

/** Returns why an original is kept after an error; undefined if the disk is full or the error isn't about this file. */
export function keptAfter(error: unknown): KeptReason | undefined {
  if (error instanceof KeepOriginal) return error.why
  switch (fileFailureOf(error)) {
    case 'denied':
      return process.platform === 'win32' ? 'inUse' : 'readOnly'
    case 'readOnly':
      return 'readOnly'
    case 'missing':
    case 'notAFolder':
    case 'foreignLink':
    case 'nameTooLong':
    case 'diskError':
      return 'vault'
    default:
      return isBusy(error) ? 'inUse' : undefined
  }
}

const isBusy = (error: unknown): boolean => hasCode(error, 'EBUSY', 'ETXTBSY')
