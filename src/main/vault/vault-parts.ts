/** What the operations on replacements share. */
import { stat } from 'node:fs/promises'
import { basename, dirname, extname, join, parse } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import { fileFailureOf } from '../../node/file-failure.ts'
import { nameWith, numberedIn, shortened } from '../../node/file-name.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { KeptReason } from '../../shared/model/replacement.ts'
import { isDiskFull } from '../database/index.ts'
import type { FileVersion } from './file-version.ts'
import type { ReplacementState, StoredReplacement, Swapping } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { exists, performSwap, statOf, type SwapEnd } from './swap.ts'

export { exists, statOf }

/** Name of the job's subfolder that the service writes its results to. */
export const RESULTS = 'results'
export const outputOf = (job: string): string => join(job, RESULTS)
/** The jobs' folders start with the day on which they were prepared, such as `2026-11-25`. @param at ms since 1970 */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
export const jobOf = (output: string): string => dirname(output)

/** Thrown if the original must stay in its place. */
export class KeepOriginal extends Error {
  readonly why: KeptReason

  constructor(why: KeptReason) {
    super(`The original is kept: ${why}.`)
    this.why = why
  }
}

export type VaultParts = {
  /** Opens the journal on first use. */
  readonly table: () => ReplacementTable
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Records a state durably and reports the change. */
  readonly put: (id: number, state: ReplacementState) => void
  /** Called with a free path before a file is moved there. @throws if the file must not be moved */
  readonly onPlacing: (path: string, version: FileVersion, kind?: 'original') => Promise<void>
}

/** Which disk is full, if that is why an operation failed. The journal may be on another disk than the files. */
export function fullDiskOf(error: unknown): 'files' | 'journal' | undefined {
  if (isDiskFull(error)) return 'journal'
  return fileFailureOf(error) === 'full' ? 'files' : undefined
}

/** Whether the volume of a replacement isn't connected: nothing is mounted in its place, or another volume. */
export async function isAway({ job, behind }: Pick<StoredReplacement, 'job' | 'behind'>): Promise<boolean> {
  return behind !== undefined && ((await isTakenAway(job, behind)) || isOnOtherVolume(dirname(job)))
}

/**
 * Whether another volume seems to be mounted where a vault's was, such as the next memory card: it has no folder with the vault's random
 * name. Elsewhere than in the root of a volume, the user has probably deleted the vault.
 */
async function isOnOtherVolume(vault: string): Promise<boolean> {
  const root = dirname(vault)
  try {
    if (await exists(vault)) return false
    const [inside, above] = await Promise.all([root, dirname(root)].map((folder) => stat(folder)))
    return inside?.dev !== above?.dev
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

/**
 * Performs or continues a swap and journals its steps.
 * @throws if the swap must be continued later, such as when the volume is unmounted during it: its files can't be seen then
 */
export async function swapFiles(
  { table, clock, onPlacing }: VaultParts,
  replacement: StoredReplacement,
  swapping: Swapping,
  placeOf: (attempt: number) => string,
): Promise<SwapEnd> {
  const end = await performSwap(swapping.swap, {
    placeOf,
    clock,
    onPlacing,
    note: (swap) => table().put(replacement.id, { ...swapping, swap }),
  })
  if (end.kind !== 'done' && (await isAway(replacement)))
    throw new Error('The volume was unmounted during the swap.')
  return end
}

/**
 * Runs work on a replacement that no other process works on.
 * @returns undefined without doing anything if another process works on it, or if it is gone
 */
export async function whileClaimed<T>(
  table: ReplacementTable,
  id: number,
  work: (replacement: StoredReplacement) => Promise<T>,
): Promise<T | undefined> {
  if (!table.claim(id)) return undefined
  try {
    // Another process may have changed it since the caller read it.
    const replacement = table.get(id)
    return replacement && (await work(replacement))
  } finally {
    table.release(id)
  }
}

/** Returns an unused path in a folder of the vault. No one else creates files there. The name is shortened, so that a number fits. */
export async function freePath(folder: string, name: string): Promise<string> {
  const nameOf = numberedIn(folder, shortened(name))
  for (let attempt = 1; ; attempt++) if (!(await exists(nameOf(attempt)))) return nameOf(attempt)
}

/** Returns an unused path for an original. Shortened names get a number, because two originals may become the same name. */
export async function pathInVault({ id, job, path }: StoredReplacement): Promise<string> {
  const name = basename(path)
  return freePath(join(job, 'originals'), shortened(name) === name ? name : `${id} ${name}`)
}

/** The original's path with the result's extension: `DSC_4821.heic` becomes `DSC_4821.jpg`. */
export function withEndingOf(original: string, result: string): string {
  const { dir, base, ext } = parse(original)
  const extension = extname(result)
  return extension.toLowerCase() === ext.toLowerCase() ? original : join(dir, nameWith(base, { extension }))
}
