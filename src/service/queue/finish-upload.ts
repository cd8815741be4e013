/** The end of a job's way to the drive. */
import type { Delivered } from './delivery.ts'
import type { JobRecord } from './job-record.ts'
import type { WorkFolders } from './work-folders.ts'

export type UploadFinisher = {
  /**
   * Section 3: processing can reach completed before the upload ends. The next job doesn't wait for it.
   * @param workFolder is removed when everything is uploaded; undefined for a job that has none
   */
  finish(record: JobRecord, workFolder: string | undefined): Promise<void>
  /** Resolves when no upload goes on any more. */
  settled(): Promise<void>
}

export function createUploadFinisher(options: {
  readonly workFolders: WorkFolders
  readonly log: (message: string) => void
}): UploadFinisher {
  const { workFolders, log } = options
  const uploads = new Set<Promise<void>>()

  const removeWorkFolder = (folder: string): Promise<void> =>
    workFolders.remove(folder).catch((error: unknown) => log(`work folder not removed: ${String(error)}`))

  async function finishUpload(record: JobRecord, workFolder: string): Promise<void> {
    const { state, upload } = record
    if (upload.kind !== 'uploading') return
    const hasFailed = state.kind === 'ended' && state.status === 'failed'
    const outcome = hasFailed ? undefined : await upload.delivery.finish()
    await removeWorkFolder(workFolder)
    if (outcome) log(`job ${record.jobId} delivered: ${summaryOf(outcome)}`)
    record.uploadEnded(outcome)
  }

  return {
    async finish(record, workFolder) {
      if (workFolder === undefined) return
      if (record.upload.kind !== 'uploading') return removeWorkFolder(workFolder)
      const upload = finishUpload(record, workFolder)
      uploads.add(upload)
      void upload.finally(() => uploads.delete(upload))
    },
    async settled() {
      await Promise.all(uploads)
    },
  }
}

const summaryOf = (outcome: Delivered): string =>
  'uploadError' in outcome
    ? 'nothing'
    : `${outcome.uploadResult.uploaded} uploaded, ${outcome.uploadResult.errors.length} not`
