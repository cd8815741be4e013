/** The tables of the history. Values that can't be read become empty: an incomplete record is better than none. */
import * as z from 'zod'
import { FileError } from '../../shared/api/resources.ts'
import { FailureSchema } from '../../shared/failure/read-failure.ts'
import { LossCodeSchema, LossSchema } from '../../shared/loss/read-loss.ts'
import { QualitySchema } from '../../shared/quality/read-quality.ts'
import { HookResult } from '../../shared/model/after-job.ts'
import { REFUSAL_REASONS } from '../../shared/model/assistants.ts'
import { ChosenOptions } from '../../shared/model/chosen-options.ts'
import { KeptEstimate } from '../../shared/model/estimate.ts'
import { HOOK_ACTIONS } from '../../shared/model/hook-state.ts'
import { asRecordId } from '../../shared/model/ids.ts'
import { MediaItem } from '../../shared/model/media-item.ts'
import type { Outcome, ResultFile } from '../../shared/model/job.ts'
import { PartFacts } from '../../shared/model/part-facts.ts'
import {
  bytes,
  type Column,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  fragment,
  real,
  type RowOf,
  serial,
  table,
  text,
  textAs,
  tolerant,
} from '../database/index.ts'

const count = z.int().min(0)
const Output = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('drive'), folderId: z.string() }),
])
const Place = z.object({
  parts: count,
  photos: count,
  videos: count,
  presets: count,
  folders: count,
})
const ended = {
  results: count,
  uploaded: count.nullable(),
  lost: z
    .array(z.object({ codes: z.array(LossCodeSchema), results: z.int().min(1) }))
    .optional()
    .catch(undefined),
}
const StoredOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), ...ended }),
  z.object({ kind: z.literal('problems'), ...ended, problems: z.int() }),
  // If the failure is unknown, only its text is used.
  z.object({
    kind: z.literal('failed'),
    reason: z.string(),
    failure: FailureSchema.optional().catch(undefined),
  }),
  z.object({ kind: z.literal('cancelled'), results: count }),
  z.object({ kind: z.literal('forgotten') }),
])
const Replaced = z.object({ replaced: count, kept: count, restored: count })
const Result = z.object({
  file: z.string(),
  outputPath: z.string(),
  losses: z.array(LossSchema).optional().catch(undefined),
  quality: QualitySchema.optional().catch(undefined),
  index: z.number(),
})

const id = textAs(asRecordId)
/** A column that may be null. A value that can't be read becomes null. */
const optional = <Value>(column: Column<Value>) => nullable(tolerant<Value | null>(column, null))
const fact = <Value>(schema: z.ZodType<Value>) => optional(json(schema))
const number = tolerant(integer, 0)
const mark = tolerant(flag, false)
/** A job whose outcome can't be read counts as forgotten. */
const outcome = nullable(tolerant<Outcome>(json(StoredOutcome), { kind: 'forgotten' }))
const list = <Value>(schema: z.ZodType<Value>) => tolerant<readonly Value[]>(json(z.array(schema)), [])

/** Selects jobs that are over. An index has the same condition. */
export const LISTED = fragment`removedAt IS NULL AND wholeOutcome IS NOT NULL`

/**
 * One row for each part, with the columns that a list shows. `seq` is the creation time in ms, times 1000, plus a sequence number within
 * that millisecond: the newest records are read first without sorting, and a time span is a range of keys. Times are in ms since 1970.
 */
export const Records = table(
  'records',
  {
    seq: serial,
    id,
    origin: tolerant(oneOf(['ours', 'other']), 'ours'),
    name: text,
    firstPath: nullable(text),
    photos: number,
    videos: number,
    files: optional(integer),
    preset: nullable(text),
    variations: tolerant(integer, 1),
    output: fact(Output),
    driveInput: nullable(text),
    createdAt: number,
    submittedBy: optional(oneOf(['assistant'])),
    /** Without the job's ID and the part's index, which are in `whole` and `part`. */
    place: tolerant(json(Place), { parts: 1, photos: 0, videos: 0, presets: 1, folders: 1 }),
    service: optional(oneOf(['external', 'builtIn'])),
    baseUrl: nullable(text),
    outcome,
    endedAt: optional(integer),
    replaced: fact(Replaced),
    unseen: mark,
    /** `whole`: the ID of the first part's record; the record's own ID if the job has only one part. `part`: the index of this part. */
    whole: id,
    part: number,
    /** The next three columns describe the whole job. They are set only in its first remaining part, once all parts have ended. */
    wholeOutcome: outcome,
    wholeEndedAt: optional(integer),
    wholeReplaced: fact(Replaced),
    removedAt: optional(integer),
    grouping: tolerant(oneOf(['together', 'separate']), 'together'),
    chosen: fact(ChosenOptions),
    watched: nullable(text),
    jobId: nullable(text),
    /** As the service sent it. */
    jobCreatedAt: nullable(text),
    /** Whether the results must be downloaded. */
    remote: mark,
    /** Number of consecutive times that the job was sent again without any result, because its built-in service had ended. */
    resent: number,
    /** Where the output folder's disk is mounted; null if unknown or on the root file system. */
    mount: nullable(text),
    /** Identifies the preset's document when the submission was planned. */
    presetHash: nullable(text),
  },
  {
    key: ['seq'],
    also: ['UNIQUE (id)'],
    indexes: {
      listed: `(seq, whole) WHERE ${LISTED.sql}`,
      ended: '(seq) WHERE removedAt IS NULL AND outcome IS NOT NULL',
      open: '(seq) WHERE removedAt IS NULL AND outcome IS NULL',
      unseen: '(seq) WHERE removedAt IS NULL AND unseen = 1',
      removed: '(removedAt) WHERE removedAt IS NOT NULL',
      job: '(jobId) WHERE jobId IS NOT NULL',
      output: `(output ->> 'path', endedAt) WHERE endedAt IS NOT NULL`,
      whole: '(whole, part)',
      running: '(whole) WHERE outcome IS NULL AND removedAt IS NULL',
    },
  },
)

/** The columns that a list shows, under their names in the list. */
export const TITLE = [
  'id',
  'origin',
  'name',
  'firstPath',
  'photos',
  'videos',
  'files',
  'preset',
  'variations',
  'output',
  'driveInput',
  'createdAt',
] as const
/** The additional columns that a list shows for a job that has ended. */
export const END = ['outcome', 'endedAt', 'replaced', 'unseen'] as const
/** The columns from which a list computes its other fields. */
export const LISTING = [
  'seq',
  'submittedBy',
  'place',
  'service',
  'baseUrl',
  'whole',
  'part',
  'wholeOutcome',
  'wholeEndedAt',
  'wholeReplaced',
] as const
/** The columns that only the details of a record show. */
export const DETAILS = ['grouping', 'chosen', 'watched'] as const
export const FACTS = ['service', 'baseUrl', 'jobId'] as const

const ofRecord = 'FOREIGN KEY (seq) REFERENCES records ON DELETE CASCADE'

/** The parts of a record that may be long. Lists don't read them. */
export const Details = table(
  'details',
  {
    seq: serial,
    inputs: list(MediaItem),
    forecast: fact(KeptEstimate),
    skipped: list(FileError),
    results: list<ResultFile>(Result),
    problems: list(FileError),
    facts: tolerant(json(PartFacts), PartFacts.parse({})),
    resultBytes: optional(integer),
  },
  { key: ['seq'], also: [ofRecord] },
)

/** The details of a record that no service has processed. */
export const NOTHING_MADE = { skipped: [], results: [], problems: [], facts: PartFacts.parse({}) } as const

/**
 * The actions that follow jobs. `nextAt` is 0 before the first attempt, and null after the last one. During an attempt it is the time of
 * the next one, and `result` is null: if Mediatray ends now, the attempt was interrupted.
 */
export const Hooks = table(
  'hooks',
  {
    id: text,
    job: id,
    action: oneOf(HOOK_ACTIONS),
    receiver: text,
    tries: integer,
    nextAt: nullable(integer),
    triedAt: optional(integer),
    target: nullable(text),
    result: fact(HookResult),
  },
  {
    key: ['id'],
    also: ['UNIQUE (job, action, receiver)', 'FOREIGN KEY (job) REFERENCES records (id) ON DELETE CASCADE'],
    indexes: {
      next: '(action, receiver, nextAt) WHERE nextAt IS NOT NULL',
      tried: '(action, receiver, target, triedAt) WHERE triedAt IS NOT NULL',
    },
  },
)

/** The finished records whose results haven't been measured. */
export const Unmeasured = table('unmeasured', { seq: integer }, { key: ['seq'], also: [ofRecord] })

const totals = {
  files: number,
  inputBytes: number,
  resultBytes: number,
  savedFiles: number,
  savedBytes: number,
}
const FileSizes = z.object({ path: z.string(), input: z.number(), results: z.number() }).readonly()
/** The size of an original and of all its results together, in bytes. */
export type FileSizes = z.infer<typeof FileSizes>

/** The sums of each record. Without them, adding up many records would read the sizes of each file. */
export const Measured = table(
  'measured',
  { seq: serial, whole: id, ...totals, sizes: json(z.array(FileSizes).readonly()) },
  { key: ['seq'], also: [ofRecord], indexes: { sums: '(whole, savedFiles, savedBytes)' } },
)
/** The sums of all records that ever existed, in one row. */
export const Totals = table('totals', { id: integer, ...totals }, { key: ['id'] })

/** Totals by outcome of all our jobs that have ever ended: jobs, files, failed files, and seconds of processing. */
export const EndedJobs = table(
  'ended_jobs',
  { outcome: text, jobs: number, files: number, failedFiles: number, seconds: real },
  { key: ['outcome'] },
)

const LedgerResult = z.object({ path: z.string(), size: z.number(), mtime: z.number() }).readonly()
/** A result as it was when its job ended. `mtime` is in whole milliseconds since 1970. */
export type LedgerResult = z.infer<typeof LedgerResult>

/** The inputs and results of finished jobs. The content's hash is null until it has been computed. */
export const Ledger = table(
  'ledger',
  {
    id: serial,
    path: text,
    print: text,
    size: integer,
    content: nullable(bytes),
    preset: text,
    presetName: nullable(text),
    variations: integer,
    role: tolerant(oneOf(['input', 'result'])),
    results: tolerant(json(z.array(LedgerResult).readonly())),
    recordId: id,
    at: integer,
  },
  {
    key: ['id'],
    indexes: {
      path: '(path)',
      size: '(size)',
      content: '(content) WHERE content IS NOT NULL',
      pending: '(id) WHERE content IS NULL',
      pending_print: '(print) WHERE content IS NULL',
    },
  },
)
/** A cache of hashes, with at most one per path. */
export const ContentHashes = table(
  'content_hashes',
  { number: serial, path: text, print: text, content: bytes },
  { key: ['number'], also: ['UNIQUE (path)'] },
)

export const Refusals = table(
  'refusals',
  { number: serial, path: text, reason: oneOf(REFUSAL_REASONS), at: integer },
  { key: ['number'] },
)

/** Renamed presets of the built-in service. Each row applies to records up to `lastSeq`. */
export const RenamedPresets = table(
  'renamed_presets',
  { number: serial, was: text, name: text, unaddressed: flag, lastSeq: integer },
  { key: ['number'] },
)

/** The words of the search index that have more than three characters. */
export const SearchTerms = table('search_terms', { term: text }, { key: ['term'] })

/** Automatic merging could block a single write for a long time, so it is off. Each write merges a small part instead. */
const search = `
  CREATE VIRTUAL TABLE search USING fts5 (
    words, tails, facets,
    content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 0'
  );
  INSERT INTO search (search, rank) VALUES ('automerge', 0);`

const TABLES = [
  Records,
  Details,
  Hooks,
  Unmeasured,
  Measured,
  Totals,
  EndedJobs,
  Ledger,
  ContentHashes,
  Refusals,
  RenamedPresets,
  SearchTerms,
]
export const SCHEMA = [...TABLES.map(({ sql }) => sql), search].join('\n')

export type StoredRecord = RowOf<typeof Records>
export type StoredDetails = RowOf<typeof Details>

export const pick = <Row extends object, Name extends keyof Row>(
  row: Row,
  names: readonly Name[],
): Pick<Row, Name> =>
  // Each name is a field of the row.
  Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
