/** Validates qualities from other processes. */
import * as z from 'zod'
import type { Quality } from './quality.ts'

export const QualitySchema: z.ZodType<Quality> = z.union([
  z.literal('lossless'),
  z.object({
    score: z.int().min(0).max(100),
    isSampled: z.boolean(),
    below: z.int().min(0).max(100).optional(),
  }),
])
