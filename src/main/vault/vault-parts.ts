/** What the operations on replacements share. */
import { basename, dirname, extname, join, parse } from 'node:path'
import { nameWith, numberedIn, shortened } from '../../node/file-name.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { KeptReason } from '../../shared/model/replacement.ts'
import type { ReplacementState, StoredReplacement, Swapping } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { exists, performSwap, type SwapEnd } from './swap.ts'

export { exists }

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
  readonly onPlacing: (path: string) => Promise<void>
  /** Called with each file that was moved to its place, before the change is recorded. */
  readonly onPlaced: (path: string) => Promise<void>
}

/**
 * Performs or continues a swap and journals its steps.
 * @throws if the swap must be continued later, such as when the volume is unmounted during it: its files can't be seen then
 */
export async function swapFiles(
  { table, clock, onPlacing }: VaultParts,
  { id, job, behind }: StoredReplacement,
  swapping: Swapping,
  placeOf: (attempt: number) => string,
): Promise<SwapEnd> {
  const end = await performSwap(swapping.swap, {
    placeOf,
    clock,
    onPlacing,
    note: (swap) => table().put(id, { ...swapping, swap }),
  })
  if (end.kind !== 'done' && (await isTakenAway(job, behind)))
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
