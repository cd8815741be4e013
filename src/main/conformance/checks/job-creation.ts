/** Sections 2, 4, 7 and 8: which jobs are accepted. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { MAX_JSON_BYTES } from '../../../shared/api/limits.ts'
import type { AcceptedJob } from '../../../shared/api/resources.ts'
import { check, type Check, type CheckContext, jobCheck, photoJob } from '../check.ts'
import { expectError, expectResource, expectThat, NotChecked } from '../expectations.ts'
import { NoAnswer } from '../requests.ts'

type Body = (context: CheckContext) => object

const refused = (section: string, what: string, body: Body): Check =>
  jobCheck(section, `POST /jobs returns 400 for ${what}`, async (context) =>
    expectError(await context.jobs.submit(body(context)), 400),
  )

const invalidText = (what: string, text: string): Check =>
  check('4', `POST /jobs returns 400 for ${what}`, async ({ jobs }) =>
    expectError(await jobs.send(text), 400),
  )

const driveRefused = (what: string, body: Body): Check =>
  jobCheck('4', `POST /jobs returns 412 for ${what} while no cloud drive is connected`, async (context) => {
    const status = await context.ask({ method: 'GET', path: '/drive/status' })
    if (expectResource(status, 200, 'DriveStatus').connected)
      throw new NotChecked('A cloud drive is connected.')
    expectError(await context.jobs.submit(body(context)), 412)
  })

const presetsOf = async ({ ask }: CheckContext) =>
  expectResource(await ask({ method: 'GET', path: '/presets' }), 200, 'Presets')

const UNKNOWN_PRESET = 'mediatray-check: no such preset'

const DRIVE = 'mediatray-check-no-such-folder'

const inputRules: readonly Check[] = [
  refused('2', 'a job without an input', ({ newFolder }) => ({ outputFolder: newFolder() })),
  refused('2', 'an empty list of files', ({ newFolder }) => ({ files: [], outputFolder: newFolder() })),
  refused('2', 'local and cloud drive input together', (context) => ({
    ...photoJob(context),
    driveInputFolder: DRIVE,
  })),
  refused('2', 'a job without an output', ({ files }) => ({ filePath: files.photo })),
  refused('2', 'two outputs', (context) => ({ ...photoJob(context), driveOutputFolder: DRIVE })),
  ...[0, -1, 1.5, '2'].map((batchCount) =>
    refused('2', `the batchCount ${JSON.stringify(batchCount)}`, (context) => ({
      ...photoJob(context),
      batchCount,
    })),
  ),
  refused('2', 'an unknown preset', (context) => ({ ...photoJob(context), preset: UNKNOWN_PRESET })),
  refused('2', 'a relative filePath', ({ newFolder }) => ({
    filePath: 'photo.png',
    outputFolder: newFolder(),
  })),
  refused('2', 'a relative outputFolder', ({ files }) => ({
    filePath: files.photo,
    outputFolder: 'mediatray-check',
  })),
  refused('7', 'an unsupported extension', ({ files, newFolder }) => ({
    filePath: files.text,
    outputFolder: newFolder(),
  })),
  refused('2', 'a filePath that is not a string', ({ newFolder }) => ({
    filePath: 1,
    outputFolder: newFolder(),
  })),
  refused('2', 'files that are not a list of strings', ({ newFolder }) => ({
    files: [1],
    outputFolder: newFolder(),
  })),
  invalidText('a body that is not JSON', '{"filePath":'),
  invalidText('an empty body', ''),
  invalidText('a JSON value that is not an object', '[]'),
  driveRefused('cloud drive input', ({ newFolder }) => ({
    driveInputFolder: DRIVE,
    outputFolder: newFolder(),
  })),
  driveRefused('cloud drive output', ({ files }) => ({
    filePath: files.photo,
    driveOutputFolder: DRIVE,
  })),
  jobCheck(
    '8',
    'POST /jobs refuses a body of more than 64 KiB, or closes the connection',
    async (context) => {
      const pad = 'x'.repeat(MAX_JSON_BYTES)
      try {
        expectError(await context.jobs.submit({ ...photoJob(context), pad }), 400)
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
      }
    },
  ),
]

export const creationChecks: readonly Check[] = [
  ...inputRules,
  jobCheck(
    '4',
    'POST /jobs lists refused files in skipped and creates no output if none is valid',
    async ({ jobs, files, newFolder }) => {
      const outputFolder = newFolder()
      const { skipped } = expectError(await jobs.submit({ filePath: files.missing, outputFolder }), 400)
      expectThat(!existsSync(outputFolder), 'created the output folder of a refused job')
      const named = skipped?.map(({ file }) => file) ?? [files.missing]
      expectThat(named.includes(files.missing), 'lists another file in skipped')
    },
  ),
  jobCheck('2', 'POST /jobs accepts filePath alone and counts 1 file and 1 operation', async (context) => {
    const job = await context.jobs.accept(photoJob(context))
    expectCounts(job, { inputFiles: 1, batchCount: 1, totalOperations: 1 })
    expectThat(job.skipped.length === 0, 'lists a valid file in skipped')
    expectThat(job.position >= 0, 'returned a negative position')
  }),
  jobCheck('2', 'POST /jobs accepts filePath and files together', async (context) => {
    const body = { ...photoJob(context), files: [context.files.second], batchCount: 2 }
    expectCounts(await context.jobs.accept(body), { inputFiles: 2, batchCount: 2, totalOperations: 4 })
  }),
  jobCheck('4', 'POST /jobs lists a missing file in skipped and accepts the others', async (context) => {
    const { jobs, files, newFolder } = context
    const job = await jobs.accept({ files: [files.photo, files.missing], outputFolder: newFolder() })
    expectThat(job.skipped.length === 1, `lists ${job.skipped.length} files in skipped instead of 1`)
    expectThat(job.inputFiles === 1, `returned inputFiles ${job.inputFiles} instead of 1`)
  }),
  jobCheck('2', 'POST /jobs ignores unknown fields', (context) =>
    context.jobs.accept({ ...photoJob(context), mediatrayCheck: { a: [1] } }),
  ),
  jobCheck('2', 'Every POST /jobs creates another job', async (context) => {
    const body = photoJob(context)
    const [one, two] = [await context.jobs.accept(body), await context.jobs.accept(body)]
    expectThat(one.jobId !== two.jobId, 'returned the same jobId twice')
  }),
  jobCheck('2', 'POST /jobs creates a missing outputFolder with its parent folders', async (context) => {
    const { jobs, files, newFolder } = context
    const outputFolder = `${newFolder()}/a/b`
    const { jobId } = await jobs.accept({ filePath: files.photo, outputFolder })
    await jobs.finished(jobId)
    const names = await readdir(outputFolder).catch(() => [])
    expectThat(names.length > 0, 'did not write a result to the folder')
  }),
  jobCheck('2', 'POST /jobs accepts photos and videos together with a preset for both', async (context) => {
    const { jobs, files, newFolder } = context
    const { image, video } = await presetsOf(context)
    const preset = image.find((name) => video.includes(name))
    if (preset === undefined) throw new NotChecked('No preset exists for both images and videos.')
    const body = { files: [files.photo, files.video], outputFolder: newFolder(), preset }
    expectCounts(await jobs.accept(body), { inputFiles: 2, batchCount: 1, totalOperations: 2 })
  }),
  jobCheck(
    '2',
    'POST /jobs returns 400 for photos and videos with a preset for only one of them',
    async (context) => {
      const { jobs, files, newFolder } = context
      const { image, video } = await presetsOf(context)
      const preset =
        image.find((name) => !video.includes(name)) ?? video.find((name) => !image.includes(name))
      if (preset === undefined) throw new NotChecked('Every preset exists for both images and videos.')
      const body = { files: [files.photo, files.video], outputFolder: newFolder(), preset }
      expectError(await jobs.submit(body), 400)
    },
  ),
]

const COUNTS = ['inputFiles', 'batchCount', 'totalOperations'] as const

function expectCounts(job: AcceptedJob, expected: Pick<AcceptedJob, (typeof COUNTS)[number]>): void {
  for (const field of COUNTS)
    expectThat(
      job[field] === expected[field],
      `returned ${field} ${job[field]} instead of ${expected[field]}`,
    )
}
