import { failure } from '../../shared/failure/failure.ts'
import { create as contentDisposition } from 'content-disposition'
import { basename, extname } from 'node:path'
import type { Readable } from 'node:stream'
import type { ServiceJob } from '../../shared/api/resources.ts'
import { openRegular } from '../../node/open-regular.ts'
import { HttpError } from '../queue/index.ts'

export type Download = {
  readonly stream: Readable
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Opens a result for `GET /download/{jobId}` (section 4). For a batch, the index selects an entry of `results`. A single job has only index
 * 0.
 * @throws HttpError 400 not completed or invalid index; 404 no such index, the result is in a drive, or the file is gone
 */
export async function openDownload(job: ServiceJob, indexText: string | undefined): Promise<Download> {
  const index = parseIndex(indexText)
  if (job.status !== 'completed') throw new HttpError(400, failure('jobNotCompleted'))
  const outputs = job.results ?? (job.result ? [job.result] : [])
  const output = outputs[index]
  if (!output) throw new HttpError(404, failure('resultUnknown', { index }))
  if (typeof job.drive?.outputFolderId === 'string') throw new HttpError(404, failure('resultInDrive'))
  return openOutput(output.outputPath)
}

function parseIndex(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, failure('indexInvalid'))
  return Number(text)
}

async function openOutput(path: string): Promise<Download> {
  const file = await openRegular(path, 'refuse').catch(() => undefined)
  if (!file) throw new HttpError(404, failure('resultGone'))
  const info = await file.stat()
  // Loaded on demand, because its list of MIME types takes longer to load than the rest of this module.
  const { lookup } = await import('mime-types')
  return {
    stream: file.createReadStream({ highWaterMark: 256 * 1024 }),
    headers: {
      'content-type': lookup(extname(path)) || 'application/octet-stream',
      'content-length': String(info.size),
      'content-disposition': contentDisposition(basename(path)),
      'x-content-type-options': 'nosniff',
    },
  }
}
