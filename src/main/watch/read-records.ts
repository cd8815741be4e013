/**
 * Remembers across restarts how jobs have read the submitted inputs. An input may be saved again, or replaced by another file, after it was
 * submitted but before the job reads it. The job then processes the new content.
 */
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction, rowsOf, table, text } from '../database/index.ts'
import { type Fingerprint, type FoundFile, isUntouched } from './fingerprint.ts'
import { Files, fingerprintColumns } from './taken-files.ts'

/** An input as the built-in service read it. */
export type ReadInput = Pick<FoundFile, 'path' | 'fingerprint'> & { readonly preset: string }

export const Reads = table(
  'reads',
  { path: text, preset: text, ...fingerprintColumns },
  { key: ['path', 'preset'] },
)

/** The longest time between taking files and creating their submission, in ms. Each file is examined in between. */
const SUBMITTING_MS = 10 * 60 * 1000

/** Whether both are the same file, perhaps with different contents. */
const isSameFile = (one: Pick<Fingerprint, 'inode' | 'born'>, other: Pick<Fingerprint, 'inode' | 'born'>) =>
  one.inode === other.inode && one.born === other.born

export function createReadRecords(connection: DatabaseSync) {
  const files = rowsOf(connection, Files)
  const reads = rowsOf(connection, Reads)
  return {
    /** Whether the folder has a record of a file at this path: taken, or left without processing. */
    wasTaken: (folder: string, path: string): boolean => files.has({ folder, path }),
    /** Records submitted inputs as they were read. Ignores all other inputs. */
    noteRead(inputs: readonly ReadInput[]): void {
      const submitted = inputs.filter(({ path }) => files.has({ path }))
      if (submitted.length === 0) return
      inTransaction(connection, () => {
        for (const { path, preset, fingerprint } of submitted) reads.put({ path, preset, ...fingerprint })
      })
    },
    forgetReads: (path: string): void => void reads.remove({ path }),
    /**
     * Handles the end of a job for one of its inputs. If the job has read, or may have read, another file, the submitted file counts as
     * new, wherever it is now.
     * @param submittedAt when its submission was created, in milliseconds since 1970
     * @param there the file that is at its path now
     * @returns the paths to check again
     */
    endInput(
      folder: string,
      path: string,
      submittedAt: number,
      there: FoundFile | undefined,
    ): readonly string[] {
      const [taken] = files.where`folder = ${folder} AND path = ${path} AND takenAs = path
        AND takenAt BETWEEN ${submittedAt - SUBMITTING_MS} AND ${submittedAt}`
      if (taken === undefined) return []
      const as = reads.all({ path })
      const isThere = there !== undefined && isSameFile(there.fingerprint, taken)
      const isRead =
        as.length === 0 ? isThere || there === undefined : as.every((one) => isSameFile(one, taken))
      if (isRead) {
        if (isThere && as.every((one) => isUntouched(one, there.fingerprint))) reads.remove({ path })
        return []
      }
      const taking = { folder, takenAs: path, takenAt: taken.takenAt }
      const renamed = files.all(taking).flatMap((one) => (one.path === path ? [] : one.path))
      for (const one of renamed) files.remove({ folder, path: one })
      // The file that is at its path now may still be recognized by its content.
      files.update({ folder, path }, { inode: '' })
      return [path, ...renamed]
    },
    /** Whether this file was read, as it is now, for each of these presets. */
    wasRead: ({ path, fingerprint }: FoundFile, presets: readonly string[]): boolean =>
      presets.length > 0 &&
      presets.every((preset) => {
        const read = reads.get({ path, preset })
        return read !== undefined && isUntouched(read, fingerprint)
      }),
  }
}
