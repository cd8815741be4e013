/** Uploads files to the service and downloads results. */
import { parse } from 'content-disposition'
import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import { Upload } from '../../shared/api/resources.ts'
import { failed, type Result } from '../../shared/service-error.ts'
import { safeFileName } from '../../node/file-name.ts'
import { ifPossible } from '../../node/if-possible.ts'
import { unknownJob } from './calls.ts'
import type { Answer } from './exchange.ts'
import { badResponse } from './read-answer.ts'
import { receiveFile, type Downloaded, type DownloadProgress, type DownloadTarget } from './receive-file.ts'
import type { RequestOptions, Requests } from './requests.ts'
import { openUploadSource, uploadName, type UploadSource } from './upload-source.ts'

export type UploadProgress = {
  /** In bytes. */
  readonly sent: number
  /** In bytes. */
  readonly total: number
}

export type DownloadOptions = RequestOptions & {
  /** Index into a batch's `results`, from 0 (section 4: not into its inputs). */
  readonly index?: number
  readonly to: DownloadTarget
  readonly onProgress?: (progress: DownloadProgress) => void
}

export function createTransfers({ baseUrl: { origin }, send, sendForJson }: Requests) {
  return {
    /**
     * Streams a file to the service. Checks the limits of section 8 first; `refused` without a status means that nothing was sent.
     */
    async upload(
      source: UploadSource,
      options?: RequestOptions & { readonly onProgress?: (progress: UploadProgress) => void },
    ): Promise<Result<Upload>> {
      const opened = await openUploadSource(source)
      if (!opened.ok) return opened
      const { name, size, body, trouble, close } = opened.value
      let sent = 0
      try {
        const uploaded = await sendForJson(
          'POST /upload',
          Upload,
          {
            headers: {
              'x-filename': uploadName(name),
              'content-type': 'application/octet-stream',
              'content-length': String(size),
            },
            body,
            onBodySent: (bytes) => {
              sent += bytes
              options?.onProgress?.({ sent, total: size })
            },
          },
          options,
          'idle',
        )
        if (uploaded.ok && uploaded.value.size !== size) {
          return failed(
            badResponse('POST /upload', 'size', `${size} bytes were sent, ${uploaded.value.size} arrived`),
          )
        }
        return uploaded.ok ? uploaded : failed(trouble() ?? uploaded.error)
      } finally {
        body.destroy()
        await close()
      }
    },

    /** Downloads a result. The file has a temporary name until it is complete. Never overwrites anything. */
    async download(
      jobId: string,
      { index = 0, to, onProgress, signal }: DownloadOptions,
    ): Promise<Result<Downloaded>> {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return send(
        'GET /download/{jobId}',
        { jobId, query: `?index=${index}`, headers: { accept: '*/*' } },
        'idle',
        signal,
        (answer, deadline) =>
          receiveFile(answer, { name: suggestedName(answer, jobId), origin }, to, deadline, onProgress),
      )
    },
  }
}

function suggestedName(answer: Answer, jobId: string): string {
  const header = answer.headers['content-disposition']
  return downloadName(typeof header === 'string' ? header : undefined, jobId)
}

/** Returns the suggested file name of a response, made safe for every system; `fallback` if it suggests none. */
export function downloadName(contentDisposition: string | undefined, fallback: string): string {
  const suggested = ifPossible(() => parse(contentDisposition ?? '').parameters['filename'])
  return safeFileName(suggested ?? '') ?? safeFileName(fallback) ?? 'download'
}
