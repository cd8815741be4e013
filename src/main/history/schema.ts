import { hookSchema } from './hook-queue.ts'
import { ledgerSchema } from './ledger.ts'
import { measuredSchema } from './measured-results.ts'
import { refusalSchema } from './refusals.ts'
import { renamedSchema } from './renamed-presets.ts'
import { searchSchema } from './search-index.ts'

/**
 * `seq` is the creation time in ms, times 1000, plus a sequence number within that millisecond. The newest records can thus be read
 * first without sorting, and a time span is a range of keys. `preset_hash` identifies the preset's document when the submission was
 * planned. `mount` is the number of the device found at the output folder's path once the folder's disk is removed. `resent` counts how
 * many times in a row a job was resubmitted without any result because its built-in service had ended. The first part of a group also
 * has the outcome of the whole group, once all parts have ended, and how many of its originals were replaced, kept and restored.
 */
const recordSchema = `
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
    preset_hash TEXT,
    variations INTEGER NOT NULL,
    output_kind TEXT,
    output TEXT,
    drive_input TEXT,
    grouping TEXT NOT NULL,
    watched TEXT,
    submitted_by TEXT,
    created_at INTEGER NOT NULL,
    job_id TEXT,
    job_created_at TEXT,
    adopted INTEGER NOT NULL DEFAULT 0,
    remote INTEGER NOT NULL DEFAULT 0,
    mount TEXT,
    base_url TEXT,
    service TEXT,
    accepted_at INTEGER,
    started_at INTEGER,
    ended_at INTEGER,
    outcome_kind TEXT,
    outcome TEXT,
    service_text TEXT,
    service_failure TEXT,
    resent INTEGER NOT NULL DEFAULT 0,
    unseen INTEGER NOT NULL DEFAULT 0,
    removed_at INTEGER,
    replaced TEXT,
    group_id TEXT,
    part INTEGER,
    parts INTEGER,
    group_counts TEXT,
    chosen TEXT,
    group_kind TEXT,
    group_outcome TEXT,
    group_ended_at INTEGER,
    group_replaced TEXT
  ) STRICT;
  CREATE INDEX records_over ON records (seq) WHERE removed_at IS NULL AND outcome_kind IS NOT NULL;
  CREATE INDEX records_open ON records (seq) WHERE removed_at IS NULL AND outcome_kind IS NULL;
  CREATE INDEX records_unseen ON records (seq) WHERE removed_at IS NULL AND unseen = 1;
  CREATE INDEX records_removed ON records (removed_at) WHERE removed_at IS NOT NULL;
  CREATE INDEX records_job ON records (job_id) WHERE job_id IS NOT NULL;
  CREATE INDEX records_output ON records (output, ended_at) WHERE output_kind = 'folder' AND ended_at IS NOT NULL;
  CREATE INDEX records_group ON records (group_id, part) WHERE group_id IS NOT NULL;
  CREATE INDEX records_group_open ON records (group_id)
    WHERE group_id IS NOT NULL AND outcome_kind IS NULL AND removed_at IS NULL;
  CREATE INDEX records_listed ON records (seq) WHERE removed_at IS NULL AND iif(group_id IS NULL, outcome_kind, group_kind) IS NOT NULL;

  CREATE TABLE details (
    seq INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    inputs TEXT NOT NULL DEFAULT '[]',
    skipped TEXT NOT NULL DEFAULT '[]',
    results TEXT NOT NULL DEFAULT '[]',
    problems TEXT NOT NULL DEFAULT '[]',
    notes TEXT NOT NULL DEFAULT '[]',
    forecast TEXT,
    result_bytes INTEGER
  ) STRICT;`

export const schema = [
  recordSchema,
  renamedSchema,
  searchSchema,
  measuredSchema,
  ledgerSchema,
  hookSchema,
  refusalSchema,
].join('\n')
