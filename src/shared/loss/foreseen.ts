/** What results will lose, as far as that is known before a job starts. */
import type { Loss, LossCode, LossReason } from './loss.ts'

export type Foreseen = {
  /** Number of files that will lose something. */
  readonly files: number
  /** At least one entry, the most frequent one first. */
  readonly kinds: readonly {
    readonly code: LossCode
    readonly why: LossReason
    /** Number of files. */
    readonly files: number
  }[]
}

/** What one result of a file will lose. */
export type ForeseenFile = { readonly path: string; readonly losses: readonly Loss[] }

/** @returns null if nothing is known to be lost */
export function countForeseen(files: readonly ForeseenFile[]): Foreseen | null {
  const lost = files.flatMap(({ path, losses }) => losses.map(({ code, why }) => ({ path, code, why })))
  if (lost.length === 0) return null
  const kinds = Map.groupBy(lost, ({ code, why }) => JSON.stringify([code, why]))
  return {
    files: countPaths(lost),
    kinds: [...kinds.values()]
      .flatMap((all) => {
        const [first] = all
        return first === undefined ? [] : [{ code: first.code, why: first.why, files: countPaths(all) }]
      })
      .toSorted((a, b) => b.files - a.files),
  }
}

const countPaths = (files: readonly { readonly path: string }[]): number =>
  new Set(files.map(({ path }) => path)).size
