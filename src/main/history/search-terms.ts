/**
 * Lists the words of the search index. If the typed text has more than three characters, SQLite reads every entry of every word that starts
 * with it before returning the first match. For a whole word, it reads one match at a time. A search for the few words that start with the
 * text therefore takes only as long as the page needs, regardless of the size of the history.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Tables } from './tables.ts'

/** Maximum length of word beginnings for which SQLite has a separate index. */
const LONGEST_INDEXED_PREFIX = 3

/** Maximum number of words to read one match at a time. With more words, that isn't faster. */
const MOST_WORDS = 64

/** Adds the words that are longer than the indexed beginnings. SQLite counts characters, not UTF-16 code units. */
export const addTerms = ({ change }: Tables, words: readonly string[]): void =>
  void change`INSERT OR IGNORE INTO search_terms
    SELECT value FROM json_each(${JSON.stringify(words)}) WHERE length(value) > ${LONGEST_INDEXED_PREFIX}`

/** Returns the words of the index that start with this text; undefined if there are too many, or if they aren't listed. */
export function termsStartingWith({ searchTerms }: Tables, start: string): readonly string[] | undefined {
  if (Array.from(start).length <= LONGEST_INDEXED_PREFIX) return undefined
  const found = searchTerms.where`term >= ${start} AND term < ${`${start}\u{10FFFF}`} ORDER BY term LIMIT ${MOST_WORDS + 1}`
  return found.length === 0 || found.length > MOST_WORDS ? undefined : found.map(({ term }) => term)
}

/** Rebuilds the list of words, to remove those of deleted records. */
export function listTerms(connection: DatabaseSync): void {
  connection.exec(`
    DELETE FROM search_terms;
    DROP TABLE IF EXISTS temp.search_vocabulary;
    CREATE VIRTUAL TABLE temp.search_vocabulary USING fts5vocab (main, search, col);
    INSERT OR IGNORE INTO search_terms
      SELECT term FROM temp.search_vocabulary WHERE col IN ('words', 'tails') AND length(term) > ${LONGEST_INDEXED_PREFIX};
    DROP TABLE temp.search_vocabulary;`)
}
