/** Definitions that the operations on replacements share. */
import { basename, dirname, extname, join, parse } from 'node:path'
import { fileFailureOf } from '../../node/file-failure.ts'
import { nameWith, numberedIn, shortened } from '../../node/file-name.ts'
import { extensionOf, resultExtension } from '../../shared/media-types.ts'
import type { KeptReason } from '../../shared/model/replacement.ts'
import { isDiskFull } from '../database/index.ts'
import type { FileVersion } from './file-version.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Readable } from './stored-state.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { exists, statOf } from './swap.ts'
import { isOwnVault } from './vault-folder.ts'

export { exists, statOf }

/** Whether a file is known to exist. */
export const isThere = (path: string): Promise<boolean> => exists(path).catch(() => false)

/** Name of the job's subfolder that the service writes its results to. */
export const RESULTS = 'results'
export const ORIGINALS = 'originals'
/** Name of the subfolder for unfinished copies from other volumes. */
export const COPIES = 'copies'
/** Name of the job's subfolder for the results of originals that were restored. */
export const REPLACED = 'replaced'
export const outputOf = (job: string): string => join(job, RESULTS)
/**
 * Returns the UTC day, such as `2026-11-25`. The names of the jobs' folders start with the day on which they were prepared.
 * @param at ms since 1970
 */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
export const jobOf = (output: string): string => dirname(output)

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
  readonly put: (id: number, state: Readable) => void
  /** Called with a free path before a file is moved there. @throws if the file must not be moved */
  readonly onPlacing: (path: string, version: FileVersion, kind?: 'original') => Promise<void>
  /** Returns the vault for the files in a folder, and creates one if necessary. @throws the file system's error */
  readonly vaultFor: (folder: string) => Promise<string>
  /** Returns the data folder that manages a vault; undefined if this data folder does. */
  readonly managerOf: (vault: string) => Promise<string | undefined>
}

/**
 * Returns which disk is full, if that is why an operation failed; otherwise undefined. The journal and the files may be on different disks.
 */
export function fullDiskOf(error: unknown): 'files' | 'journal' | undefined {
  if (isDiskFull(error)) return 'journal'
  return fileFailureOf(error) === 'full' ? 'files' : undefined
}

/**
 * Whether a replacement's vault isn't where it was: its volume isn't connected, another volume is mounted at its path, or the vault was
 * moved. Its random name identifies it.
 */
export const isAway = async ({ folder }: Pick<StoredReplacement, 'folder'>): Promise<boolean> =>
  !(await isOwnVault(dirname(folder)))

/** Returns an unused path in a folder of the vault. No one else creates files there. The name is shortened, so that a number fits. */
export async function freePath(folder: string, name: string): Promise<string> {
  const nameOf = numberedIn(folder, shortened(name))
  for (let attempt = 1; ; attempt++) if (!(await exists(nameOf(attempt)))) return nameOf(attempt)
}

/**
 * Returns an unused path for an original. A shortened name begins with the replacement's ID, because two long names may be identical once
 * shortened.
 */
export async function pathInVault({ id, folder, path }: StoredReplacement): Promise<string> {
  const name = basename(path)
  return freePath(join(folder, ORIGINALS), shortened(name) === name ? name : `${id} ${name}`)
}

/** Returns the original's path with the extension of the result's format, if that differs: `DSC_4821.heic` becomes `DSC_4821.jpg`. */
export function withEndingOf(original: string, result: string): string {
  const { dir, base } = parse(original)
  const extension = extname(result)
  const isSame = resultExtension(extensionOf(result), base) === extensionOf(base)
  return isSame ? original : join(dir, nameWith(base, { extension }))
}
