import * as z from 'zod'
import { FailureSchema } from '../failure/read-failure.ts'
import { LossSchema } from '../loss/read-loss.ts'
import { QualitySchema } from '../quality/read-quality.ts'
import { RESULT_NOTES } from '../result-notes.ts'

const time = z.number().nullable().default(null).catch(null)

/**
 * Facts about a part that the history stores only for its details. Only `serviceText` and `serviceFailure` are searchable. Invalid fields
 * count as empty.
 */
export const PartFacts = z
  .object({
    /** ms since 1970; null until the service has accepted the part. */
    acceptedAt: time,
    /** ms since 1970; null until processing starts. */
    startedAt: time,
    /** The service's own failure message, unchanged. */
    serviceText: z.string().nullable().default(null).catch(null),
    /** Missing if `serviceText` is null or from a service other than the built-in one. */
    serviceFailure: FailureSchema.optional().catch(undefined),
    /** Remarks about successful results, such as a kept original. */
    notes: z
      .array(z.object({ note: z.enum(RESULT_NOTES), results: z.int().min(1) }))
      .readonly()
      .default([])
      .catch([]),
    /** Losses and quality of results that moved to the vault when their originals were restored. `index`: that of the original among the inputs. */
    inVault: z
      .array(
        z
          .object({
            index: z.int().nonnegative(),
            losses: z.array(LossSchema).readonly().optional().catch(undefined),
            quality: QualitySchema.optional().catch(undefined),
          })
          .readonly(),
      )
      .readonly()
      .default([])
      .catch([]),
  })
  .readonly()
