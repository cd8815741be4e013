import * as z from 'zod'
import type { Draft } from '../../shared/model/draft.ts'
import { ChosenOptions } from '../../shared/model/chosen-options.ts'
import { draftOfParts } from '../../shared/model/draft-parts.ts'
import { KeptEstimate } from '../../shared/model/estimate.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { MediaItem } from '../../shared/model/media-item.ts'
import type { PartTitle } from '../../shared/model/job.ts'
import { StoredOutput } from '../../shared/model/stored-output.ts'
import { onlyPlace } from '../../shared/model/job-state.ts'

const Place = z
  .object({
    id: z.string().transform(asRecordId),
    part: z.int().min(0),
    parts: z.int().min(1),
    photos: z.int().min(0),
    videos: z.int().min(0),
    presets: z.int().min(1),
    folders: z.int().min(1),
  })
  .readonly()

/** A planned `POST /jobs` request in the draft's terms. Its body is built when it is sent. */
export const PlannedSubmission = z
  .object({
    /** Empty if the input is a Drive folder. */
    items: z.array(MediaItem).readonly(),
    driveInput: z.string().nullable(),
    preset: z.string().nullable(),
    output: StoredOutput.readonly(),
    /** Where the output folder's disk is mounted; absent if unknown or on the root file system. */
    mount: z.string().optional(),
    variations: z.int().min(1),
    grouping: z.enum(['together', 'separate']),
    /** Absent if the submission is a whole job. */
    place: Place.optional(),
    /** Absent if the draft has the same options as the submission. */
    chosen: ChosenOptions.optional(),
    /** Identity of the service that the submission is addressed to; absent to use the service that is connected when it is sent. */
    target: z.string().optional(),
    /** Whether to upload the files even if the service seems to have access to this computer's files. */
    upload: z.boolean().optional(),
    /** Hash of the preset's document when the submission was planned; absent if the built-in service has no such preset. */
    presetHash: z.string().optional(),
    /** ID of the watched folder that the files are from; absent for all other submissions. */
    watched: z.string().optional(),
    by: z.literal('assistant').optional(),
    /** The estimate made before submission. */
    forecast: KeptEstimate.optional(),
  })
  .readonly()
export type PlannedSubmission = z.infer<typeof PlannedSubmission>

/** Returns the title that every list shows for a submission. */
export function titleOf(id: RecordId, plan: PlannedSubmission, createdAt: number): PartTitle {
  const [first] = plan.items
  const photos = plan.items.filter((item) => item.kind === 'image').length
  const videos = plan.items.length - photos
  return {
    id,
    name: first?.name ?? plan.driveInput ?? '',
    firstPath: first?.path ?? null,
    photos,
    videos,
    files: plan.driveInput === null ? plan.items.length : null,
    preset: plan.preset,
    variations: plan.variations,
    output: plan.output,
    driveInput: plan.driveInput,
    place: plan.place ?? onlyPlace({ id, photos, videos }),
    origin: 'ours',
    createdAt,
    ...(plan.by === undefined ? {} : { by: plan.by }),
    ...(plan.target === undefined ? {} : { service: plan.target }),
  }
}

/**
 * Converts a submission, or all parts of a job, back into a draft that would produce them.
 * @param plans in order; at least one
 */
export function draftOf(
  plans: readonly [PlannedSubmission, ...PlannedSubmission[]],
  editing: RecordId | null,
): Draft {
  const [first] = plans
  const { driveInput, chosen, output, variations, grouping, watched, target: service } = first
  return {
    ...draftOfParts(plans),
    ...(driveInput === null ? {} : { source: { kind: 'drive', folderId: driveInput } }),
    rejected: [],
    presetFolders: chosen?.presetFolders ?? true,
    done: 'again',
    output: chosen?.output ?? output,
    variations,
    grouping,
    watched,
    service,
    editing,
  }
}
