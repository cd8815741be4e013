/** Sections 2, 3, 4, 7 and 8: how jobs run, end and are canceled. */
import { lstat, realpath } from 'node:fs/promises'
import { isBelow } from '../../../node/contained-path.ts'
import { MAX_WAITING_JOBS } from '../../../shared/api/limits.ts'
import type { ServiceJob } from '../../../shared/api/resources.ts'
import { check, type Check, type CheckContext, jobCheck, photoJob } from '../check.ts'
import { expectError, expectResource, expectThat, NotChecked } from '../expectations.ts'
import { expectOnlyOwnJobs, UNKNOWN_JOB } from './access.ts'

/** Number of variations that keeps a service busy for a few seconds. The check cancels the job as soon as possible. */
const MANY = 400

/** Creates a job that takes a while, and cancels it at the end. */
export async function withLongJob(
  { jobs, files, newFolder }: CheckContext,
  use: (jobId: string) => Promise<void>,
): Promise<void> {
  const { jobId } = await jobs.accept({
    filePath: await files.large(),
    outputFolder: newFolder(),
    batchCount: MANY,
  })
  try {
    await use(jobId)
  } finally {
    await jobs.cancel(jobId)
  }
}

/** Returns the ID of a finished job with one photo. */
async function finishedPhoto(context: CheckContext): Promise<string> {
  const { jobId } = await context.jobs.accept(photoJob(context))
  await context.jobs.finished(jobId)
  return jobId
}

/** Expects a file with content in the output folder. */
export async function expectResultIn(outputFolder: string, outputPath: string): Promise<void> {
  const below =
    isBelow(outputPath, outputFolder, process.platform) ||
    isBelow(outputPath, await realpath(outputFolder).catch(() => outputFolder), process.platform)
  expectThat(below, 'returned an outputPath that is not in the outputFolder')
  const file = await lstat(outputPath).catch(() => undefined)
  expectThat(
    file?.isFile() === true && file.size > 0,
    'returned an outputPath without a file that has content',
  )
}

function expectStatusOf({ status }: ServiceJob, ...expected: readonly ServiceJob['status'][]): void {
  expectThat(expected.includes(status), `a job is ${status} instead of ${expected.join(' or ')}`)
}

export const lifeChecks: readonly Check[] = [
  jobCheck('2', 'A job with one photo is single and becomes completed with a result', async (context) => {
    const outputFolder = context.newFolder()
    const { jobId } = await context.jobs.accept({ filePath: context.files.photo, outputFolder })
    const job = await context.jobs.finished(jobId)
    expectStatusOf(job, 'completed')
    expectThat(job.type === 'single', `a job with one file has the type ${job.type}`)
    expectThat(job.completedAt !== null, 'a completed job has no completedAt')
    expectThat(job.result !== undefined, 'a completed single job has no result')
    await expectResultIn(outputFolder, job.result.outputPath)
  }),
  jobCheck(
    '2',
    'A batch becomes completed with one result for each variation of each file',
    async (context) => {
      const { jobs, files, newFolder } = context
      const outputFolder = newFolder()
      const { jobId } = await jobs.accept({ files: [files.photo, files.second], outputFolder, batchCount: 2 })
      const job = await jobs.finished(jobId)
      expectStatusOf(job, 'completed')
      expectThat(job.type === 'batch', `a job with two files has the type ${job.type}`)
      const paths = new Set(job.results?.map(({ outputPath }) => outputPath))
      expectThat(paths.size === 4, `a batch with 4 operations has ${paths.size} different results`)
      for (const path of paths) await expectResultIn(outputFolder, path)
    },
  ),
  jobCheck('2', 'A job with a video becomes completed with a result', async ({ jobs, files, newFolder }) => {
    const outputFolder = newFolder()
    const { jobId } = await jobs.accept({ filePath: files.video, outputFolder })
    const job = await jobs.finished(jobId)
    expectStatusOf(job, 'completed')
    expectThat(job.result !== undefined, 'a completed single job has no result')
    await expectResultIn(outputFolder, job.result.outputPath)
  }),
  jobCheck('2', 'A damaged photo is refused, or its job has an error', async ({ jobs, files, newFolder }) => {
    const answer = await jobs.submit({ filePath: files.damaged, outputFolder: newFolder() })
    if (answer.status === 400) {
      expectError(answer, 400)
      return
    }
    const job = await jobs.finished(expectResource(answer, 202, 'AcceptedJob').jobId)
    if (job.status === 'completed') expectThat(job.result !== undefined, 'has neither a result nor an error')
    else {
      expectStatusOf(job, 'failed')
      expectThat((job.error ?? '') !== '', 'a failed single job has no error')
    }
  }),
  jobCheck('7', 'A batch with a damaged photo names it in errors or skipped', async (context) => {
    const { jobs, files, newFolder } = context
    const body = { files: [files.photo, files.damaged], outputFolder: newFolder() }
    const { jobId, skipped } = await jobs.accept(body)
    const job = await jobs.finished(jobId)
    expectStatusOf(job, 'completed')
    const outputs = job.results?.length ?? (job.result === undefined ? 0 : 1)
    const problems = skipped.length + (job.errors?.length ?? 0)
    expectThat(outputs >= 1, 'has no result for the intact photo')
    expectThat(outputs + problems >= 2, 'names the damaged photo neither in errors nor in skipped')
  }),
  jobCheck('4', 'GET /jobs lists a new job', async (context) => {
    const jobId = await finishedPhoto(context)
    const { jobs } = await context.jobs.list()
    const isListed = jobs.some((job) => job.jobId === jobId)
    expectThat(isListed, 'does not list the job')
  }),
  check('4', 'GET /jobs/{jobId} returns 404 for an unknown job', async ({ ask }) =>
    expectError(await ask({ method: 'GET', path: `/jobs/${UNKNOWN_JOB}` }), 404),
  ),
  check('4', 'DELETE /jobs/{jobId} returns 404 for an unknown job', async ({ jobs }) =>
    expectError(await jobs.cancel(UNKNOWN_JOB), 404),
  ),
  jobCheck('4', 'DELETE /jobs/{jobId} returns 400 for a job that has ended', async (context) => {
    const jobId = await finishedPhoto(context)
    expectError(await context.jobs.cancel(jobId), 400)
  }),
  jobCheck('3', 'DELETE /jobs/{jobId} cancels a job in progress', async (context) => {
    const { jobs } = context
    await withLongJob(context, async (jobId) => {
      await jobs.processing(jobId)
      const answer = expectResource(await jobs.cancel(jobId), 200, 'CancelledJob')
      expectThat(answer.jobId === jobId, 'returned a different jobId')
      expectStatusOf(await jobs.finished(jobId), 'cancelled')
    })
  }),
  jobCheck('3', 'DELETE /jobs/{jobId} cancels a queued job', async (context) => {
    const { jobs } = context
    await withLongJob(context, async (longJob) => {
      await jobs.processing(longJob)
      const { jobId } = await jobs.accept(photoJob(context))
      await expectQueued(context, jobId)
      expectResource(await jobs.cancel(jobId), 200, 'CancelledJob')
      expectStatusOf(await jobs.finished(jobId), 'cancelled')
    })
  }),
  jobCheck('8', 'One job at a time is processed, and the next one waits', async (context) => {
    const { jobs } = context
    await withLongJob(context, async (longJob) => {
      await jobs.processing(longJob)
      const { jobId } = await jobs.accept(photoJob(context))
      const listed = await jobs.list()
      const active = listed.jobs.filter(({ status }) => status === 'processing').length
      if ((await jobs.read(longJob)).status !== 'processing') throw new NotChecked(TOO_SOON)
      expectThat(active === 1, `${active} jobs are processing`)
      await expectQueued(context, jobId)
      expectThat(listed.processing, 'GET /jobs returned processing false while a job was processing')
      expectThat(
        listed.queueLength >= 1,
        `GET /jobs returned queueLength ${listed.queueLength} while a job waited`,
      )
    })
  }),
  jobCheck('8', 'POST /jobs returns 429 while ten jobs wait', async (context) => {
    const { jobs, mayFillQueue } = context
    if (!mayFillQueue)
      throw new NotChecked('Other clients would be refused meanwhile. Use --fill-queue to check it.')
    await withLongJob(context, async (longJob) => {
      await jobs.processing(longJob)
      const body = photoJob(context)
      for (let count = 0; count < MAX_WAITING_JOBS; count++) await jobs.accept(body)
      const answer = await jobs.submit(body)
      if ((await jobs.read(longJob)).status !== 'processing') throw new NotChecked(TOO_SOON)
      expectError(answer, 429)
    })
  }),
]

const TOO_SOON = 'The job ended before this could be checked.'

/** Expects a waiting job. @throws NotChecked if it has already completed */
async function expectQueued({ jobs }: CheckContext, jobId: string): Promise<void> {
  const { status } = await jobs.read(jobId)
  expectThat(status !== 'cancelled' && status !== 'failed', `a waiting job is ${status}`)
  if (status === 'completed') throw new NotChecked(TOO_SOON)
  expectThat(status === 'queued', `a job is ${status} while another one is processing`)
}

/** Runs last, because it removes the checks' own jobs from the list. */
export const clearCheck: Check = jobCheck('4', 'DELETE /jobs removes finished jobs', async (context) => {
  const { ask } = context
  const jobId = await finishedPhoto(context)
  await expectOnlyOwnJobs(context)
  const { cleared } = expectResource(await ask({ method: 'DELETE', path: '/jobs' }), 200, 'ClearedJobs')
  expectThat(cleared >= 1, `returned cleared ${cleared} although a job had finished`)
  expectError(await ask({ method: 'GET', path: `/jobs/${jobId}` }), 404)
})
