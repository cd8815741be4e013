import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it } from 'vitest'
import { openDownload } from '../../../src/service/http/download.ts'
import { ServiceJob } from '../../../src/shared/api/resources.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const job = (more: Partial<ServiceJob>): ServiceJob =>
  ServiceJob.parse({
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
const expectRefusal = (more: Partial<ServiceJob>, index: string, status: number, message: string) =>
  expect(openDownload(job(more), index)).rejects.toMatchObject({ status, message })
const GONE = [404, 'The file no longer exists.'] as const

it('returns the only result of a single job, or the result at an index of a batch', async () => {
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

it.skipIf(process.platform === 'win32')(
  'is not found if another user has replaced the result with a pipe or a link',
  async () => {
    const [pipe, link] = [join(folder, 'pipe.jpg'), join(folder, 'link.jpg')]
    execFileSync('mkfifo', [pipe])
    await symlink(await put('secret.jpg'), link)
    for (const outputPath of [pipe, link]) {
      await expectRefusal({ result: { outputPath } }, '0', ...GONE)
    }
  },
)

it('names the file in any script', async () => {
  const outputPath = await put('Grüße 🌸.jpg')
  const { stream, headers } = await openDownload(job({ result: { outputPath } }), '0')
  const name = encodeURIComponent('Grüße 🌸.jpg')
  expect(headers['content-disposition']).toContain(`filename*=UTF-8''${name}`)
  stream.destroy()
})

it('sends files of unknown types as bytes', async () => {
  const { stream, headers } = await openDownload(job({ result: { outputPath: await put('a.nothing') } }), '0')
  expect(headers['content-type']).toBe('application/octet-stream')
  stream.destroy()
})

it.each(['', '-1', '1.5', 'a', '0x1', '1e3', '9'.repeat(16)])(
  'doesn’t accept %j as an index',
  async (index) => {
    await expectRefusal(
      { result: { outputPath: '/a' } },
      index,
      400,
      'index must be an integer of at least 0, given once.',
    )
  },
)

it('reports why a result can’t be downloaded', async () => {
  const made = { result: { outputPath: join(folder, 'gone.jpg') } }
  await mkdir(join(folder, 'folder.jpg'))
  await expectRefusal({ ...made, status: 'processing' }, '0', 400, 'The job isn’t completed.')
  await expectRefusal({}, '0', 404, 'The job has no result number 0.')
  await expectRefusal(made, '1', 404, 'The job has no result number 1.')
  await expectRefusal(made, '0', ...GONE)
  await expectRefusal({ result: { outputPath: join(folder, 'folder.jpg') } }, '0', ...GONE)
  const drive = { inputFolderId: null, outputFolderId: 'outbox', uploadResult: null, uploadError: null }
  await expectRefusal(
    { ...made, drive },
    '0',
    404,
    'The results are in the cloud drive; only local results can be downloaded.',
  )
  const fromDrive = { ...drive, inputFolderId: 'inbox', outputFolderId: null }
  await expectRefusal({ ...made, drive: fromDrive }, '0', ...GONE)
})
