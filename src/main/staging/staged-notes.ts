/**
 * Notes about staged files, one small file per record. A note is written before anything that it mentions, so a killed process
 * leaves nothing that the next one can't find.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { OWN_MARK } from '../../node/owner-mark.ts'
import { writeWholeSync } from '../../node/write-file.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

const Note = z.object({
  /** Marks the process that wrote the note. Other processes leave the record to it while it is running. */
  by: z.string(),
  folders: z.array(z.object({ path: z.string(), device: z.number() })),
  names: z.array(z.object({ path: z.string(), as: z.string() })),
})
export type Note = z.infer<typeof Note>

const SUFFIX = '.json'

export type StagedNotes = ReturnType<typeof stagedNotes>

/** @param folder absolute; created with the first note */
export function stagedNotes(folder: string) {
  const fileOf = (id: RecordId) => join(folder, `${encodeURIComponent(id)}${SUFFIX}`)

  function read(id: RecordId): Note | undefined {
    try {
      return Note.safeParse(JSON.parse(readFileSync(fileOf(id), 'utf8'))).data
    } catch {
      return undefined
    }
  }

  return {
    read,
    /** @throws the file system's error */
    write(id: RecordId, note: Omit<Note, 'by'>): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeWholeSync(fileOf(id), JSON.stringify({ by: OWN_MARK, ...note } satisfies Note))
    },
    remove: (id: RecordId) => rmSync(fileOf(id), { force: true }),
    /** Returns the records with a note. */
    ids(): readonly RecordId[] {
      try {
        return readdirSync(folder)
          .filter((name) => name.endsWith(SUFFIX))
          .map((name) => asRecordId(decodeURIComponent(name.slice(0, -SUFFIX.length))))
      } catch {
        return []
      }
    },
  }
}
