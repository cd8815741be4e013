/** Validates rows of the history database. Any version of the app may have written them. */
import * as z from 'zod'
import { FileError } from '../../shared/api/resources.ts'
import { FailureSchema } from '../../shared/failure/read-failure.ts'
import { KeptEstimate } from '../../shared/model/estimate.ts'
import { asRecordId } from '../../shared/model/ids.ts'
import type { RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import { RESULT_NOTES } from '../../shared/result-notes.ts'

/** Parses JSON from a column. Invalid values become the fallback: an incomplete record is better than none. */
const json = <T>(schema: z.ZodType<T>, fallback: NoInfer<T>) =>
  z
    .string()
    .nullable()
    .transform((text): unknown => (text === null ? undefined : parse(text)))
    .pipe(schema.catch(fallback))

function parse(text: string): unknown {
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
const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), results, uploaded }),
  z.object({ kind: z.literal('problems'), results, problems: z.int(), uploaded }),
  z.object({ kind: z.literal('failed'), reason: z.string(), failure: StoredFailure }),
  z.object({ kind: z.literal('cancelled'), results }),
  z.object({ kind: z.literal('forgotten') }),
])

const time = z.number().nullable()

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
})
type SummaryRow = z.infer<typeof SummaryRow>

export const SUMMARY_COLUMNS = Object.keys(SummaryRow.shape)
  .map((column) => `records.${column}`)
  .join(', ')

const mediaItem = z.object({
  path: z.string(),
  name: z.string(),
  kind: z.enum(['image', 'video']),
  size: z.number(),
  format: z.string().optional(),
  isLink: z.literal(true).optional(),
  print: z.string().optional(),
})
const resultFile = z.object({ file: z.string(), outputPath: z.string(), index: z.number() })
const noteCount = z.object({ note: z.enum(RESULT_NOTES), results: z.int().min(1) })

export const Inputs = json(z.array(mediaItem), [])
export const ServiceFailure = json(FailureSchema.nullable(), null)
export const FileErrors = json(z.array(FileError), [])
export const Results = json(z.array(resultFile), [])
const Notes = json(z.array(noteCount), [])
const Estimate = json(KeptEstimate.nullable(), null)

export const DetailsRow = SummaryRow.extend({
  grouping: z.enum(['together', 'separate']),
  service: z.enum(['external', 'builtIn']).nullable(),
  base_url: z.string().nullable(),
  job_id: z.string().nullable(),
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
    group: null,
    origin: row.origin,
    createdAt: row.created_at,
    outcome: row.outcome,
    endedAt: row.ended_at,
    unseen: row.unseen === 1,
    members: null,
  }
}

function outputOf({ output_kind, output }: SummaryRow): RecordSummary['output'] {
  if (output_kind === null || output === null) return null
  return output_kind === 'folder' ? { kind: 'folder', path: output } : { kind: 'drive', folderId: output }
}

export function detailsOf(row: DetailsRow): RecordDetails {
  return {
    ...summaryOf(row),
    parts: [],
    inputs: row.inputs,
    grouping: row.grouping,
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

export const SentRow = z
  .object({
    resent: z.number(),
    remote: z.number(),
    device_behind: z.string().nullable(),
    preset_hash: z.string().nullable(),
  })
  .transform(({ resent, remote, device_behind, preset_hash }) => ({
    resent,
    isRemote: remote === 1,
    behind: device_behind ?? undefined,
    presetHash: preset_hash ?? undefined,
  }))

/**
 * How many times in a row a submission was sent without any result, whether its results are remote, and the
 * `behind` and `presetHash` fields of its plan.
 */
export type SentRecord = z.infer<typeof SentRow>
