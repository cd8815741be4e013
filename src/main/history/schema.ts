import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../database/index.ts'
import { indexAll, indexOpen } from './search-index.ts'

/**
 * The history's schema, step by step. A step that has been released is never changed: files of that version exist.
 *
 * `seq` is the time of creation in ms, times 1000, plus a number within that millisecond: the newest are read first
 * without sorting, and a span of time is a span of keys.
 */
export const migrations: readonly Migration[] = [
  (connection) =>
    connection.exec(`
      CREATE TABLE records (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        origin TEXT NOT NULL,
        name TEXT NOT NULL,
        first_path TEXT,
        photos INTEGER NOT NULL,
        videos INTEGER NOT NULL,
        files INTEGER,
        preset TEXT,
        variations INTEGER NOT NULL,
        output_kind TEXT,
        output TEXT,
        drive_input TEXT,
        grouping TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        job_id TEXT,
        base_url TEXT,
        service TEXT,
        accepted_at INTEGER,
        started_at INTEGER,
        ended_at INTEGER,
        outcome_kind TEXT,
        outcome TEXT,
        service_text TEXT,
        unseen INTEGER NOT NULL DEFAULT 0,
        removed_at INTEGER
      ) STRICT;
      CREATE INDEX records_over ON records (seq) WHERE removed_at IS NULL AND outcome_kind IS NOT NULL;
      CREATE INDEX records_open ON records (seq) WHERE removed_at IS NULL AND outcome_kind IS NULL;
      CREATE INDEX records_unseen ON records (seq) WHERE removed_at IS NULL AND unseen = 1;
      CREATE INDEX records_removed ON records (removed_at) WHERE removed_at IS NOT NULL;

      CREATE TABLE details (
        seq INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
        inputs TEXT NOT NULL DEFAULT '[]',
        skipped TEXT NOT NULL DEFAULT '[]',
        results TEXT NOT NULL DEFAULT '[]',
        problems TEXT NOT NULL DEFAULT '[]'
      ) STRICT;`),

  (connection: DatabaseSync) => {
    connection.exec(`
      CREATE VIRTUAL TABLE search USING fts5 (
        words, tails, facets,
        content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 0'
      );`)
    indexAll(connection)
  },

  // The creation of a job in the service's words, which with the id names it, and whether its acceptance was inferred.
  (connection) =>
    connection.exec(`
      ALTER TABLE records ADD COLUMN job_created_at TEXT;
      ALTER TABLE records ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX records_job ON records (job_id) WHERE job_id IS NOT NULL;`),

  // Whether the results of a job are on its service's computer and have to be fetched.
  (connection) => connection.exec('ALTER TABLE records ADD COLUMN remote INTEGER NOT NULL DEFAULT 0'),

  // What the service has noted of the results.
  (connection) => connection.exec(`ALTER TABLE details ADD COLUMN notes TEXT NOT NULL DEFAULT '[]'`),

  // The index joins its parts a little with each write, and not many of them at once in one that everybody waits for.
  (connection) => connection.exec(`INSERT INTO search (search, rank) VALUES ('automerge', 0)`),

  // What was said of it before it was started, and what its results came to.
  (connection) =>
    connection.exec(`
      ALTER TABLE details ADD COLUMN forecast TEXT;
      ALTER TABLE details ADD COLUMN result_bytes INTEGER;`),

  // What presets were called, for the records up to `last_seq`.
  (connection) =>
    connection.exec(`
      CREATE TABLE renamed_presets (
        number INTEGER PRIMARY KEY,
        was TEXT NOT NULL,
        name TEXT NOT NULL,
        unaddressed INTEGER NOT NULL,
        last_seq INTEGER NOT NULL
      ) STRICT;`),

  // What is not over is told by a word of its own.
  indexOpen,
]
