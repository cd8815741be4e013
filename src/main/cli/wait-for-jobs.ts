import type { FileError, Job } from '../../shared/api/resources.ts'
import { outcomeOf, problemsOf, resultsOf, isUploading, type Outcome } from '../../shared/model/outcome.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import { exitCodeOfError, exitCodeOfOutcome, EXIT, type ExitCode } from './exit-code.ts'
import type { Context } from './context.ts'
import type { Step } from './output/index.ts'
import { createEstimate } from './progress-estimate.ts'

export type Awaited = {
  readonly jobId: string
  /** For a person. */
  readonly name: string
  /** What the service left out when it accepted the job. */
  readonly skipped: readonly FileError[]
}

export type Waiting = {
  /** Takes a further job in. */
  add(job: Awaited): void
  readonly pending: number
  /** Reads the jobs once, and tells of those that have ended. Returns the code to end with when waiting has no more use. */
  look(): Promise<ExitCode | undefined>
  /** Codes of the jobs that have ended. */
  readonly codes: readonly ExitCode[]
  /** Last readings of the jobs that have ended. */
  readonly finished: ReadonlyMap<string, Job>
}

/** A service that answers none of this many readings in a row is gone. */
const PATIENCE = 5

type Pending = Awaited & { readonly estimate: ReturnType<typeof createEstimate> }

/** Follows jobs to their end with one `GET /jobs` a look, and one `GET /jobs/{jobId}` for each that has left that list. */
export function createWaiting({ service, report, surroundings }: Context): Waiting {
  const { clock, interrupted } = surroundings
  const pending = new Map<string, Pending>()
  const codes: ExitCode[] = []
  const finished = new Map<string, Job>()
  let missed = 0

  function settle(job: Pending, outcome: Outcome, reading: Job | undefined) {
    pending.delete(job.jobId)
    codes.push(exitCodeOfOutcome(outcome))
    if (reading) finished.set(job.jobId, reading)
    report.say({
      event: 'finished',
      jobId: job.jobId,
      outcome,
      results: reading ? resultsOf(reading) : [],
      problems: reading ? problemsOf(reading, job.skipped) : job.skipped,
    })
  }

  function giveUp(error: ServiceError): ExitCode | undefined {
    const hopeless = error.kind === 'unauthorized' || error.kind === 'aborted' || error.kind === 'badResponse'
    missed++
    if (!hopeless && missed < PATIENCE) return undefined
    report.progress([])
    report.say({ event: 'error', about: 'The jobs can’t be followed any longer', error })
    return exitCodeOfError(error)
  }

  async function readOne(job: Pending): Promise<ExitCode | undefined> {
    const read = await service.api.job(job.jobId, { signal: interrupted })
    if (read.ok) {
      take(job, read.value)
      return undefined
    }
    if (read.error.kind !== 'notFound') return giveUp(read.error)
    settle(job, { kind: 'forgotten' }, undefined)
    return undefined
  }

  const steps: Step[] = []
  function take(job: Pending, reading: Job) {
    const outcome = outcomeOf(reading, job.skipped)
    if (outcome !== null) settle(job, outcome, reading)
    else steps.push({ ...stepOf(job, reading), ...job.estimate(reading.progress) })
  }

  return {
    add: (job) => void pending.set(job.jobId, { ...job, estimate: createEstimate(() => clock.now()) }),
    get pending() {
      return pending.size
    },
    codes,
    finished,
    async look() {
      if (interrupted.aborted) return EXIT.interrupted
      const list = await service.api.jobs({ signal: interrupted })
      if (!list.ok) return giveUp(list.error)
      missed = 0
      steps.length = 0
      const listed = new Map(list.value.jobs.map((job) => [job.jobId, job]))
      for (const job of pending.values()) {
        const reading = listed.get(job.jobId)
        if (reading !== undefined) take(job, reading)
        else {
          const code = await readOne(job)
          if (code !== undefined) return code
        }
      }
      report.progress(steps)
      return undefined
    },
  }
}

function stepOf(job: Pending, reading: Job): Omit<Step, 'share' | 'remaining'> {
  return { what: { kind: 'job', jobId: job.jobId }, label: job.name, detail: detailOf(reading) }
}

function detailOf(job: Job): string {
  if (isUploading(job)) return 'Uploading to the cloud drive'
  if (job.status === 'queued') return 'Waiting'
  const { phase, currentFile, totalFiles, fileName } = job.progress
  const place =
    currentFile !== undefined && typeof totalFiles === 'number' && totalFiles > 1
      ? `${currentFile}/${totalFiles}`
      : ''
  return [phase ?? 'Processing', place, totalFiles === 1 ? '' : (fileName ?? '')]
    .filter((part) => part !== '')
    .join(' ')
}
