/**
 * Remembers the contents of our own results across restarts. A file with such content counts as ours at every path, unless the result is
 * equal to its original. Such a result differs from the user's own copies only in its path and time. For all other results, paths, sizes
 * and times only limit which files have to be read.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import {
  flag,
  integer,
  inTransaction,
  json,
  nullable,
  rowsOf,
  serial,
  table,
  text,
} from '../database/index.ts'
import type { FoundFile } from './fingerprint.ts'
import type { ReadInput } from './read-records.ts'
import { Files, fingerprintColumns } from './taken-files.ts'

export type NotedResult = {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 as hex. */
  readonly content: string
  /** When the result was created or noted, in milliseconds since 1970. */
  readonly at: number
  /** Whether the result is a copy of its original. The same content elsewhere may then be the user's own file. */
  readonly isCopy?: boolean
  /** `inode` and `born` show whether a file is the restored original at a new path or a copy. `born` is in milliseconds since 1970. */
  readonly inode?: string | undefined
  readonly born?: number | undefined
  /** The input as it was read; missing if the built-in service didn't note the result. */
  readonly from?: ReadInput
}

/** A job of another service that may have created results without reporting them. */
export type Doubt = {
  readonly outputFolder: string
  /** The inputs' names without extensions. */
  readonly stems: readonly string[]
  /** Milliseconds since 1970. */
  readonly since: number
  readonly until: number
  /** Whether the job's inputs may themselves have been unreported results. */
  readonly isRepeated: boolean
}

/** Maximum time between noting an original and its return, in ms. Network disks have their own clocks. */
const RETURN_SLACK_MS = 60_000

const noted = { path: text, size: integer, content: text, at: integer } as const

export const Results = table('results', noted, { key: ['size', 'content'], indexes: { path: '(path)' } })
export const Returned = table(
  'returned',
  { ...noted, inode: nullable(text), born: nullable(integer) },
  { key: ['path'], indexes: { size: '(size)' } },
)
export const Learned = table('learned', { job: text }, { key: ['job'] })
export const Unread = table('unread', { path: text, ...fingerprintColumns }, { key: ['path'] })
export const Works = table(
  'works',
  { id: text, until: integer },
  { key: ['id'], indexes: { until: '(until)' } },
)
export const Doubts = table(
  'doubts',
  {
    number: serial,
    outputFolder: text,
    stems: json(z.array(z.string()).readonly()),
    since: integer,
    until: integer,
    isRepeated: flag,
  },
  { key: ['number'], indexes: { output: '(outputFolder)' } },
)

export function createResultRecords(connection: DatabaseSync) {
  const files = rowsOf(connection, Files)
  const results = rowsOf(connection, Results)
  const returned = rowsOf(connection, Returned)
  const learned = rowsOf(connection, Learned)
  const unread = rowsOf(connection, Unread)
  const works = rowsOf(connection, Works)
  const doubts = rowsOf(connection, Doubts)

  function note({ size, content, path, at, isCopy = false }: NotedResult): void {
    const isOriginal = isCopy || files.has({ content })
    if (isOriginal && !results.has({ size, content })) returned.put({ path, size, content, at })
    else results.put({ size, content, path, at })
  }

  return {
    noteResults(all: readonly NotedResult[]): void {
      if (all.length === 0) return
      inTransaction(connection, () => all.forEach(note))
    },
    /**
     * Records an original that is about to return to its path. Only this file is recognized then, because the user may add a copy later.
     */
    noteReturned: ({ inode, born, ...original }: NotedResult): void =>
      returned.put({ ...original, inode: inode ?? null, born: born ?? null }),
    isReturned({ path, fingerprint: { size, changed, inode, born }, content = '' }: FoundFile): boolean {
      const [from, to] = [changed - RETURN_SLACK_MS, changed + RETURN_SLACK_MS]
      const isSame = returned.where`size = ${size} AND content = ${content}
        AND (path = ${path} AND at BETWEEN ${from} AND ${to} OR inode = ${inode} AND born = ${born}) LIMIT 1`
      return isSame.length > 0
    },
    /** Whether the files of a vault's job in its current state have been recorded. */
    hasLearned: (job: string): boolean => learned.has({ job }),
    /**
     * Records what the vaults know, for example after an older copy of this database was restored.
     * @param jobs all jobs in the vaults
     */
    learn: (
      jobs: readonly string[],
      placed: readonly NotedResult[],
      originals: readonly NotedResult[],
    ): void =>
      inTransaction(connection, () => {
        placed.forEach(note)
        // The vault noted the return itself. A copy that has been added since then must stay new.
        for (const { path, size, content, at } of originals) returned.add({ path, size, content, at })
        learned.remove({})
        for (const job of jobs) learned.add({ job })
      }),
    hasResult: (size: number, content: string): boolean => results.has({ size, content }),
    /**
     * Whether a file of this size must be read to find out whether it is ours: a known result, a returned original or an unread result has
     * this size.
     */
    mayBeResult: (size: number): boolean =>
      results.has({ size }) || returned.has({ size }) || unread.has({ size }),
    /** Whether the content of a result at this path was noted at or after a time. */
    hasResultAt: (path: string, since: number): boolean =>
      results.where`path = ${path} AND at >= ${since} LIMIT 1`.length > 0,
    /**
     * Records the end of a job, and its results that have to be read. Does nothing if it is recorded already.
     * @param also runs in the same transaction
     */
    noteJob: (
      { id, until }: { readonly id: string; readonly until: number },
      toRead: readonly FoundFile[],
      doubt: Doubt | undefined,
      also: () => void,
    ): void =>
      inTransaction(connection, () => {
        if (!works.add({ id, until })) return
        also()
        for (const { path, fingerprint } of toRead) unread.put({ path, ...fingerprint })
        if (doubt !== undefined) doubts.insert(doubt)
      }),
    /** Returns when the last recorded job ended, in milliseconds since 1970; 0 if there is none. */
    lastJob: (): number => works.where`true ORDER BY until DESC LIMIT 1`[0]?.until ?? 0,
    hasJob: (id: string): boolean => works.has({ id }),
    unreadResults: (): readonly FoundFile[] =>
      unread.all().map(({ path, ...fingerprint }) => ({ path, fingerprint: { ...fingerprint, device: '' } })),
    isUnread: (path: string): boolean => unread.has({ path }),
    /** Ends the reading of a result. @param result undefined if it was changed or deleted before it could be read */
    endReading: (path: string, result: NotedResult | undefined): void =>
      inTransaction(connection, () => {
        unread.remove({ path })
        if (result !== undefined) note(result)
      }),
    doubtsIn: (outputFolder: string): readonly Doubt[] => doubts.all({ outputFolder }),
  }
}
