import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { OutcomeKind } from '../../shared/model/outcome.ts'
import { FileErrors, Inputs, Results } from './record-row.ts'
import { tailsOf, wordsOf } from './search-terms.ts'

const IndexedRow = z.object({
  seq: z.number(),
  name: z.string(),
  photos: z.number(),
  videos: z.number(),
  preset: z.string().nullable(),
  output: z.string().nullable(),
  drive_input: z.string().nullable(),
  outcome_kind: z.string().nullable(),
  service_text: z.string().nullable(),
  inputs: Inputs,
  skipped: FileErrors,
  results: Results,
  problems: FileErrors,
})
type IndexedRow = z.infer<typeof IndexedRow>

const COLUMNS = Object.keys(IndexedRow.shape)
  .map((column) => (column === 'seq' ? 'records.seq' : column))
  .join(', ')

/** Words of the index that stand for what can be filtered by; looked for in their own column, so nobody can type them. */
export const facets = {
  outcome: (kind: OutcomeKind): string => `o${kind}`,
  over: 'xover',
  /** In hexadecimal: an exact name, of whatever signs it is made. */
  preset: (name: string): string => `p${Buffer.from(name).toString('hex')}`,
  photos: 'kphotos',
  videos: 'kvideos',
} as const

export type SearchIndex = {
  /** Brings the words of one record up to date. */
  readonly update: (seq: number) => void
  readonly remove: (seq: number) => void
}

export function searchIndex(connection: DatabaseSync): SearchIndex {
  const read = connection.prepare(
    `SELECT ${COLUMNS} FROM records JOIN details USING (seq) WHERE records.seq = ?`,
  )
  const replace = connection.prepare(
    'INSERT OR REPLACE INTO search (rowid, words, tails, facets) VALUES (?, ?, ?, ?)',
  )
  const remove = connection.prepare('DELETE FROM search WHERE rowid = ?')
  return {
    update(seq) {
      const row = IndexedRow.parse(read.get(seq))
      const words = textsOf(row).flatMap(wordsOf)
      const tails = new Set([...new Set(words)].flatMap(tailsOf))
      replace.run(seq, words.join(' '), [...tails].join(' '), facetsOf(row).join(' '))
    },
    remove: (seq) => void remove.run(seq),
  }
}

/** Makes the whole index anew from the records, from which all of it follows. */
export function indexAll(connection: DatabaseSync): void {
  const index = searchIndex(connection)
  const Seq = z.object({ seq: z.number() })
  const shown = connection.prepare('SELECT seq FROM records WHERE removed_at IS NULL').all()
  for (const row of shown) index.update(Seq.parse(row).seq)
  connection.exec(`INSERT INTO search (search) VALUES ('optimize')`)
}

/** Folders are mostly the same for all inputs: each text once, in the order in which it comes. */
function textsOf(row: IndexedRow): readonly string[] {
  const problems = [...row.skipped, ...row.problems]
  return [
    ...new Set([
      row.name,
      ...row.inputs.map(({ name }) => name),
      ...row.inputs.map(({ path }) => folderOf(path)),
      ...row.results.map(({ outputPath }) => outputPath.slice(folderOf(outputPath).length)),
      row.preset ?? '',
      row.output ?? '',
      row.drive_input ?? '',
      ...problems.map(({ file }) => file),
      ...problems.map(({ error }) => error),
      row.service_text ?? '',
    ]),
  ]
}

/** Either slash: the paths may be of another system than this one. */
const folderOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

function facetsOf(row: IndexedRow): readonly string[] {
  return [
    ...(row.outcome_kind === null ? [] : [facets.over, `o${row.outcome_kind}`]),
    ...(row.preset === null ? [] : [facets.preset(row.preset)]),
    ...(row.photos > 0 ? [facets.photos] : []),
    ...(row.videos > 0 ? [facets.videos] : []),
  ]
}
