import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Draft } from '../../shared/model/draft.ts'
import { KeptForecast } from '../../shared/model/forecast.ts'
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

/** One `POST /jobs` to be, in the words of the draft it came from. What the service is sent is made of it when it is sent. */
export const PlannedSubmission = z
  .object({
    /** Empty where a Drive folder is the input. */
    items: z.array(mediaItem).readonly(),
    driveInput: z.string().nullable(),
    preset: z.string().nullable(),
    output: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('folder'), path: z.string() }),
        z.object({ kind: z.literal('drive'), folderId: z.string() }),
      ])
      .readonly(),
    variations: z.int().min(1),
    grouping: z.enum(['together', 'separate']),
    /** The one service it is meant for, by its identity; absent: whichever is connected when its turn comes. */
    target: z.string().optional(),
    /** Its files are uploaded even to a service that is thought to see this computer's. */
    upload: z.boolean().optional(),
    /** What was said of it before it was started. */
    forecast: KeptForecast.optional(),
  })
  .readonly()
export type PlannedSubmission = z.infer<typeof PlannedSubmission>

/** What every list says about a submission. */
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
    origin: 'ours',
    createdAt,
  }
}

/** Titles, of which those that come one after the other share what they say alike: most of a line goes into one folder. */
export function createTitles(): typeof titleOf {
  let last: WorkTitle | undefined
  return (id, plan, createdAt) => {
    const title = titleOf(id, plan, createdAt)
    const { preset, output } = last ?? title
    last = {
      ...title,
      preset: title.preset === preset ? preset : title.preset,
      output: isDeepStrictEqual(title.output, output) ? output : title.output,
    }
    return last
  }
}

/** The way back: a draft that would be planned as this submission. */
export function draftOf(plan: PlannedSubmission, editing: RecordId | null): Draft {
  return {
    source:
      plan.driveInput === null
        ? { kind: 'files', items: plan.items }
        : { kind: 'drive', folderId: plan.driveInput },
    rejected: [],
    preset: plan.preset,
    output: plan.output,
    variations: plan.variations,
    grouping: plan.grouping,
    editing,
  }
}
