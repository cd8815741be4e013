/**
 * Full-text search of the history. Both stored text and queries are split into normalized words here, and SQLite indexes only those
 * words.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inEveryLanguage } from '../../shared/i18n/every-language.ts'
import type { OutcomeKind } from '../../shared/model/outcome.ts'
import { FileErrors, Inputs, Replaced, Results, ServiceFailure } from './record-row.ts'
import { listTerms, searchTerms, termSchema, type SearchTerms } from './search-terms.ts'

/** Automatic merging could block a single write for a long time, so it is off. Each write merges a small part instead. */
export const searchSchema = `
  CREATE VIRTUAL TABLE search USING fts5 (
    words, tails, facets,
    content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 0'
  );
  INSERT INTO search (search, rank) VALUES ('automerge', 0);
  ${termSchema};`

const IndexedRow = z.object({
  seq: z.number(),
  name: z.string(),
  photos: z.number(),
  videos: z.number(),
  preset: z.string().nullable(),
  group_id: z.string().nullable(),
  group_kind: z.string().nullable(),
  output: z.string().nullable(),
  drive_input: z.string().nullable(),
  outcome_kind: z.string().nullable(),
  service_text: z.string().nullable(),
  service_failure: ServiceFailure,
  inputs: Inputs,
  skipped: FileErrors,
  results: Results,
  problems: FileErrors,
  replaced: Replaced,
  submitted_by: z.string().nullable(),
})
type IndexedRow = z.infer<typeof IndexedRow>

const Seq = z.object({ seq: z.number() })

/** Search terms for filters. They are in a separate column, so typed text can't match them. */
export const facets = {
  outcome: (kind: OutcomeKind): string => `o${kind}`,
  open: 'xopen',
  /** Hex-encoded, so that a name matches exactly even if it contains special characters. */
  preset: (name: string): string => `p${Buffer.from(name).toString('hex')}`,
  photos: 'kphotos',
  videos: 'kvideos',
  replaced: 'replaced',
  by: (who: string): string => `by${who}`,
} as const

export type SearchIndex = {
  /** Updates a record's index entry. The entry of a group's first part includes the other parts. */
  readonly update: (seq: number, others?: readonly number[]) => void
  readonly remove: (seq: number) => void
  /** Merges some of the index segments that writes leave behind. Call this in the transaction of each write. */
  readonly tidy: () => void
}

/**
 * Number of index pages to merge per write. Of 8, 16, 32 and 64, 16 had the shortest maximum time over 500 writes of 20 records.
 */
const MERGED_PAGES = 16

export function searchIndex(connection: DatabaseSync): SearchIndex {
  const read = connection.prepare('SELECT * FROM records JOIN details USING (seq) WHERE seq = ?')
  const replace = connection.prepare(
    'INSERT OR REPLACE INTO search (rowid, words, tails, facets) VALUES (?, ?, ?, ?)',
  )
  const remove = connection.prepare('DELETE FROM search WHERE rowid = ?')
  const terms = searchTerms(connection)
  const merge = connection.prepare(`INSERT INTO search (search, rank) VALUES ('merge', ?)`)
  return {
    update(seq, others = []) {
      const first = IndexedRow.parse(read.get(seq))
      const rows = [first, ...others.map((one) => IndexedRow.parse(read.get(one)))]
      const words = [...new Set(rows.flatMap(textsOf))].flatMap(wordsOf)
      const tails = new Set([...new Set(words)].flatMap(tailsOf))
      const all = new Set([outcomeFacet(first), ...rows.flatMap(facetsOf)])
      replace.run(seq, words.join(' '), [...tails].join(' '), [...all].join(' '))
      terms.add([...words, ...tails])
    },
    remove: (seq) => void remove.run(seq),
    tidy: () => void merge.run(MERGED_PAGES),
  }
}

/** Replaces a damaged index. */
export function rebuildIndex(connection: DatabaseSync): void {
  connection.exec(`INSERT INTO search (search) VALUES ('delete-all')`)
  const index = searchIndex(connection)
  const rows = connection.prepare('SELECT seq FROM records WHERE removed_at IS NULL').all()
  for (const row of rows) index.update(Seq.parse(row).seq)
  connection.exec(`INSERT INTO search (search) VALUES ('optimize')`)
  listTerms(connection)
}

/** Returns each text once, in order. Duplicates are common, because most inputs are in the same folder. */
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
      ...problems.flatMap(({ error, failure }) => (failure ? inEveryLanguage(failure) : [error])),
      ...(row.service_failure ? inEveryLanguage(row.service_failure) : [row.service_text ?? '']),
    ]),
  ]
}

/** Handles both kinds of slashes, because a path may come from another operating system. */
const folderOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** @param row a single record, or the first part of a group, which has the outcome of the group */
function outcomeFacet({ group_id, group_kind, outcome_kind }: IndexedRow): string {
  const kind = group_id === null ? outcome_kind : group_kind
  return kind === null ? facets.open : `o${kind}`
}

function facetsOf(row: IndexedRow): readonly string[] {
  return [
    ...(row.preset === null ? [] : [facets.preset(row.preset)]),
    ...(row.photos > 0 ? [facets.photos] : []),
    ...(row.videos > 0 ? [facets.videos] : []),
    ...(row.replaced && row.replaced.replaced + row.replaced.restored > 0 ? [facets.replaced] : []),
    ...(row.submitted_by === null ? [] : [facets.by(row.submitted_by)]),
  ]
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Common transliterations of letters that don't decompose into a base letter and a mark. SQLite also folds the final sigma. */
const TRANSLITERATED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
const TRANSLITERATED_LETTERS = new RegExp(`[${Object.keys(TRANSLITERATED).join('')}]`, 'g')

/** Removes differences in diacritics, case and width: Ä, ä and ａ become a. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(TRANSLITERATED_LETTERS, (letter) => TRANSLITERATED[letter] ?? letter)

/** Scripts that don't separate words with spaces. Each character counts as a word, and longer words are searched as phrases. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`
const WORD = new RegExp(String.raw`${UNSPACED}|\p{N}+|(?:(?!${UNSPACED})\p{L})+`, 'gu')

/** Returns normalized words in order. Letters and digits are separated, so that both `img0093` and `0093` match `IMG_0093`. */
const wordsOf = (text: string): readonly string[] => fold(text).match(WORD) ?? []

/** A longer word can be found only by its beginning, or by a part that starts within this many characters. */
const LONGEST_WITH_TAILS = 40
const SHORTEST_TAIL = 3
const SHORTEST_NUMBER_TAIL = 2

/** Returns the suffixes of a word, so that a prefix search also finds parts of words: `foto` in `hafenfoto`. */
function tailsOf(word: string): readonly string[] {
  const shortest = /^\p{N}/u.test(word) ? SHORTEST_NUMBER_TAIL : SHORTEST_TAIL
  const letters = Array.from(word.slice(0, LONGEST_WITH_TAILS))
  const count = Math.max(0, letters.length - shortest)
  return Array.from({ length: count }, (_, n) => letters.slice(n + 1).join(''))
}

/**
 * Returns the full-text query for the user's search text. A record matches if it contains all words, in any order, each as a whole
 * word or a part of one. Returns undefined if the text contains no words.
 */
export function conditionFor(typed: string, terms: Pick<SearchTerms, 'startingWith'>): string | undefined {
  // A piece contains only letters and digits, so it can't close the quotes.
  const startingWith = (column: string, before: string, piece: string): string => {
    const words = terms.startingWith(piece)
    if (words === undefined) return `${column} : "${before}${piece}" *`
    return `${column} : (${words.map((word) => `"${before}${word}"`).join(' OR ')})`
  }
  const conditions = typed.split(/\s+/).flatMap((word) => {
    const pieces = [...wordsOf(word)]
    const last = pieces.pop()
    if (last === undefined) return []
    return pieces.length === 0
      ? [startingWith('{words tails}', '', last)]
      : [startingWith('words', `${pieces.join(' ')} `, last)]
  })
  return conditions.length === 0 ? undefined : conditions.map((condition) => `(${condition})`).join(' AND ')
}
