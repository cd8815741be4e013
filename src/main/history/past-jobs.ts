import { integer, nullable, real, selecting } from '../database/index.ts'
import type { Tables } from './tables.ts'

/** Number of jobs that are enough for an estimate. */
const MOST_PAST_JOBS = 30
/** Number of newest records that are searched for past jobs. Older records are slow to find and predict a preset's results poorly. */
const SEARCHED = 2_000

/**
 * Returns successful jobs of an external service with one preset, each with files of one kind. The newest are first, limited to the
 * number that an estimate needs. `inputBytes` is the size of all files, and `milliseconds` the processing time of the whole job.
 */
export const pastJobs = (
  { sql }: Tables,
  { preset, baseUrl }: { readonly preset: string | null; readonly baseUrl: string },
) =>
  selecting(sql, {
    photos: integer,
    videos: integer,
    variations: integer,
    resultBytes: integer,
    startedAt: nullable(integer),
    endedAt: integer,
    inputBytes: real,
  })`
    SELECT photos, videos, variations, resultBytes, facts ->> 'startedAt' AS startedAt, endedAt,
      (SELECT total(item.value ->> 'size') FROM json_each(inputs) AS item) AS inputBytes
    FROM (SELECT seq FROM records WHERE removedAt IS NULL AND outcome IS NOT NULL ORDER BY seq DESC LIMIT ${SEARCHED})
      JOIN records USING (seq) JOIN details USING (seq)
    WHERE origin = 'ours' AND service = 'external' AND baseUrl = ${baseUrl} AND preset IS ${preset}
      AND outcome ->> 'kind' = 'done' AND outcome ->> 'results' = (photos + videos) * variations
      AND resultBytes IS NOT NULL AND (photos = 0) <> (videos = 0)
    ORDER BY seq DESC LIMIT ${MOST_PAST_JOBS}`.map(
    ({ photos, videos, variations, inputBytes, resultBytes, startedAt, endedAt }) => ({
      kind: photos > 0 ? ('image' as const) : ('video' as const),
      files: photos + videos,
      variations,
      inputBytes,
      resultBytes,
      milliseconds: startedAt === null || endedAt < startedAt ? null : endedAt - startedAt,
    }),
  )
