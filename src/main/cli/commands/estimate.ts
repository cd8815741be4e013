import { startTrialWorker } from '../../../media/start-worker.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Estimate } from '../../../shared/model/estimate.ts'
import { basicDefaults, type Preset } from '../../../shared/preset/preset.ts'
import { workerOf } from '../job-worker.ts'
import { createTrials, estimateFromPast, estimateOnce } from '../../estimate/estimate.ts'
import type { CliCommand, Context } from '../context.ts'
import type { Environment } from '../environment.ts'
import { combinedExitCode, EXIT, type ExitCode } from '../exit-code.ts'
import { presetDocuments } from './presets.ts'
import { takeIn } from './submit.ts'

export type EstimateOptions = {
  readonly files: readonly string[]
  readonly preset?: string
  readonly count: number
}

/**
 * Prints an estimate of the results' size and processing time. For the built-in service, processes samples and discards the
 * results. For an external service, uses the jobs that the service has already finished.
 */
export const estimate: CliCommand<EstimateOptions> = async (context, { files, preset: name, count }) => {
  const { service, report, environment } = context
  const { source, codes } = await takeIn(context, { input: { files } })
  if (source === undefined) return combinedExitCode(codes)
  const say = (estimate: Estimate | null): ExitCode => {
    report.say({ event: 'forecast', forecast: estimate })
    return combinedExitCode([...codes, estimate?.kind === 'known' ? EXIT.done : EXIT.failed])
  }
  if (service.kind !== 'builtIn') {
    const { history } = await context.openCore({ connected: false, sends: false })
    const past = history.pastJobs({ preset: name ?? null, baseUrl: service.identity })
    return say(estimateFromPast({ source, variations: count }, past))
  }
  const preset = name === undefined ? basicDefaults() : await presetNamed(name, environment)
  if (preset === undefined) {
    report.say({ event: 'notPossible', problem: { code: 'presetUnknown', preset: name ?? '' } })
    return EXIT.failed
  }
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-estimate-'))
  const trials = openTrials(context, folder)
  try {
    const message = 'Processing sample files for the estimate.'
    const cores = availableParallelism()
    const estimate = await context.waits.during({ reason: 'working', message }, () =>
      estimateOnce({ source, variations: count }, preset, trials, { cores, signal: environment.interrupted }),
    )
    if (environment.interrupted.aborted) return EXIT.interrupted
    return say(estimate)
  } finally {
    trials.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function presetNamed(name: string, environment: Environment): Promise<Preset | undefined> {
  const found = (await presetDocuments(environment)).find((document) => document.name === name)
  return found?.preset ?? undefined
}

function openTrials({ environment }: Context, folder: string) {
  const worker = workerOf(environment)
  const work = join(folder, 'trials')
  return createTrials({
    start: () => startTrialWorker({ ...worker, folders: [work] }),
    folder: work,
    timing: environment.timing,
  })
}
