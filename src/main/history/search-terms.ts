/**
 * Lists the words of the search index. SQLite reads every entry of every word that starts with the typed text before it returns the
 * first match, unless the text has at most three characters. It reads whole words one match at a time, so a search for the few words
 * that start with the text takes as long as the page needs, regardless of the size of the history.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

/** SQLite has a separate index for shorter beginnings. */
const LONGEST_INDEXED_PREFIX = 3

/** With more words than this, reading them one match at a time isn't faster. */
const MOST_WORDS = 64

const Term = z.object({ term: z.string() }).transform(({ term }) => term)

/** SQLite counts characters, not UTF-16 code units. */
const isListed = (term: string): string => `length(${term}) > ${LONGEST_INDEXED_PREFIX}`

export const termSchema = 'CREATE TABLE search_terms (term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'

export type SearchTerms = ReturnType<typeof searchTerms>

export function searchTerms(connection: DatabaseSync) {
  const add = connection.prepare(
    `INSERT OR IGNORE INTO search_terms SELECT value FROM json_each(?) WHERE ${isListed('value')}`,
  )
  const list = connection.prepare(
    `SELECT term FROM search_terms WHERE term >= :start AND term < :end ORDER BY term LIMIT ${MOST_WORDS + 1}`,
  )
  return {
    add: (words: readonly string[]): void => void add.run(JSON.stringify(words)),

    /** Returns the words of the index that start with this text; undefined if there are too many, or if they aren't listed. */
    startingWith(start: string): readonly string[] | undefined {
      if (Array.from(start).length <= LONGEST_INDEXED_PREFIX) return undefined
      const found = list.all({ start, end: `${start}\u{10FFFF}` }).map((row) => Term.parse(row))
      return found.length === 0 || found.length > MOST_WORDS ? undefined : found
    },
  }
}

/** Rebuilds the list of words, to remove those of deleted records. */
export function listTerms(connection: DatabaseSync): void {
  connection.exec(`
    DELETE FROM search_terms;
    DROP TABLE IF EXISTS temp.search_vocabulary;
    CREATE VIRTUAL TABLE temp.search_vocabulary USING fts5vocab (main, search, col);
    INSERT OR IGNORE INTO search_terms
      SELECT term FROM temp.search_vocabulary WHERE col IN ('words', 'tails') AND ${isListed('term')};
    DROP TABLE temp.search_vocabulary;`)
}
