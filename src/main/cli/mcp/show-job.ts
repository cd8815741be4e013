/** Shows a job to an assistant, without files outside the folders that the user allows. */
import type { Access } from './access.ts'
import type { Data } from './answer.ts'
import { describeJob, type JobState } from './job-state.ts'

/** Whether the assistant may see the names of the job's files. Those of jobs that assistants submitted are known to it. */
export function isShown(access: Access, { isAssistants, parts }: JobState): boolean {
  if (isAssistants) return true
  const inputs = parts.flatMap(({ record, submission }) => record?.inputs ?? submission?.plan.items ?? [])
  const outputs = parts.flatMap(({ record, submission }) => {
    const output = (record ?? submission?.title)?.output
    const results = (record?.results ?? []).map(({ outputPath }) => outputPath)
    return output?.kind === 'folder' ? [output.path, ...results] : results
  })
  return access.mayName(
    inputs.map(({ path }) => path),
    outputs,
  )
}

export function showJob(access: Access, job: JobState): Data {
  const all = describeJob(job)
  if (isShown(access, job)) return all
  const { name: _, output: _output, resultFiles: _files, problems: _problems, details: _uri, ...rest } = all
  return { ...rest, note: 'The user’s own job, with files outside the folders that the user allows.' }
}
