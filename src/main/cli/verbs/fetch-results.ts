import { mkdir } from 'node:fs/promises'
import type { Job } from '../../../shared/api/resources.ts'
import { resultsOf } from '../../../shared/model/outcome.ts'
import type { Context } from '../context.ts'
import { EXIT, exitCodeOfError, type ExitCode } from '../exit-code.ts'

/** Downloads every result of jobs that are completed into one folder, which is made where it is missing. */
export async function fetchResults(
  { service, report, surroundings }: Context,
  jobs: ReadonlyMap<string, Job>,
  folder: string,
): Promise<ExitCode[]> {
  const codes: ExitCode[] = []
  for (const [jobId, job] of jobs) {
    // Anything else can't be downloaded (section 4).
    if (job.status !== 'completed') continue
    for (const index of resultsOf(job).keys()) {
      const problem = await makeFolder(folder)
      if (problem !== undefined) {
        report.say({ event: 'notice', message: problem })
        return [...codes, EXIT.failed]
      }
      const saved = await service.api.download(jobId, {
        index,
        to: { folder },
        signal: surroundings.interrupted,
      })
      if (saved.ok) report.say({ event: 'downloaded', jobId, index, ...saved.value })
      else {
        report.say({ event: 'error', about: `${jobId} ${index}`, error: saved.error })
        codes.push(exitCodeOfError(saved.error))
      }
    }
  }
  return codes
}

async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true })
    return undefined
  } catch (error) {
    return `${folder} can’t be made: ${error instanceof Error ? error.message : String(error)}`
  }
}
