/** Replaced originals, as the user sees them. */
import { sumOf } from '../sum.ts'

export const VAULT_PREFIX = '.mediatray-vault-'

/** Whether the path of a job's output folder is in a vault. If so, the job's results replace the originals. */
export const isInVault = (path: string): boolean =>
  path.split(/[/\\]/).some((name) => name.startsWith(VAULT_PREFIX))

/** Why an original wasn't replaced. */
export const KEPT_REASONS = [
  /** The original was edited after the job had started. */
  'changed',
  /** The original was moved or deleted after the job had started. */
  'missing',
  'notSmaller',
  /** The result couldn't be decoded, isn't what the preset promises, or has another hard link. */
  'badResult',
  /** The document of the job's preset is lost, so the result couldn't be checked. */
  'unchecked',
  /** The result lost something that the preset didn't ask to lose. */
  'lost',
  /** The quality of the result was below the preset's limit. */
  'lowQuality',
  'noResult',
  /** The service reported a result that isn't in the job's folder. That file is never touched. */
  'misplaced',
  'readOnly',
  /** The result couldn't get the original's owner or permissions. */
  'rights',
  'inUse',
  /** The original is a symbolic link. */
  'link',
  /** The original has another hard link, so replacing this one wouldn't save space. */
  'hardLink',
  /** The vault couldn't be written. */
  'vault',
  /** The job was canceled before the original could be replaced. */
  'cancelled',
  /** The original's entry in the journal can't be read, so it isn't known whether the original was replaced. */
  'unreadable',
] as const
export type KeptReason = (typeof KEPT_REASONS)[number]

export type Replacement = {
  /** The original's path when the job was started. */
  readonly path: string
  readonly state:
    | { readonly kind: 'waiting' }
    /** `until`: when the original is deleted from the vault, in ms since 1970; null for never. */
    | { readonly kind: 'replaced'; readonly place: string; readonly until: number | null }
    /**
     * `result`: path of the result if it was kept. `resultBytes`: size of a result that isn't smaller than the original; null if unknown.
     */
    | {
        readonly kind: 'kept'
        readonly why: KeptReason
        readonly result: string | null
        readonly resultBytes: number | null
      }
    /**
     * `place`: the original's current path, which isn't `path` if that name was taken. `again`: whether it can be replaced again.
     * `restoredAt`: ms since 1970; null if unknown. `until`: when the result is deleted from the vault, in ms since 1970; null for never.
     */
    | {
        readonly kind: 'restored'
        readonly place: string
        readonly restoredAt: number | null
        readonly again: boolean
        readonly until: number | null
      }
    /** The original, or the result of a restored original, was deleted from the vault. `at`: when. `place`: path of the remaining file. */
    | {
        readonly kind: 'expired'
        readonly at: number
        readonly was: 'replaced' | 'restored'
        readonly place: string | null
      }
}

/** How many originals of a job were replaced, kept or restored. The sum is the number of all originals. */
export type ReplacedCounts = { readonly replaced: number; readonly kept: number; readonly restored: number }

/** Counts the originals of a job. @returns null while any of them is waiting to be replaced */
export function replacedCounts(replacements: readonly Replacement[]): ReplacedCounts | null {
  const counts = { replaced: 0, kept: 0, restored: 0 }
  for (const { state } of replacements) {
    if (state.kind === 'waiting') return null
    counts[state.kind === 'expired' ? state.was : state.kind] += 1
  }
  return counts
}

export const areAllRestored = ({ replaced, restored }: ReplacedCounts): boolean =>
  replaced === 0 && restored > 0

export type VaultTotals = {
  readonly files: number
  readonly bytes: number
  /** Folders of the vaults. */
  readonly vaults: readonly string[]
  /** Number of vaults that weren't found: their volume isn't connected, or they were moved or deleted. */
  readonly away: number
  /** Originals that couldn't be restored: their paths, and the sizes of their files in the vaults. */
  readonly unrestored: readonly { readonly path: string; readonly bytes: number }[]
  /** Vaults with originals that have no record, for example after damage. These are never deleted. */
  readonly unlisted: readonly string[]
}

export const NOTHING_HELD: VaultTotals = {
  files: 0,
  bytes: 0,
  vaults: [],
  away: 0,
  unrestored: [],
  unlisted: [],
}

/** Adds up the counts of several jobs; null if none of the jobs replaces its originals. */
export function addedCounts(all: readonly (ReplacedCounts | null)[]): ReplacedCounts | null {
  const known = all.filter((counts) => counts !== null)
  const sum = (which: keyof ReplacedCounts) => sumOf(known.map((counts) => counts[which]))
  return known.length === 0
    ? null
    : { replaced: sum('replaced'), kept: sum('kept'), restored: sum('restored') }
}

/** Why an original couldn't be restored, or couldn't be replaced again. */
export const NOT_RESTORED_REASONS = [
  /** The entry in the journal can't be read. */
  'unreadable',
  /** The file is no longer in the vault. */
  'gone',
  'full',
  /** The disk with the journal is full. The file may have been moved, but that couldn't be recorded. */
  'dataFull',
  'readOnly',
  /** The original's folder can't be used: a file or a broken link has its name, or a link on its path belongs to another user. */
  'noFolder',
  /** The file has since been edited. */
  'changed',
  'other',
] as const

/** What happened to an original that the user wanted to replace although something would be lost. */
export type ReplacedAnyway =
  | { readonly path: string; readonly kind: 'replaced' }
  /** `resultChanged`: the result was edited after the job. */
  | { readonly path: string; readonly kind: 'kept'; readonly why: KeptReason | 'resultChanged' }
  | Extract<Restored, { readonly kind: 'failed' }>

/** What happened to an original that was to be restored, or to be replaced again. */
export type Restored =
  /** `newer`: another program has saved to the original since it was replaced. The restored file contains these changes. */
  | { readonly path: string; readonly kind: 'restored'; readonly place: string; readonly newer?: true }
  /** The result was edited or the name of the original was taken, so both files exist. `place`: path of the restored original. */
  | { readonly path: string; readonly kind: 'both'; readonly place: string }
  | {
      readonly path: string
      readonly kind: 'failed'
      readonly why: (typeof NOT_RESTORED_REASONS)[number]
    }
  /** The vault isn't where it was: its volume isn't connected, or it was moved or deleted. `folder`: its last path. */
  | { readonly path: string; readonly kind: 'failed'; readonly why: 'away'; readonly folder: string }
  /** The file is gone, and another data folder manages the vault, for example, after the data folder was copied. `folder`: its path. */
  | { readonly path: string; readonly kind: 'failed'; readonly why: 'elsewhere'; readonly folder: string }
