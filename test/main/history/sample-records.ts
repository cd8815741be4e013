import { onlyPlace } from '../../../src/shared/model/job-state.ts'
import { ServiceJob } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import { mediaKindOf } from '../../../src/shared/media-types.ts'
import type { Submission } from '../../../src/main/outbox/index.ts'

export const mediaItem = (path: string): MediaItem => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  kind: mediaKindOf(path) ?? 'image',
  size: 1000,
})

/** A submission of these files, as the outbox passes it to the history. */
export function submissionOf(
  id: string,
  paths: readonly string[],
  more: Partial<Submission['title']> = {},
  plan: Partial<Submission['plan']> = {},
): Pick<Submission, 'title' | 'plan'> {
  const inputs = paths.map(mediaItem)
  const photos = inputs.filter(({ kind }) => kind === 'image').length
  const title = { id: asRecordId(id), photos, videos: inputs.length - photos }
  const output = { kind: 'folder', path: '/home/me/Pictures/Web' } as const
  const request = { preset: 'Web 2048', variations: 1, output, driveInput: null }
  return {
    title: {
      ...title,
      name: inputs[0]?.name ?? '',
      firstPath: inputs[0]?.path ?? null,
      files: inputs.length,
      ...request,
      place: onlyPlace(title),
      origin: 'ours',
      createdAt: 1_760_000_000_000,
      ...more,
    },
    plan: { items: inputs, grouping: 'together', ...request, ...plan },
  }
}

export const serviceJob = (more: Partial<ServiceJob> = {}): ServiceJob =>
  ServiceJob.parse({
    jobId: 'job-1',
    status: 'processing',
    type: 'batch',
    preset: 'Web 2048',
    progress: {},
    createdAt: '2026-11-20T10:00:00Z',
    startedAt: null,
    completedAt: null,
    ...more,
  })

export const keptEstimate = {
  bytes: { low: 1_100, likely: 1_500, high: 1_900 },
  milliseconds: { low: 800, likely: 1_500, high: 2_000 },
} as const

export const acceptance = {
  jobId: 'job-1',
  baseUrl: 'http://127.0.0.1:3847/api',
  connection: 'external',
  acceptedAt: 1_760_000_001_000,
  skipped: [],
} as const
