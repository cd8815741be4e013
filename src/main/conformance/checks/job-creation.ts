/** Sections 2, 4, 7 and 8: which jobs are accepted. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { MAX_JSON_BYTES } from '../../../shared/api/limits.ts'
import type { Check, CheckContext } from '../check.ts'
import { expectError, expectResource, expectThat, NotChecked } from '../expectations.ts'
import { NoAnswer } from '../requests.ts'

type Body = (context: CheckContext) => object

const refused = (section: string, what: string, body: Body): Check => ({
  section,
  title: `POST /jobs returns 400 for ${what}`,
  createsJobs: true,
  run: async (context) => void expectError(await context.jobs.submit(body(context)), 400),
})

const invalidText = (what: string, text: string): Check => ({
  section: '4',
  title: `POST /jobs returns 400 for ${what}`,
  run: async ({ jobs }) => void expectError(await jobs.send(text), 400),
})

const accepted = (title: string, section: string, run: (context: CheckContext) => Promise<void>): Check => ({
  section,
  title,
  createsJobs: true,
  run,
})

const driveRefused = (what: string, body: Body): Check => ({
  section: '4',
  title: `POST /jobs returns 412 for ${what} while no cloud drive is connected`,
  createsJobs: true,
  async run(context) {
    const status = await context.ask({ method: 'GET', path: '/drive/status' })
    if (expectResource(status, 200, 'DriveStatus').connected)
      throw new NotChecked('A cloud drive is connected.')
    expectError(await context.jobs.submit(body(context)), 412)
  },
})

const presetsOf = async ({ ask }: CheckContext) =>
  expectResource(await ask({ method: 'GET', path: '/presets' }), 200, 'Presets')

const UNKNOWN_PRESET = 'mediatray-check: no such preset'

const DRIVE = 'mediatray-check-no-such-folder'

const inputRules: readonly Check[] = [
  refused('2', 'a job without an input', ({ newFolder }) => ({ outputFolder: newFolder() })),
  refused('2', 'an empty list of files', ({ newFolder }) => ({ files: [], outputFolder: newFolder() })),
  refused('2', 'local and cloud drive input together', ({ files, newFolder }) => ({
    filePath: files.photo,
    driveInputFolder: DRIVE,
    outputFolder: newFolder(),
  })),
  refused('2', 'a job without an output', ({ files }) => ({ filePath: files.photo })),
  refused('2', 'two outputs', ({ files, newFolder }) => ({
    filePath: files.photo,
    outputFolder: newFolder(),
    driveOutputFolder: DRIVE,
  })),
  ...[0, -1, 1.5, '2'].map((batchCount) =>
    refused('2', `the batchCount ${JSON.stringify(batchCount)}`, ({ files, newFolder }) => ({
      filePath: files.photo,
      outputFolder: newFolder(),
      batchCount,
    })),
  ),
  refused('2', 'an unknown preset', ({ files, newFolder }) => ({
    filePath: files.photo,
    outputFolder: newFolder(),
    preset: UNKNOWN_PRESET,
  })),
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
  {
    section: '8',
    title: 'POST /jobs refuses a body of more than 64 KiB, or closes the connection',
    createsJobs: true,
    async run({ jobs, files, newFolder }) {
      const pad = 'x'.repeat(MAX_JSON_BYTES)
      try {
        expectError(await jobs.submit({ filePath: files.photo, outputFolder: newFolder(), pad }), 400)
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
      }
    },
  },
]

export const creationChecks: readonly Check[] = [
  ...inputRules,
  {
    section: '4',
    title: 'POST /jobs lists refused files in skipped and creates no output if none is valid',
    createsJobs: true,
    async run({ jobs, files, newFolder }) {
      const outputFolder = newFolder()
      const { skipped } = expectError(await jobs.submit({ filePath: files.missing, outputFolder }), 400)
      expectThat(!existsSync(outputFolder), 'created the output folder of a refused job')
      const named = skipped?.map(({ file }) => file) ?? [files.missing]
      expectThat(named.includes(files.missing), 'lists another file in skipped')
    },
  },
  accepted('POST /jobs accepts filePath alone and counts 1 file and 1 operation', '2', async (context) => {
    const { jobs, files, newFolder } = context
    const job = await jobs.accept({ filePath: files.photo, outputFolder: newFolder() })
    expectCounts(job, { inputFiles: 1, batchCount: 1, totalOperations: 1 })
    expectThat(job.skipped.length === 0, 'lists a valid file in skipped')
    expectThat(job.position >= 0, 'returned a negative position')
  }),
  accepted('POST /jobs accepts filePath and files together', '2', async ({ jobs, files, newFolder }) => {
    const body = { filePath: files.photo, files: [files.second], outputFolder: newFolder(), batchCount: 2 }
    expectCounts(await jobs.accept(body), { inputFiles: 2, batchCount: 2, totalOperations: 4 })
  }),
  accepted('POST /jobs lists a missing file in skipped and accepts the others', '4', async (context) => {
    const { jobs, files, newFolder } = context
    const job = await jobs.accept({ files: [files.photo, files.missing], outputFolder: newFolder() })
    expectThat(job.skipped.length === 1, `lists ${job.skipped.length} files in skipped instead of 1`)
    expectThat(job.inputFiles === 1, `returned inputFiles ${job.inputFiles} instead of 1`)
  }),
  accepted('POST /jobs ignores unknown fields', '2', async ({ jobs, files, newFolder }) => {
    await jobs.accept({ filePath: files.photo, outputFolder: newFolder(), mediatrayCheck: { a: [1] } })
  }),
  accepted('Every POST /jobs creates another job', '2', async ({ jobs, files, newFolder }) => {
    const body = { filePath: files.photo, outputFolder: newFolder() }
    const [one, two] = [await jobs.accept(body), await jobs.accept(body)]
    expectThat(one.jobId !== two.jobId, 'returned the same jobId twice')
  }),
  accepted('POST /jobs creates a missing outputFolder with its parent folders', '2', async (context) => {
    const { jobs, files, newFolder } = context
    const outputFolder = `${newFolder()}/a/b`
    const { jobId } = await jobs.accept({ filePath: files.photo, outputFolder })
    await jobs.finished(jobId)
    const names = await readdir(outputFolder).catch(() => [])
    expectThat(names.length > 0, 'did not write a result to the folder')
  }),
  accepted('POST /jobs accepts photos and videos together with a preset for both', '2', async (context) => {
    const { jobs, files, newFolder } = context
    const { image, video } = await presetsOf(context)
    const preset = image.find((name) => video.includes(name))
    if (preset === undefined) throw new NotChecked('No preset exists for both images and videos.')
    const both = { files: [files.photo, files.video], outputFolder: newFolder() }
    const job = await jobs.accept({ ...both, preset })
    expectCounts(job, { inputFiles: 2, batchCount: 1, totalOperations: 2 })
  }),
  {
    section: '2',
    title: 'POST /jobs returns 400 for photos and videos with a preset for only one of them',
    createsJobs: true,
    async run(context) {
      const { jobs, files, newFolder } = context
      const { image, video } = await presetsOf(context)
      const preset =
        image.find((name) => !video.includes(name)) ?? video.find((name) => !image.includes(name))
      if (preset === undefined) throw new NotChecked('Every preset exists for both images and videos.')
      const body = { files: [files.photo, files.video], outputFolder: newFolder(), preset }
      expectError(await jobs.submit(body), 400)
    },
  },
]

type Counts = {
  readonly inputFiles: number | null
  readonly batchCount: number
  readonly totalOperations: number | null
}

function expectCounts(job: Counts, expected: Counts): void {
  for (const field of ['inputFiles', 'batchCount', 'totalOperations'] as const) {
    expectThat(
      job[field] === expected[field],
      `returned ${field} ${job[field]} instead of ${expected[field]}`,
    )
  }
}
