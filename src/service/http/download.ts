import { create as contentDisposition } from 'content-disposition'
import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Job } from '../../shared/api/resources.ts'
import { HttpError } from '../queue/index.ts'

export type Download = {
  readonly stream: Readable
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Section 4, `GET /download/{jobId}`: for a batch the index addresses `results`, for a single job there is only 0.
 * @throws HttpError 400 not completed, or no valid index; 404 no such index, or the file is gone
 */
export async function openDownload(job: Job, indexText: string | undefined): Promise<Download> {
  const index = parseIndex(indexText)
  if (job.status !== 'completed') throw new HttpError(400, `The job is not completed: it is ${job.status}`)
  const outputs = job.results ?? (job.result ? [job.result] : [])
  const output = outputs[index]
  if (!output) throw new HttpError(404, `The job has no result number ${index}`)
  if (typeof job.drive?.outputFolderId === 'string') {
    throw new HttpError(404, 'The results went to the cloud drive, and only local ones can be downloaded')
  }
  return openOutput(output.outputPath)
}

function parseIndex(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, 'index must be a whole number from 0')
  return Number(text)
}

async function openOutput(path: string): Promise<Download> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) throw gone()
  const info = await file.stat()
  if (!info.isFile()) {
    await file.close()
    throw gone()
  }
  // Its list of all types there are takes longer to read than the rest of this module.
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

const gone = () => new HttpError(404, 'The file is no longer there')
