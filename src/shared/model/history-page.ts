/** Queries of the history and its responses. */
import type { TaskName } from '../preset/task-names.ts'
import type { Outcome, PartAt } from './job.ts'

export type TaskNames = readonly { readonly task: TaskName; readonly names: string }[]

export type HistoryQuery = {
  /** Search words for file names, folders, presets and error texts; all must match. */
  readonly text?: string | undefined
  /** The names of tasks in the user's language. Search words match these too, because records contain only the English names. */
  readonly taskNames?: TaskNames | undefined
  readonly outcomes?: readonly Outcome['kind'][] | undefined
  readonly preset?: string | undefined
  /** ms since 1970, inclusive. */
  readonly from?: number | undefined
  /** ms since 1970, exclusive. */
  readonly to?: number | undefined
  readonly kind?: 'photos' | 'videos' | undefined
  /** Only jobs that replaced originals, including those whose originals were restored. */
  readonly replaced?: true | undefined
  /** Only jobs that assistants submitted. */
  readonly by?: 'assistant' | undefined
}

/** Maximum number of matches that are counted, because counting a million takes longer than finding a page of them. */
export const MOST_COUNTED = 10_000

export type HistoryPage = {
  /** The whole jobs: each entry stands for all parts of its job. */
  readonly records: readonly PartAt<'history'>[]
  /** Number of matches on all pages; at most `MOST_COUNTED`. If the request has a key, counts only matches older than the key. */
  readonly total: number
  /** Whether there are more matches than `total`. */
  readonly hasMore: boolean
  /** The key of the last record, used to request the next page; null if the page is empty. */
  readonly last: number | null
}

/** All finished jobs: how many, and when the oldest was created, in ms since 1970. */
export type HistoryExtent = { readonly total: number; readonly since: number | null }
