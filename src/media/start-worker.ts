/** Starts each kind of worker with its messages and the folders that it may write to. */
import * as z from 'zod'
import {
  type ConfinedWorker,
  type ConfinedWorkerStart,
  startConfinedWorker,
} from '../node/confined-worker.ts'
import { WORKER_MEMORY } from '../node/memory-limit.ts'
import { isCaptureDate } from '../shared/capture-date.ts'
import { VideoRecipe } from '../shared/preset/preset.ts'
import { FailureSchema } from '../shared/failure/read-failure.ts'
import { LossSchema } from '../shared/loss/read-loss.ts'
import { PROCESSING_PHASES } from '../shared/processing-phases.ts'
import { RESULT_NOTES } from '../shared/result-notes.ts'
import { removeFilesNamed } from '../node/private-folder.ts'
import {
  type FromWorker,
  type PreviewAnswer,
  type PreviewRequest,
  type ThumbnailAnswer,
  type ThumbnailRequest,
  type ToWorker,
  type WorkerTask,
} from './protocol.ts'

// A compromised decoder may send anything, so every field is checked.
const Size = z.object({ width: z.number(), height: z.number() })
/** More than any photo that a worker accepts has, before and after it is scaled. */
const MOST_PIXELS = 1e9
const Least = z.object({ width: z.number(), height: z.number(), bytes: z.number() })
const Bytes = z.instanceof(Uint8Array)
const FileMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('progress'),
    progress: z.object({
      phase: z.enum(PROCESSING_PHASES),
      share: z.number(),
      pixels: z.number().min(0).max(MOST_PIXELS).optional(),
    }),
  }),
  z.object({
    kind: z.literal('finished'),
    file: Size.extend({
      temporaryPath: z.string(),
      extension: z.string(),
      taken: z.string().refine(isCaptureDate).optional(),
      notes: z.array(z.enum(RESULT_NOTES)),
      losses: z.array(LossSchema),
      problem: FailureSchema.optional(),
      detail: z.string().optional(),
    }),
  }),
  z.object({
    kind: z.literal('estimate'),
    estimate: z.object({ bytes: z.number(), milliseconds: z.number(), spread: z.number() }),
    startMs: z.number(),
  }),
  z.object({
    kind: z.literal('failed'),
    failure: FailureSchema,
    detail: z.string().optional(),
    least: Least.optional(),
  }),
  z.object({ kind: z.literal('checked'), isGood: z.boolean() }),
  z.object({
    kind: z.literal('foreseen'),
    losses: z.array(LossSchema),
    holds: z.object({
      pages: z.number(),
      chapters: z.number(),
      keepsHdr: z.boolean(),
      resultFormat: z.string(),
    }),
  }),
  z.object({ kind: z.literal('stopped') }),
])
const ThumbnailMessage = z.object({ id: z.number(), webp: Bytes.nullable() })
const Pixels = z.object({
  extent: Size,
  original: Size,
  area: Size.extend({ left: z.number(), top: z.number() }),
  before: Bytes,
  after: Bytes,
})
const Track = Size.extend({
  pictures: z.array(z.object({ seconds: z.number(), bytes: z.number() })),
  bytes: Bytes,
  colors: z.enum(['bt709', 'smpte170m']),
})
const Video = z.object({
  extent: Size,
  original: Size,
  isHdr: z.boolean(),
  before: Track,
  after: Track.nullable(),
  start: z.number(),
  seconds: z.number(),
  videoSeconds: z.number(),
})
const answer = { id: z.number() }
const PreviewMessage = z.discriminatedUnion('kind', [
  z.object({
    ...answer,
    kind: z.literal('part'),
    pixels: Pixels,
    middle: z.object({ x: z.number(), y: z.number() }),
  }),
  z.object({ ...answer, kind: z.literal('whole'), pixels: Pixels }),
  z.object({
    ...answer,
    kind: z.literal('video'),
    video: Video,
    recipe: VideoRecipe,
    takesOriginal: z.boolean(),
  }),
  z.object({ ...answer, kind: z.literal('videos'), video: Video }),
  z.object({ ...answer, kind: z.literal('failed'), failure: FailureSchema }),
])

const isFromWorker = (message: unknown): message is FromWorker => FileMessage.safeParse(message).success
const isThumbnailAnswer = (message: unknown): message is ThumbnailAnswer =>
  ThumbnailMessage.safeParse(message).success
const isPreviewAnswer = (message: unknown): message is PreviewAnswer =>
  PreviewMessage.safeParse(message).success

/** Processes files and estimates results. */
export type JobWorker = ConfinedWorker<ToWorker, FromWorker>
/** Creates thumbnails and exits when idle for a while. */
export type ThumbnailWorker = ConfinedWorker<ThumbnailRequest, ThumbnailAnswer>
/** Previews what a recipe does to a photo or a video. */
export type PreviewWorker = ConfinedWorker<PreviewRequest, PreviewAnswer>

export const startJobWorker = (start: ConfinedWorkerStart): JobWorker =>
  startConfinedWorker({ ...start, isBatch: true }, isFromWorker)

/** Starts a worker with a lower priority than jobs and the user's programs. */
export const startTrialWorker = (start: ConfinedWorkerStart): JobWorker =>
  startJobWorker({ ...start, args: ['--step-back'] })

/** Starts a worker that can't write any files. */
export const startThumbnailWorker = (start: Omit<ConfinedWorkerStart, 'folders'>): ThumbnailWorker =>
  startConfinedWorker({ ...start, folders: [], memory: WORKER_MEMORY.photo }, isThumbnailAnswer)

/** Starts a worker that can't write any files. */
export const startPreviewWorker = (start: Omit<ConfinedWorkerStart, 'folders'>): PreviewWorker =>
  startConfinedWorker({ ...start, folders: [] }, isPreviewAnswer)

/** Removes the temporary files of a task whose worker has ended. Does nothing if the folder is currently missing. */
export async function removeTemporaryFiles({
  folder,
  temporaryPrefix,
}: Pick<WorkerTask, 'folder' | 'temporaryPrefix'>): Promise<void> {
  await removeFilesNamed(temporaryPrefix, folder)
}
