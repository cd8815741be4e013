/** The schemas of what a worker sends. A compromised decoder may send anything, so every field is checked. */
import * as z from 'zod'
import { isCaptureDate } from '../shared/capture-date.ts'
import { FailureSchema } from '../shared/failure/read-failure.ts'
import { LossSchema } from '../shared/loss/read-loss.ts'
import { VideoRecipe } from '../shared/preset/preset.ts'
import { QualitySchema } from '../shared/quality/read-quality.ts'
import { PROCESSING_PHASES } from '../shared/processing-phases.ts'
import { RESULT_NOTES } from '../shared/result-notes.ts'

/** Upper limit for the pixels of an accepted photo, before and after scaling together. */
const MOST_PIXELS = 1e9

const id = z.number()
export type ProcessingProgress = z.output<typeof Progress>
const Progress = z.object({
  phase: z.enum(PROCESSING_PHASES),
  /** From 0 to 1, for this file. */
  share: z.number(),
  /** For a photo: number of pixels to decode and encode in this phase. The parent's time limit grows with them. */
  pixels: z.number().min(0).max(MOST_PIXELS).optional(),
})
const Size = z.object({ width: z.number(), height: z.number() })
const detail = z.string().optional()

export type FromWorker = z.output<typeof FromWorker>
/** A worker's message about the request with this ID. The last message about a request isn't `progress`. */
export const FromWorker = z.discriminatedUnion('kind', [
  z.object({ id, kind: z.literal('progress'), progress: Progress }),
  // The result is checked by the schema of its request.
  z.object({ id, kind: z.literal('done'), result: z.unknown() }),
  z.object({
    id,
    kind: z.literal('failed'),
    failure: FailureSchema,
    /** For the log. */
    detail,
    least: Size.extend({ bytes: z.number() }).optional(),
  }),
])

const Bytes = z.instanceof(Uint8Array)

export type FinishedFile = z.output<typeof FinishedFile>
const FinishedFile = z.object({
  /** One of the job's temporary paths. Holds the complete result. */
  temporaryPath: z.string(),
  /** File extension of the result, without the dot. */
  extension: z.string(),
  /** Upright dimensions, as displayed. For an animation, the dimensions of a single frame. */
  ...Size.shape,
  /** When the original was taken, as `captureDate` returns it. */
  taken: z.string().refine(isCaptureDate).optional(),
  /** Facts for the history, without duplicates. */
  notes: z.array(z.enum(RESULT_NOTES)).readonly(),
  /** Parts of the original that the result lacks, although the recipe doesn't remove them. */
  losses: z.array(LossSchema).readonly(),
  /** Whether the file is an exact copy of the original without a note that reports this. */
  isCopy: z.boolean().optional(),
  /** Missing if it is unknown or wasn't measured. */
  quality: QualitySchema.optional(),
  /** Missing parts of the result, if the input is damaged. The rest of the result is kept. */
  problem: FailureSchema.optional(),
  /** Details from a library, for the log only. */
  detail,
})

export type FileEstimate = z.output<typeof FileEstimate>
const FileEstimate = z.object({
  bytes: z.number(),
  /** Processing time on an otherwise idle computer. */
  milliseconds: z.number(),
  /** Relative uncertainty of both numbers; 0 if they were measured, or if the result is certainly as large as the original. */
  spread: z.number(),
  /** Number of pixels of a video's frame. */
  pixels: z.number().optional(),
})

/** Both sides of a preview as PNG without metadata. */
export type ShownPixels = z.output<typeof ShownPixels>
const ShownPixels = z.object({
  extent: Size,
  original: Size,
  area: Size.extend({ left: z.number(), top: z.number() }),
  before: Bytes,
  after: Bytes,
})

const Track = Size.extend({
  pictures: z.array(z.object({ seconds: z.number(), bytes: z.number() })).readonly(),
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

export type MadeVideo = z.output<typeof MadeVideo>
const MadeVideo = z.object({
  video: Video,
  /** null if it is unknown, or the result has no picture. */
  quality: QualitySchema.nullable(),
  /** The recipe with the quality that reaches its goal. The search for it also tries fractions, which presets can't have. */
  recipe: VideoRecipe.extend({ crf: z.number().min(0).max(63).optional() }),
  /** Whether the original would replace a larger result. */
  takesOriginal: z.boolean(),
})

export const RESULTS = {
  make: FinishedFile,
  /** `startMs`: time from launching the process until it was ready for its first file. */
  estimate: z.object({ estimate: FileEstimate, startMs: z.number() }),
  foresee: z.object({
    losses: z.array(LossSchema).readonly(),
    holds: z.object({
      pages: z.number(),
      chapters: z.number(),
      keepsHdr: z.boolean(),
      resultFormat: z.string(),
    }),
  }),
  check: z.boolean(),
  thumbnail: Bytes,
  part: z.object({ pixels: ShownPixels, middle: z.object({ x: z.number(), y: z.number() }) }),
  whole: ShownPixels,
  quality: QualitySchema.nullable(),
  sample: MadeVideo,
  compare: Video,
}
