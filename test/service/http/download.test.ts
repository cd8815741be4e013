import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDownload } from '../../../src/service/http/download.ts'
import { Job } from '../../../src/shared/api/resources.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-download-'))
})
afterEach(() => rm(folder, { recursive: true }))

const job = (more: Partial<Job>): Job =>
  Job.parse({
    jobId: 'j',
    status: 'completed',
    type: 'single',
    preset: 'basic',
    progress: {},
    createdAt: '2026-01-01T00:00:00Z',
    startedAt: null,
    completedAt: null,
    ...more,
  })
const put = async (name: string): Promise<string> => {
  await writeFile(join(folder, name), `of ${name}`)
  return join(folder, name)
}
const refused = (status: number, message: string) => expect.objectContaining({ status, message })

it('hands over the one result of a single job, or that of an index of a batch', async () => {
  const [a, b] = [await put('a.jpg'), await put('b.xyz')]
  const single = await openDownload(job({ result: { outputPath: a } }), undefined)
  expect(await text(single.stream)).toBe('of a.jpg')
  expect(single.headers).toEqual({
    'content-type': 'image/jpeg',
    'content-length': '8',
    'content-disposition': 'attachment; filename=a.jpg',
    'x-content-type-options': 'nosniff',
  })
  const batch = job({ type: 'batch', results: [a, b].map((outputPath) => ({ file: '', outputPath })) })
  const second = await openDownload(batch, '01')
  expect(await text(second.stream)).toBe('of b.xyz')
  expect(second.headers['content-type']).toBe('chemical/x-xyz')
  const first = await openDownload(batch, undefined)
  expect(await text(first.stream)).toBe('of a.jpg')
})

it('calls what it does not know bytes', async () => {
  const { stream, headers } = await openDownload(job({ result: { outputPath: await put('a.nothing') } }), '0')
  expect(headers['content-type']).toBe('application/octet-stream')
  stream.destroy()
})

it.each(['', '-1', '1.5', 'a', '0x1', '1e3', '9'.repeat(16)])('takes %j for no index', async (index) => {
  await expect(openDownload(job({ result: { outputPath: '/a' } }), index)).rejects.toEqual(
    refused(400, 'index must be a whole number from 0'),
  )
})

it('says why there is nothing to download', async () => {
  const made = { result: { outputPath: join(folder, 'gone.jpg') } }
  await mkdir(join(folder, 'folder.jpg'))
  await expect(openDownload(job({ ...made, status: 'processing' }), '0')).rejects.toEqual(
    refused(400, 'The job is not completed: it is processing'),
  )
  await expect(openDownload(job({}), '0')).rejects.toEqual(refused(404, 'The job has no result number 0'))
  await expect(openDownload(job(made), '1')).rejects.toEqual(refused(404, 'The job has no result number 1'))
  await expect(openDownload(job(made), '0')).rejects.toEqual(refused(404, 'The file is no longer there'))
  await expect(
    openDownload(job({ result: { outputPath: join(folder, 'folder.jpg') } }), '0'),
  ).rejects.toEqual(refused(404, 'The file is no longer there'))
  const drive = { inputFolderId: null, outputFolderId: 'outbox', uploadResult: null, uploadError: null }
  await expect(openDownload(job({ ...made, drive }), '0')).rejects.toEqual(
    refused(404, 'The results went to the cloud drive, and only local ones can be downloaded'),
  )
  const fromDrive = { ...drive, inputFolderId: 'inbox', outputFolderId: null }
  await expect(openDownload(job({ ...made, drive: fromDrive }), '0')).rejects.toEqual(
    refused(404, 'The file is no longer there'),
  )
})
