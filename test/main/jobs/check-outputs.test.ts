import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { beforeEach, expect, it } from 'vitest'
import { checkOutputs } from '../../../src/main/jobs/check-outputs.ts'
import { newlyTracked } from '../../../src/main/jobs/tracked-job.ts'
import { unaccountedInputs } from '../../../src/main/jobs/unaccounted-inputs.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import { title } from '../../part-samples.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let root = ''
const at = (...path: string[]) => [root, ...path].join('/')

beforeEach(async () => {
  root = temporaryFolder()
  for (const folder of ['in', 'out/folder']) await mkdir(at(folder), { recursive: true })
  await symlink(at('in'), at('link'))
  await symlink(at('in'), at('out/link'))
  for (const file of ['in/a.jpg', 'out/a.jpg', 'other.jpg']) await writeFile(at(file), 'x')
})

const completed = (change: Partial<ServiceJob>): ServiceJob => ({
  jobId: 'j',
  status: 'completed',
  type: 'single',
  preset: 'basic',
  progress: {},
  createdAt: '2026-11-22T00:00:00.000Z',
  startedAt: null,
  completedAt: null,
  ...change,
})

/** The problems reported for a completed job with one input and this result. */
async function problemsWith(change: Partial<ServiceJob>, input: string, output: string) {
  const tracked = newlyTracked({
    jobId: 'j',
    title: { ...title('a.jpg', 1), output: { kind: 'folder', path: output } },
    inputs: [input],
  })
  const list = { jobs: [completed(change)], queueLength: 0, processing: false }
  const checked = await checkOutputs({ list, fetched: new Map() }, [tracked], () => () => undefined)
  const job = checked.list.jobs[0] ?? completed({})
  return [
    ...(job.errors ?? []),
    ...unaccountedInputs(job, { inputs: [input], variations: 1, renamed: false }),
  ]
}

it.each([
  ['the original, spelled differently', 'in/./a.jpg', 'in/a.jpg', 'out', 1],
  ['the original, which was given by a link', 'in/a.jpg', 'link/a.jpg', 'out', 1],
  ['the original, by a link in the output folder', 'out/link/a.jpg', 'in/a.jpg', 'out', 1],
  ['the original in the output folder', 'in/../in/a.jpg', 'in/a.jpg', 'in', 1],
  ['the original in the output folder, both by a link', 'link/a.jpg', 'in/a.jpg', 'link', 1],
  ['the output folder', 'out', 'in/a.jpg', 'out', 1],
  ['the output folder, spelled differently', 'in/../out/.', 'in/a.jpg', 'out', 1],
  ['a folder', 'out/folder', 'in/a.jpg', 'out', 1],
  ['a file of the same name', 'out/a.jpg', 'in/a.jpg', 'out', 0],
  ['a file outside the output folder, which can’t be checked', 'other.jpg', 'in/a.jpg', 'out', 0],
])('a result that is %s: %s', async (_, result, input, output, problems) => {
  const outputPath = at(result)
  const forms = [{ result: { outputPath } }, { results: [{ file: 'a.jpg', outputPath }] }]
  for (const form of forms) expect(await problemsWith(form, at(input), at(output))).toHaveLength(problems)
})
