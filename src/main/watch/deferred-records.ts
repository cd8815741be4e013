/** Remembers across restarts which files of watched folders wait because of a rule, and which missing presets have been reported. */
import type { DatabaseSync } from 'node:sqlite'
import { integer, inTransaction, nullable, rowsOf, table, text } from '../database/index.ts'
import type { FoundFile } from './fingerprint.ts'

export const Deferred = table(
  'held',
  { folder: text, path: text, size: integer, mtime: integer, preset: nullable(text) },
  { key: ['folder', 'path'] },
)
export const Warned = table('warned', { folder: text, preset: text }, { key: ['folder', 'preset'] })

export function createDeferredRecords(connection: DatabaseSync) {
  const deferred = rowsOf(connection, Deferred)
  const warned = rowsOf(connection, Warned)
  return {
    /** Returns the `preset` with which a file of this path, size and date was deferred; undefined if there is no such file. */
    deferredFor: (folder: string, { path, fingerprint: { size, mtime } }: FoundFile) =>
      deferred.only('preset').get({ folder, path, size, mtime }),
    deferredPaths: (folder: string): readonly string[] =>
      deferred
        .only('path')
        .all({ folder })
        .map(({ path }) => path),
    /** @param preset the missing preset; null if the files are deferred for another reason */
    defer: (folder: string, files: readonly FoundFile[], preset: string | null): void =>
      inTransaction(connection, () => {
        for (const { path, fingerprint } of files)
          deferred.put({ folder, path, size: fingerprint.size, mtime: fingerprint.mtime, preset })
      }),
    release: (folder: string, paths: readonly string[]): void =>
      inTransaction(connection, () => {
        for (const path of paths) deferred.remove({ folder, path })
      }),
    /** Records that a missing preset was reported. Returns false if it was already recorded. */
    noteWarned: (folder: string, preset: string): boolean => warned.add({ folder, preset }),
    /** Forgets the reports of all other presets, so that they are reported if they are missing again. */
    keepWarned(folder: string, presets: readonly string[]): void {
      for (const { preset } of warned.all({ folder }))
        if (!presets.includes(preset)) warned.remove({ folder, preset })
    },
    forgetDeferred(folder: string): void {
      deferred.remove({ folder })
      warned.remove({ folder })
    },
  }
}
