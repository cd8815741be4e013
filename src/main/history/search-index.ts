/**
 * Full-text search of the history. Both stored text and queries are split into normalized words here, and SQLite indexes only those
 * words.
 */
import { inEveryLanguage } from '../../node/translation.ts'
import type { HistoryQuery } from '../../shared/model/history-page.ts'
import type { Outcome } from '../../shared/model/job.ts'
import { changedTaskOf, taskOf } from '../../shared/preset/task-names.ts'
import { integer, type Fragment, selecting } from '../database/index.ts'
import type { StoredDetails, StoredRecord } from './schema.ts'
import { addTerms, listTerms, termsStartingWith } from './search-terms.ts'
import type { Tables } from './tables.ts'

/** Search terms for filters. They are in a separate column, so typed text can't match them. */
export const facets = {
  outcome: (kind: Outcome['kind']): string => `o${kind}`,
  open: 'xopen',
  /** Encodes the name in hex, so that it matches exactly even if it contains special characters. */
  preset: (name: string): string => `p${Buffer.from(name).toString('hex')}`,
  photos: 'kphotos',
  videos: 'kvideos',
  replaced: 'replaced',
  by: (who: string): string => `by${who}`,
} as const

/** Returns a condition that matches any of these terms. An empty list matches nothing. */
export const anyOf = (terms: readonly string[]): string =>
  `(facets : (${(terms.length === 0 ? ['none'] : terms).map((term) => `"${term}"`).join(' OR ')}))`

type Indexed = StoredRecord & StoredDetails

/** Updates the index entry of a job's first part, which includes the words of the other parts. */
export function indexParts(tables: Tables, parts: readonly StoredRecord[]): void {
  const rows: readonly Indexed[] = parts.flatMap((row) => {
    const details = tables.details.get({ seq: row.seq })
    return details === undefined ? [] : { ...row, ...details }
  })
  const [first] = rows
  if (first === undefined) return
  const words = [...new Set(rows.flatMap(textsOf))].flatMap(wordsOf)
  const tails = new Set([...new Set(words)].flatMap(tailsOf))
  const all = new Set([outcomeFacet(first), ...rows.flatMap(facetsOf)])
  void tables.change`INSERT OR REPLACE INTO search (rowid, words, tails, facets)
    VALUES (${first.seq}, ${words.join(' ')}, ${[...tails].join(' ')}, ${[...all].join(' ')})`
  addTerms(tables, [...words, ...tails])
}

/** @param records selects the keys of the records whose entries are removed */
export const removeFromIndex = ({ change }: Tables, records: Fragment): void =>
  void change`DELETE FROM search WHERE rowid IN (${records})`

/**
 * Number of index pages to merge per write. Of 8, 16, 32 and 64, 16 had the shortest maximum time over 500 writes of 20 records.
 */
const MERGED_PAGES = 16

/** Merges some of the index segments that writes leave behind. Call this in the transaction of each write. */
export const tidyIndex = ({ change }: Tables): void =>
  void change`INSERT INTO search (search, rank) VALUES ('merge', ${MERGED_PAGES})`

export function rebuildIndex(tables: Tables): void {
  const { connection, records, sql } = tables
  connection.exec(`INSERT INTO search (search) VALUES ('delete-all')`)
  const jobs = selecting(sql, {
    seq: integer,
  })`SELECT min(seq) AS seq FROM records WHERE removedAt IS NULL GROUP BY whole`
  for (const { seq } of jobs) {
    const first = records.get({ seq })
    if (first !== undefined)
      indexParts(tables, records.where`whole = ${first.whole} AND removedAt IS NULL ORDER BY part`)
  }
  connection.exec(`INSERT INTO search (search) VALUES ('optimize')`)
  listTerms(connection)
}

/** Returns the texts by which a record can be found. Duplicates are common, because most inputs are in the same folder. */
function textsOf(row: Indexed): readonly string[] {
  const problems = [...row.skipped, ...row.problems]
  const { serviceText, serviceFailure } = row.facts
  return [
    row.name,
    ...row.inputs.map(({ name }) => name),
    ...row.inputs.map(({ path }) => folderOf(path)),
    ...row.results.map(({ outputPath }) => outputPath.slice(folderOf(outputPath).length)),
    row.preset ?? '',
    row.output === null ? '' : row.output.kind === 'folder' ? row.output.path : row.output.folderId,
    row.driveInput ?? '',
    ...problems.map(({ file }) => file),
    ...problems.flatMap(({ error, failure }) => (failure ? inEveryLanguage(failure) : [error])),
    ...(serviceFailure ? inEveryLanguage(serviceFailure) : [serviceText ?? '']),
  ]
}

/** Returns a path's folder. Handles both kinds of slashes, because a path may come from another operating system. */
const folderOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** @param row the first part of a job, which has the outcome of all parts */
const outcomeFacet = ({ wholeOutcome }: Indexed): string =>
  wholeOutcome === null ? facets.open : facets.outcome(wholeOutcome.kind)

function facetsOf(row: Indexed): readonly string[] {
  return [
    ...(row.preset === null ? [] : [row.preset, taskBehind(row.preset)].map(facets.preset)),
    ...(row.photos > 0 ? [facets.photos] : []),
    ...(row.videos > 0 ? [facets.videos] : []),
    ...(row.replaced && row.replaced.replaced + row.replaced.restored > 0 ? [facets.replaced] : []),
    ...(row.submittedBy === null ? [] : [facets.by(row.submittedBy)]),
  ]
}

/** Returns the task that a preset is based on: "Under a size" for "Under a size: 2 MB". For other presets, returns the preset's name. */
const taskBehind = (preset: string): string => taskOf(changedTaskOf(preset) ?? preset)?.name ?? preset

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

/** A part of a word can be found only if it ends within this many characters. The beginning of a word can always be found. */
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

/** Whether a text contains these words in direct succession. The last may be the beginning of a word; a single one, any part of a word. */
function isIn(text: string, pieces: readonly string[]): boolean {
  const words = wordsOf(text)
  const starts = (word: string): boolean => word.startsWith(pieces.at(-1) ?? '')
  return words.some((word, at) =>
    pieces.length === 1
      ? [word, ...tailsOf(word)].some(starts)
      : pieces.slice(0, -1).every((piece, n) => words[at + n] === piece) &&
        starts(words[at + pieces.length - 1] ?? ''),
  )
}

/**
 * Returns the full-text query for the user's search text. A record matches if it contains all words, in any order, each as a whole
 * word or a part of one. Returns undefined if the text contains no words.
 */
export function conditionFor(
  { text = '', taskNames = [] }: HistoryQuery,
  tables: Tables,
): string | undefined {
  // A piece contains only letters and digits, so it can't close the quotes.
  const startingWith = (column: string, before: string, piece: string): string => {
    const words = termsStartingWith(tables, piece)
    if (words === undefined) return `${column} : "${before}${piece}" *`
    return `${column} : (${words.map((word) => `"${before}${word}"`).join(' OR ')})`
  }
  const conditions = text.split(/\s+/).flatMap((word) => {
    const pieces = [...wordsOf(word)]
    const tasks = taskNames.filter(({ names }) => isIn(names, pieces)).map(({ task }) => facets.preset(task))
    const last = pieces.pop()
    if (last === undefined) return []
    const condition =
      pieces.length === 0
        ? startingWith('{words tails}', '', last)
        : startingWith('words', `${pieces.join(' ')} `, last)
    return [tasks.length === 0 ? condition : `${condition} OR ${anyOf(tasks)}`]
  })
  return conditions.length === 0 ? undefined : conditions.map((condition) => `(${condition})`).join(' AND ')
}
