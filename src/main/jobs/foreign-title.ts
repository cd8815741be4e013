import type { Job } from '../../shared/api/resources.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { WorkTitle } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'
import { readServiceTime } from './service-time.ts'

/** What can be said about a job that another client made. @param now ms since 1970 */
export function foreignTitle(id: RecordId, job: Job, now: number): WorkTitle {
  const fileName = job.fileName ?? job.results?.[0]?.file ?? job.progress.fileName
  const files = countFiles(job)
  const kind = fileName === undefined ? undefined : mediaKindOf(fileName)
  const created = readServiceTime(job.createdAt)
  return {
    id,
    name: fileName === undefined ? (job.drive?.inputFolderId ?? job.jobId) : baseName(fileName),
    firstPath: null,
    // The kinds of the others are not said; one name is known, and a job of one file is of its kind.
    photos: kind === 'image' && files === 1 ? 1 : 0,
    videos: kind === 'video' && files === 1 ? 1 : 0,
    files,
    preset: job.preset === '' ? null : job.preset,
    variations: 1,
    output: null,
    driveInput: job.drive?.inputFolderId ?? null,
    origin: 'other',
    createdAt: created?.exact === true ? created.at : now,
  }
}

/** All inputs, where the service says; a single job has one. */
export function countFiles(job: Job): number | null {
  const told = job.totalFiles ?? job.progress.totalFiles ?? null
  return told ?? (job.type === 'single' ? 1 : null)
}
