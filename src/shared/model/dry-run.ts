/** The files in a watched folder, by the rule that they match. */
import type { FileHeader } from './file-facts.ts'

export type DryRunFile = {
  /** Absolute. */
  readonly path: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** In milliseconds since 1970. */
  readonly modified: number
  /** null if no condition asked for it. */
  readonly header: FileHeader | null
}

export type DryRun = {
  readonly files: number
  /** Whether the dry run was stopped before all files were read. */
  readonly stopped: boolean
  /** One entry for each rule, and one at the end for files that match no rule. */
  readonly rules: readonly {
    readonly files: number
    /** The first files by path. */
    readonly listed: readonly DryRunFile[]
  }[]
}
