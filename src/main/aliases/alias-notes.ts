/**
 * Notes about aliases, one small file per record. Each note is written before the aliases that it mentions exist. The next process can
 * therefore find everything that a killed one has left.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readRegular } from '../../node/open-regular.ts'
import { writeWholeSync } from '../../node/write-file.ts'
import { ifPossible } from '../../node/if-possible.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

const Note = z.object({
  folders: z.array(z.object({ path: z.string(), device: z.number() })),
  names: z.array(z.object({ path: z.string(), as: z.string() })),
})
export type Note = z.infer<typeof Note>

const SUFFIX = '.json'
const UNFINISHED = 'unfinished.tmp'

/** @param folder absolute; created with the first note */
export function aliasNotes(folder: string) {
  const fileOf = (id: RecordId) => join(folder, `${encodeURIComponent(id)}${SUFFIX}`)

  const read = (id: RecordId): Note | undefined =>
    ifPossible(() => Note.parse(JSON.parse(readRegular(fileOf(id)))))
  const names = () => ifPossible(() => readdirSync(folder)) ?? []

  /** Removes a note that a killed process didn't finish writing. */
  const removeUnfinished = (): void => rmSync(join(folder, UNFINISHED), { force: true })

  return {
    read,
    /** @throws the file system's error */
    write(id: RecordId, note: Note): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      // The next process may create aliases before its first sweep.
      removeUnfinished()
      writeWholeSync(fileOf(id), JSON.stringify(note), join(folder, UNFINISHED))
    },
    remove: (id: RecordId) => rmSync(fileOf(id), { force: true }),
    ids: (): readonly RecordId[] =>
      names()
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => asRecordId(decodeURIComponent(name.slice(0, -SUFFIX.length)))),
    removeUnfinished,
  }
}
