/** Reads the newest records for completions in a shell: without migrating, creating or locking the file. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

const Row = z.object({ id: z.string(), name: z.string() })

/**
 * @param file absolute path of the history
 * @returns the newest first; none if the file is missing, in use or damaged
 */
export function recentIds(
  file: string,
  limit: number,
): readonly { readonly id: string; readonly name: string }[] {
  if (!existsSync(file)) return []
  try {
    const connection = new DatabaseSync(file, { readOnly: true })
    try {
      const select = 'SELECT id, name FROM records WHERE removed_at IS NULL ORDER BY seq DESC LIMIT ?'
      return z.array(Row).parse(connection.prepare(select).all(limit))
    } finally {
      connection.close()
    }
  } catch {
    // Completions are only a convenience. A command that uses the history reports what is wrong with it.
    return []
  }
}
