import * as z from 'zod'
import { type Draft, presetsOf } from '../../shared/model/draft.ts'
import { KeptEstimate } from '../../shared/model/estimate.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { WorkTitle } from '../../shared/model/work.ts'

const mediaItem = z
  .object({
    path: z.string(),
    name: z.string(),
    kind: z.enum(['image', 'video']),
    size: z.number(),
  })
  .readonly()

/** A planned `POST /jobs` request in the draft's terms. Its body is built when it is sent. */
export const PlannedSubmission = z
  .object({
    /** Empty if the input is a Drive folder. */
    items: z.array(mediaItem).readonly(),
    driveInput: z.string().nullable(),
    preset: z.string().nullable(),
    output: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('folder'), path: z.string() }),
        z.object({ kind: z.literal('drive'), folderId: z.string() }),
      ])
      .readonly(),
    /** The output folder's `deviceBehind` when it was planned; absent if unknown or not on a separate disk. */
    behind: z.string().regex(/^\d+$/).optional(),
    variations: z.int().min(1),
    grouping: z.enum(['together', 'separate']),
    /** Identity of the service that it is addressed to; absent to use the service that is connected when it is sent. */
    target: z.string().optional(),
    /** Whether to upload the files even if the service seems to have access to this computer's files. */
    upload: z.boolean().optional(),
    /** The estimate made before submission. */
    forecast: KeptEstimate.optional(),
  })
  .readonly()
export type PlannedSubmission = z.infer<typeof PlannedSubmission>

/** Returns the title that every list shows for a submission. */
export function titleOf(id: RecordId, plan: PlannedSubmission, createdAt: number): WorkTitle {
  const [first] = plan.items
  return {
    id,
    name: first?.name ?? plan.driveInput ?? '',
    firstPath: first?.path ?? null,
    photos: plan.items.filter((item) => item.kind === 'image').length,
    videos: plan.items.filter((item) => item.kind === 'video').length,
    files: plan.driveInput === null ? plan.items.length : null,
    preset: plan.preset,
    variations: plan.variations,
    output: plan.output,
    driveInput: plan.driveInput,
    group: null,
    origin: 'ours',
    createdAt,
  }
}

/** Converts a submission back into a draft that would produce it. */
export function draftOf(plan: PlannedSubmission, editing: RecordId | null): Draft {
  return {
    source:
      plan.driveInput === null
        ? { kind: 'files', items: plan.items }
        : { kind: 'drive', folderId: plan.driveInput },
    rejected: [],
    presets: presetsOf(plan.preset),
    presetFolders: true,
    done: 'again',
    output: plan.output,
    variations: plan.variations,
    grouping: plan.grouping,
    editing,
  }
}
