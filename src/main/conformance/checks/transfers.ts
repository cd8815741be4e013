/** Sections 2 and 4: uploads and downloads. */
import { readFile, rm } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { messageOf } from '../../../node/errors.ts'
import { check, type Check, type CheckContext, jobCheck } from '../check.ts'
import {
  expectError,
  expectResource,
  expectStatus,
  expectThat,
  NotChecked,
  Violation,
} from '../expectations.ts'
import type { Answer } from '../requests.ts'
import { pngBytes } from '../sample-files.ts'
import { UNKNOWN_JOB } from './access.ts'
import { expectResultIn, withLongJob } from './job-life.ts'

const upload = ({ ask }: CheckContext, name: string | null, body: Uint8Array): Promise<Answer> =>
  ask({
    method: 'POST',
    path: '/upload',
    headers: {
      'content-type': 'application/octet-stream',
      ...(name === null ? {} : { 'x-filename': name }),
    },
    body,
  })

const download = ({ ask }: CheckContext, jobId: string, query = ''): Promise<Answer> =>
  ask({ method: 'GET', path: `/download/${jobId}${query}` })

type Finished = { readonly jobId: string; readonly paths: readonly string[] }

const finishedJobs = new WeakMap<CheckContext, Map<number, Finished>>()

/** Returns a finished job whose results are in the checks' own folder. Checks that only read share the job. */
async function finishedJob(context: CheckContext, count: 1 | 2): Promise<Finished> {
  const known = finishedJobs.get(context)?.get(count)
  if (known !== undefined) return known
  const made = await newFinishedJob(context, count)
  const all = finishedJobs.get(context) ?? new Map<number, Finished>()
  finishedJobs.set(context, all.set(count, made))
  return made
}

async function newFinishedJob({ jobs, files, newFolder }: CheckContext, count: 1 | 2): Promise<Finished> {
  const outputFolder = newFolder()
  const { jobId } = await jobs.accept({
    files: [files.photo, files.second].slice(0, count),
    outputFolder,
  })
  const job = await jobs.finished(jobId)
  const paths = [job.result, ...(job.results ?? [])].flatMap((output) => output?.outputPath ?? [])
  if (job.status !== 'completed' || paths.length < count) throw new NotChecked('The job had no result.')
  for (const path of paths) await expectResultIn(outputFolder, path)
  return { jobId, paths }
}

const TYPES: Readonly<Record<string, RegExp>> = {
  '.png': /^image\/png\b/i,
  '.jpg': /^image\/jpeg\b/i,
  '.jpeg': /^image\/jpeg\b/i,
  '.webp': /^image\/webp\b/i,
}

async function expectDownload(answer: Answer, path: string): Promise<void> {
  expectStatus(answer, 200)
  const result = await readFile(path).catch((error: unknown) => {
    throw new Violation(`left a result that can't be read: ${messageOf(error)}`)
  })
  expectThat(answer.bytes.equals(result), 'returned bytes other than those of the result')
  const type = TYPES[/\.\w+$/.exec(path)?.[0].toLowerCase() ?? '']
  const sent = String(answer.headers['content-type'] ?? '')
  expectThat(type?.test(sent) !== false, 'returned a Content-Type that does not follow the extension')
  const disposition = String(answer.headers['content-disposition'] ?? '')
  const name = basename(path)
  const named = [name, encodeURIComponent(name)].some((form) => disposition.includes(form))
  expectThat(named || /filename/i.test(disposition), 'returned no file name in Content-Disposition')
}

export const transferChecks: readonly Check[] = [
  check('4', 'POST /upload returns an absolute path, the name and the size', async (context) => {
    const bytes = pngBytes(8, 8)
    const stored = expectResource(await upload(context, 'check.png', bytes), 200, 'Upload')
    expectThat(isAbsolute(stored.filePath), 'returned a filePath that is not absolute')
    expectThat(stored.originalName === 'check.png', 'returned a different originalName')
    expectThat(stored.size === bytes.length, `returned size ${stored.size} instead of ${bytes.length}`)
  }),
  jobCheck('4', 'POST /upload returns a filePath that is usable in a job', async (context) => {
    const { filePath } = expectResource(await upload(context, 'check.png', pngBytes(8, 8)), 200, 'Upload')
    const { jobId } = await context.jobs.accept({ filePath, outputFolder: context.newFolder() })
    const { status } = await context.jobs.finished(jobId)
    expectThat(status === 'completed', `the job with the uploaded file is ${status}`)
  }),
  check('4', 'POST /upload returns 400 without X-Filename', async (context) =>
    expectError(await upload(context, null, pngBytes(8, 8)), 400),
  ),
  check('4', 'POST /upload returns 400 for an unsupported extension', async (context) =>
    expectError(await upload(context, 'notes.txt', Buffer.from('text')), 400),
  ),
  check('2', 'POST /upload returns 400 for an empty file', async (context) =>
    expectError(await upload(context, 'empty.png', Buffer.alloc(0)), 400),
  ),
  jobCheck(
    '4',
    'GET /download/{jobId} returns the result of a single job with its type and name',
    async (context) => {
      const { jobId, paths } = await finishedJob(context, 1)
      await expectDownload(await download(context, jobId), paths[0] ?? '')
    },
  ),
  jobCheck(
    '4',
    'GET /download/{jobId} returns the result of a batch that index selects, by default the first',
    async (context) => {
      const { jobId, paths } = await finishedJob(context, 2)
      await expectDownload(await download(context, jobId), paths[0] ?? '')
      await expectDownload(await download(context, jobId, '?index=1'), paths[1] ?? '')
    },
  ),
  jobCheck('4', 'GET /download/{jobId} returns 404 for an unknown index', async (context) => {
    const { jobId } = await finishedJob(context, 2)
    expectError(await download(context, jobId, '?index=2'), 404)
  }),
  jobCheck(
    '4',
    'GET /download/{jobId} returns 400 for an index that is not a number of at least 0',
    async (context) => {
      const { jobId } = await finishedJob(context, 1)
      for (const index of ['-1', 'x']) expectError(await download(context, jobId, `?index=${index}`), 400)
    },
  ),
  jobCheck('4', 'GET /download/{jobId} returns 404 if the result was deleted', async (context) => {
    const { jobId, paths } = await newFinishedJob(context, 1)
    await rm(paths[0] ?? '').catch((error: unknown) => {
      throw new NotChecked(`The result can't be deleted: ${messageOf(error)}.`)
    })
    expectError(await download(context, jobId), 404)
  }),
  check('4', 'GET /download/{jobId} returns 404 for an unknown job', async (context) =>
    expectError(await download(context, UNKNOWN_JOB), 404),
  ),
  jobCheck('4', 'GET /download/{jobId} returns 400 for a job that is not completed', async (context) => {
    await withLongJob(context, async (jobId) => {
      await context.jobs.cancel(jobId)
      const { status } = await context.jobs.finished(jobId)
      if (status === 'completed') throw new NotChecked('The job ended before this could be checked.')
      expectError(await download(context, jobId), 400)
    })
  }),
]
