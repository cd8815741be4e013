import type { DatabaseSync } from 'node:sqlite'
import { isSearchDamage, type Migration } from '../database/index.ts'
import { hookSchema } from './hook-queue.ts'
import { ledgerSchema, pendingPrints } from './ledger.ts'
import { measuredSchema, measuredSums } from './measured-results.ts'
import { refusalSchema } from './refusals.ts'
import { indexAll, indexOpen, rebuildIndex } from './search-index.ts'
import { listTerms } from './search-terms.ts'

/**
 * The history's schema migrations. Never change a released migration, because files of that version exist. `seq` is the creation
 * time in ms, times 1000, plus a sequence number within that millisecond. The newest records can thus be read first without
 * sorting, and a time span is a range of keys.
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

  // Adds the job's creation time as the service sent it, and whether the acceptance was inferred. The creation time and the ID
  // together identify a job.
  (connection) =>
    connection.exec(`
      ALTER TABLE records ADD COLUMN job_created_at TEXT;
      ALTER TABLE records ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX records_job ON records (job_id) WHERE job_id IS NOT NULL;`),

  // Adds whether a job's results are on the service's computer and must be downloaded.
  (connection) => connection.exec('ALTER TABLE records ADD COLUMN remote INTEGER NOT NULL DEFAULT 0'),

  // Adds the service's notes on the results.
  (connection) => connection.exec(`ALTER TABLE details ADD COLUMN notes TEXT NOT NULL DEFAULT '[]'`),

  // Turns off automatic merging, because it can block a single write for a long time. Each write merges a small part instead.
  (connection) => connection.exec(`INSERT INTO search (search, rank) VALUES ('automerge', 0)`),

  // Adds the estimate shown before submission and the actual size of the results.
  (connection) =>
    connection.exec(`
      ALTER TABLE details ADD COLUMN forecast TEXT;
      ALTER TABLE details ADD COLUMN result_bytes INTEGER;`),

  // Adds former preset names. They apply to records up to `last_seq`.
  (connection) =>
    connection.exec(`
      CREATE TABLE renamed_presets (
        number INTEGER PRIMARY KEY,
        was TEXT NOT NULL,
        name TEXT NOT NULL,
        unaddressed INTEGER NOT NULL,
        last_seq INTEGER NOT NULL
      ) STRICT;`),

  // Adds a search term to unfinished records.
  indexOpen,

  // Adds how many times in a row a job was resubmitted without any result because its built-in service had ended.
  (connection) => connection.exec('ALTER TABLE records ADD COLUMN resent INTEGER NOT NULL DEFAULT 0'),

  // Indexes records with a local output folder by their end time.
  (connection) =>
    connection.exec(
      `CREATE INDEX records_output ON records (output, ended_at) WHERE output_kind = 'folder' AND ended_at IS NOT NULL`,
    ),

  // Adds the failure for the service's text, if it has a code.
  (connection) => connection.exec('ALTER TABLE records ADD COLUMN service_failure TEXT'),

  // Adds the number of the device found at the output folder's path once the folder's disk is removed.
  (connection) => connection.exec('ALTER TABLE records ADD COLUMN mount TEXT'),

  // Adds the sizes of results and originals, and the ledger of processed contents. `preset_hash` identifies the preset's document
  // when the submission was planned.
  (connection) =>
    connection.exec(`
      ALTER TABLE records ADD COLUMN preset_hash TEXT;
      ${measuredSchema}
      ${ledgerSchema}`),
  // Adds the place of a record in its group. The first part also has the outcome of the whole group, once all parts have ended.
  (connection) =>
    connection.exec(`
      ALTER TABLE records ADD COLUMN group_id TEXT;
      ALTER TABLE records ADD COLUMN part INTEGER;
      ALTER TABLE records ADD COLUMN parts INTEGER;
      ALTER TABLE records ADD COLUMN group_counts TEXT;
      ALTER TABLE records ADD COLUMN chosen TEXT;
      ALTER TABLE records ADD COLUMN group_kind TEXT;
      ALTER TABLE records ADD COLUMN group_outcome TEXT;
      ALTER TABLE records ADD COLUMN group_ended_at INTEGER;
      CREATE INDEX records_group ON records (group_id, part) WHERE group_id IS NOT NULL;
      CREATE INDEX records_group_open ON records (group_id)
        WHERE group_id IS NOT NULL AND outcome_kind IS NULL AND removed_at IS NULL;
      CREATE INDEX records_listed ON records (seq) WHERE removed_at IS NULL AND iif(group_id IS NULL, outcome_kind, group_kind) IS NOT NULL;`),

  // Adds how many originals of a record, and of a group whose first part it is, were replaced, kept and restored.
  (connection) =>
    connection.exec(`
      ALTER TABLE records ADD COLUMN replaced TEXT;
      ALTER TABLE records ADD COLUMN group_replaced TEXT;`),

  // Earlier prints lack the time of a file's last change. Entries with a content are still recognized by it.
  (connection) => connection.exec('DELETE FROM ledger WHERE content IS NULL; DELETE FROM content_hashes;'),

  // Adds the programs and URLs that follow jobs.
  (connection) => connection.exec(hookSchema),

  // Indexes the ledger's entries without a content by their prints.
  (connection) => connection.exec(pendingPrints),

  // Adds who submitted a job, and what assistants were refused.
  (connection) =>
    connection.exec(`
      ALTER TABLE records ADD COLUMN submitted_by TEXT;
      ${refusalSchema}`),

  // Lists the words of the search index, and indexes what each record saved.
  (connection) => {
    try {
      listTerms(connection)
    } catch (error) {
      // Otherwise, the whole history would be moved aside.
      if (!isSearchDamage(error)) throw error
      rebuildIndex(connection)
    }
    connection.exec(measuredSums)
  },
]
