/**
 * The search of the history. Text is cut into plain words here, both what is stored and what is looked for, so that SQLite's
 * index only ever sees words that are already folded.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { OutcomeKind } from '../../shared/model/outcome.ts'
import { FileErrors, Inputs, Results } from './record-row.ts'

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
  open: 'xopen',
  /** In hexadecimal: an exact name, of whatever signs it is made. */
  preset: (name: string): string => `p${Buffer.from(name).toString('hex')}`,
  photos: 'kphotos',
  videos: 'kvideos',
} as const

export type SearchIndex = {
  /** Brings the words of one record up to date. */
  readonly update: (seq: number) => void
  readonly remove: (seq: number) => void
  /** Joins a few of the parts that writes leave behind; belongs into the transaction of each write. */
  readonly tidy: () => void
}

/** Pages of the index. Of 8, 16, 32 and 64 this one kept the longest of 500 writes of 20 records the shortest. */
const TIDIED_AT_ONCE = 16

export function searchIndex(connection: DatabaseSync): SearchIndex {
  const read = connection.prepare(
    `SELECT ${COLUMNS} FROM records JOIN details USING (seq) WHERE records.seq = ?`,
  )
  const replace = connection.prepare(
    'INSERT OR REPLACE INTO search (rowid, words, tails, facets) VALUES (?, ?, ?, ?)',
  )
  const remove = connection.prepare('DELETE FROM search WHERE rowid = ?')
  const merge = connection.prepare(`INSERT INTO search (search, rank) VALUES ('merge', ?)`)
  return {
    update(seq) {
      const row = IndexedRow.parse(read.get(seq))
      const words = textsOf(row).flatMap(wordsOf)
      const tails = new Set([...new Set(words)].flatMap(tailsOf))
      replace.run(seq, words.join(' '), [...tails].join(' '), facetsOf(row).join(' '))
    },
    remove: (seq) => void remove.run(seq),
    tidy: () => void merge.run(TIDIED_AT_ONCE),
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

/** Brings the words up to date of what is not over, of which there is little. */
export function indexOpen(connection: DatabaseSync): void {
  const index = searchIndex(connection)
  const Seq = z.object({ seq: z.number() })
  const open = connection
    .prepare('SELECT seq FROM records WHERE removed_at IS NULL AND outcome_kind IS NULL')
    .all()
  for (const row of open) index.update(Seq.parse(row).seq)
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
    ...(row.outcome_kind === null ? [facets.open] : [`o${row.outcome_kind}`]),
    ...(row.preset === null ? [] : [facets.preset(row.preset)]),
    ...(row.photos > 0 ? [facets.photos] : []),
    ...(row.videos > 0 ? [facets.videos] : []),
  ]
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Letters that are not a base letter with a mark, and that people type without knowing how. */
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
const SPELT_LETTERS = new RegExp(`[${Object.keys(SPELT).join('')}]`, 'g')

/** Without marks, case and width: Ä, ä and ａ are a. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(SPELT_LETTERS, (letter) => SPELT[letter] ?? letter)

/** Scripts that put no spaces between words: each sign is a word, and a longer word is looked for as a sequence. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`
const WORD = new RegExp(String.raw`${UNSPACED}|\p{N}+|(?:(?!${UNSPACED})\p{L})+`, 'gu')

/** Folded words in their order; letters and digits are apart, so that `IMG_0093`, `img0093` and `0093` meet. */
const wordsOf = (text: string): readonly string[] => fold(text).match(WORD) ?? []

/** Longer words are found from their start and up to here from their middle. */
const LONGEST_WITH_TAILS = 40
const SHORTEST_TAIL = 3
const SHORTEST_NUMBER_TAIL = 2

/** The ends of a word, so that a part of it can be found as the beginning of one: `foto` in `hafenfoto`. */
function tailsOf(word: string): readonly string[] {
  const shortest = /^\p{N}/u.test(word) ? SHORTEST_NUMBER_TAIL : SHORTEST_TAIL
  const letters = Array.from(word.slice(0, LONGEST_WITH_TAILS))
  const count = Math.max(0, letters.length - shortest)
  return Array.from({ length: count }, (_, n) => letters.slice(n + 1).join(''))
}

/**
 * The full-text condition for what a person typed: every word has to be there, in any order, as a word, the beginning or
 * a part of one. Undefined when there is nothing in it to look for.
 */
export function conditionFor(typed: string): string | undefined {
  const conditions = typed.split(/\s+/).flatMap((word) => {
    const pieces = wordsOf(word)
    if (pieces.length === 0) return []
    // Only letters and digits are left in a piece, so that nothing can end the quotes.
    return pieces.length === 1 ? [`{words tails} : "${pieces[0]}" *`] : [`words : "${pieces.join(' ')}" *`]
  })
  return conditions.length === 0 ? undefined : conditions.map((condition) => `(${condition})`).join(' AND ')
}
