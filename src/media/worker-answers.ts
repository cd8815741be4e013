/** The schemas of what a worker sends. A compromised decoder may send anything, so every field is checked. */
import * as z from 'zod'
import { isCaptureDate } from '../shared/capture-date.ts'
import { FailureSchema } from '../shared/failure/read-failure.ts'
import { LossSchema } from '../shared/loss/read-loss.ts'
import { VideoRecipe } from '../shared/preset/preset.ts'
import { PROCESSING_PHASES } from '../shared/processing-phases.ts'
import { RESULT_NOTES } from '../shared/result-notes.ts'
import type { FromWorker, RequestName, ResultOf } from './protocol.ts'

/** More than any photo that a worker accepts has, before and after it is scaled. */
const MOST_PIXELS = 1e9

const id = z.number()
const Progress = z.object({
  phase: z.enum(PROCESSING_PHASES),
  share: z.number(),
  pixels: z.number().min(0).max(MOST_PIXELS).optional(),
})
const Size = z.object({ width: z.number(), height: z.number() })
const detail = z.string().optional()

/** The result is checked by the schema of its request. */
export const Message: z.ZodType<FromWorker> = z.discriminatedUnion('kind', [
  z.object({ id, kind: z.literal('progress'), progress: Progress }),
  z.object({ id, kind: z.literal('done'), result: z.unknown() }),
  z.object({
    id,
    kind: z.literal('failed'),
    failure: FailureSchema,
    detail,
    least: Size.extend({ bytes: z.number() }).optional(),
  }),
])

const Bytes = z.instanceof(Uint8Array<ArrayBuffer>)
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

export const RESULTS: { readonly [Name in RequestName]: z.ZodType<ResultOf<Name>> } = {
  make: Size.extend({
    temporaryPath: z.string(),
    extension: z.string(),
    taken: z.string().refine(isCaptureDate).optional(),
    notes: z.array(z.enum(RESULT_NOTES)),
    losses: z.array(LossSchema),
    problem: FailureSchema.optional(),
    detail,
  }),
  estimate: z.object({
    estimate: z.object({ bytes: z.number(), milliseconds: z.number(), spread: z.number() }),
    startMs: z.number(),
  }),
  foresee: z.object({
    losses: z.array(LossSchema),
    holds: z.object({
      pages: z.number(),
      chapters: z.number(),
      keepsHdr: z.boolean(),
      resultFormat: z.string(),
    }),
  }),
  check: z.boolean(),
  thumbnail: Bytes,
  part: z.object({ pixels: Pixels, middle: z.object({ x: z.number(), y: z.number() }) }),
  whole: Pixels,
  sample: z.object({ video: Video, recipe: VideoRecipe, takesOriginal: z.boolean() }),
  compare: Video,
}
