/** Validates rows of the history database. Any version of the app may have written them. */
import * as z from 'zod'
import { FileError } from '../../shared/api/resources.ts'
import { FailureSchema } from '../../shared/failure/read-failure.ts'
import { LossCodeSchema, LossSchema } from '../../shared/loss/read-loss.ts'
import { ChosenOptions } from '../../shared/model/chosen-options.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import { KeptEstimate, type PastJob } from '../../shared/model/estimate.ts'
import { asRecordId } from '../../shared/model/ids.ts'
import { MediaItem } from '../../shared/model/media-item.ts'
import type {
  GroupPlace,
  GroupSummary,
  RecordDetails,
  RecordSummary,
  WorkTitle,
} from '../../shared/model/work.ts'
import { RESULT_NOTES } from '../../shared/result-notes.ts'

/** Parses JSON from a column. Invalid values become the fallback: an incomplete record is better than none. */
const json = <T>(schema: z.ZodType<T>, fallback: NoInfer<T>) =>
  z
    .string()
    .nullable()
    .transform((text): unknown => (text === null ? undefined : parseJson(text)))
    .pipe(schema.catch(fallback))

/** @returns undefined if the text isn't JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A failure that this version doesn't know is dropped, and only the text is used. */
const StoredFailure = FailureSchema.optional().catch(undefined)

const results = z.int().min(0)
const uploaded = z.int().min(0).nullable()
const lost = z
  .array(z.object({ codes: z.array(LossCodeSchema), results: z.int().min(1) }))
  .optional()
  .catch(undefined)
const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), results, uploaded, lost }),
  z.object({ kind: z.literal('problems'), results, problems: z.int(), uploaded, lost }),
  z.object({ kind: z.literal('failed'), reason: z.string(), failure: StoredFailure }),
  z.object({ kind: z.literal('cancelled'), results }),
  z.object({ kind: z.literal('forgotten') }),
])

const time = z.number().nullable()

const count = z.int().min(0)
const ReplacedCounts = z.object({ replaced: count, kept: count, restored: count })
export const Replaced = json(ReplacedCounts.nullable(), null)
const GroupCounts = z.object({ photos: count, videos: count, presets: count, folders: count })

export const SummaryRow = z.object({
  seq: z.number(),
  id: z.string().transform(asRecordId),
  origin: z.enum(['ours', 'other']),
  name: z.string(),
  first_path: z.string().nullable(),
  photos: z.number(),
  videos: z.number(),
  files: z.number().nullable(),
  preset: z.string().nullable(),
  variations: z.number(),
  output_kind: z.enum(['folder', 'drive']).nullable(),
  output: z.string().nullable(),
  drive_input: z.string().nullable(),
  created_at: z.number(),
  ended_at: time,
  outcome: json(Outcome.nullable(), null),
  unseen: z.number(),
  group_id: z.string().transform(asRecordId).nullable(),
  part: z.number().nullable(),
  parts: z.number().nullable(),
  group_counts: json(GroupCounts.nullable(), null),
  group_outcome: json(Outcome.nullable(), null),
  group_ended_at: time,
  replaced: Replaced,
  group_replaced: Replaced,
  /** A later version may know others. */
  submitted_by: z.literal('assistant').nullable().catch(null),
  service: z.enum(['external', 'builtIn']).nullable(),
  base_url: z.string().nullable(),
})
export type SummaryRow = z.infer<typeof SummaryRow>

const SubmittedRow = SummaryRow.extend({ job_id: z.string().nullable() })

export const GroupIdRow = z.object({ group_id: z.string().nullable() })

export const SUMMARY_COLUMNS = Object.keys(SummaryRow.shape)
  .map((column) => `records.${column}`)
  .join(', ')

const resultFile = z.object({
  file: z.string(),
  outputPath: z.string(),
  losses: z.array(LossSchema).optional().catch(undefined),
  index: z.number(),
})
const noteCount = z.object({ note: z.enum(RESULT_NOTES), results: z.int().min(1) })

export const Inputs = json(z.array(MediaItem), [])
export const ServiceFailure = json(FailureSchema.nullable(), null)
export const FileErrors = json(z.array(FileError), [])
export const Results = json(z.array(resultFile), [])
const Notes = json(z.array(noteCount), [])
const Estimate = json(KeptEstimate.nullable(), null)

export const DetailsRow = SubmittedRow.extend({
  grouping: z.enum(['together', 'separate']),
  job_created_at: z.string().nullable(),
  remote: z.number(),
  accepted_at: time,
  started_at: time,
  service_text: z.string().nullable(),
  service_failure: ServiceFailure,
  inputs: Inputs,
  skipped: FileErrors,
  results: Results,
  problems: FileErrors,
  notes: Notes,
  forecast: Estimate,
  result_bytes: z.number().nullable(),
  chosen: json(ChosenOptions.nullable(), null),
  watched: z.string().nullable(),
})
type DetailsRow = z.infer<typeof DetailsRow>

export function summaryOf(row: SummaryRow): RecordSummary {
  return {
    id: row.id,
    name: row.name,
    firstPath: row.first_path,
    photos: row.photos,
    videos: row.videos,
    files: row.files,
    preset: row.preset,
    variations: row.variations,
    output: outputOf(row),
    driveInput: row.drive_input,
    group: groupOf(row),
    origin: row.origin,
    createdAt: row.created_at,
    outcome: row.outcome,
    endedAt: row.ended_at,
    unseen: row.unseen === 1,
    members: null,
    replaced: row.replaced,
    ...(row.submitted_by === null ? {} : { by: row.submitted_by }),
    ...(row.service === null
      ? {}
      : { service: serviceIdOf({ kind: row.service, baseUrl: row.base_url ?? '' }) }),
  }
}

/** Returns what a row says about a submission without its files; undefined if there is no row. */
export function submittedOf(found: unknown): (RecordSummary & { readonly jobId: string | null }) | undefined {
  if (found === undefined) return undefined
  const row = SubmittedRow.parse(found)
  return { ...summaryOf(row), jobId: row.job_id }
}

/** Returns a record as a page lists it: the first part of a group stands for the whole group. */
export function listedOf(row: SummaryRow): RecordSummary {
  const record = summaryOf(row)
  if (row.group_id === null) return record
  const members = membersOf(row)
  return { ...record, ...members, members }
}

/** @param row the first part of a group */
export const membersOf = (row: SummaryRow): GroupSummary => ({
  outcome: row.group_outcome,
  endedAt: row.group_ended_at,
  unseen: row.unseen === 1,
  replaced: row.group_replaced,
})

function groupOf({ group_id: id, part, parts, group_counts: counts }: SummaryRow): GroupPlace | null {
  if (id === null || part === null || parts === null || counts === null) return null
  return { id, part, parts, ...counts }
}

function outputOf({ output_kind, output }: SummaryRow): RecordSummary['output'] {
  if (output_kind === null || output === null) return null
  return output_kind === 'folder' ? { kind: 'folder', path: output } : { kind: 'drive', folderId: output }
}

export function detailsOf(row: DetailsRow): RecordDetails {
  return {
    ...summaryOf(row),
    parts: [],
    replacements: [],
    inputs: row.inputs,
    grouping: row.grouping,
    chosen: row.chosen,
    watched: row.watched,
    skipped: row.skipped,
    results: row.results,
    problems: row.problems,
    forecast: row.forecast,
    resultBytes: row.result_bytes,
    facts: {
      service: row.service,
      baseUrl: row.base_url,
      jobId: row.job_id,
      acceptedAt: row.accepted_at,
      startedAt: row.started_at,
      serviceText: row.service_text,
      serviceFailure: row.service_failure ?? undefined,
      notes: row.notes,
    },
  }
}

export const PastJobRow = z
  .object({
    photos: z.number(),
    videos: z.number(),
    variations: z.number(),
    input_bytes: z.number(),
    result_bytes: z.number(),
    started_at: z.number().nullable(),
    ended_at: z.number(),
  })
  .transform(({ photos, videos, variations, input_bytes, result_bytes, started_at, ended_at }): PastJob => ({
    kind: photos > 0 ? 'image' : 'video',
    files: photos + videos,
    variations,
    inputBytes: input_bytes,
    resultBytes: result_bytes,
    milliseconds: started_at === null || ended_at < started_at ? null : ended_at - started_at,
  }))

export const SentRow = z
  .object({
    resent: z.number(),
    remote: z.number(),
    mount: z.string().nullable(),
    preset_hash: z.string().nullable(),
  })
  .transform(({ resent, remote, mount, preset_hash }) => ({
    resent,
    isRemote: remote === 1,
    mount: mount ?? undefined,
    presetHash: preset_hash ?? undefined,
  }))

/**
 * How many times in a row a submission was sent without any result, whether its results are remote, and the
 * `mount` and `presetHash` fields of its plan.
 */
export type SentRecord = z.infer<typeof SentRow>

/** Drops the fields of a record that aren't part of its title. */
export const titleOf = ({
  outcome: _o,
  endedAt: _e,
  unseen: _u,
  members: _m,
  replaced: _x,
  replacements: _y,
  parts: _q,
  inputs: _i,
  grouping: _g,
  chosen: _c,
  skipped: _s,
  results: _r,
  problems: _p,
  forecast: _f,
  resultBytes: _b,
  watched: _w,
  hooks: _h,
  facts: _t,
  ...title
}: WorkTitle & Partial<RecordDetails>): WorkTitle => title
