import { startTrialWorker } from '../../../media/start-worker.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Estimate } from '../../../shared/model/estimate.ts'
import { basicDefaults, type Preset } from '../../../shared/preset/preset.ts'
import { workerOf } from '../job-worker.ts'
import { changedPreset, uselessSetting } from '../one-off-preset.ts'
import type { OneOffSetting } from '../one-off-settings.ts'
import { addRanges, createTrials, estimateFromPast, estimateOnce } from '../../estimate/estimate.ts'
import type { Line } from '../../core/index.ts'
import type { CliCommand, Context } from '../context.ts'
import type { Environment } from '../environment.ts'
import { combinedExitCode, EXIT } from '../exit-code.ts'
import { presetDocuments } from './presets.ts'
import { takeIn } from '../take-in.ts'

export type EstimateOptions = {
  readonly files: readonly string[]
  readonly presets: readonly string[]
  /** Changes to the preset for this command. */
  readonly settings: readonly OneOffSetting[]
  readonly count: number
}

/**
 * Prints an estimate of the results' size and processing time, for each preset and in total. For the built-in service, processes
 * samples and discards the results. For an external service, uses the jobs that the service has already finished.
 */
export const estimate: CliCommand<EstimateOptions> = async (
  context,
  { files, presets: names, settings, count },
) => {
  const { service, report, environment } = context
  const changed = settings.length === 0 ? undefined : await changedPreset(context, names, settings)
  if (changed?.ok === false) return changed.code
  const { source, codes } = await takeIn(context, { input: { files } })
  if (source === undefined) return combinedExitCode(codes)
  const useless = uselessSetting(source, changed?.preset, settings)
  if (useless !== undefined) {
    environment.stderr.write(`error: ${useless}\n`)
    return EXIT.usage
  }
  const wanted = names.length === 0 ? [null] : names
  const draft = { source, variations: count }
  const estimates =
    service.kind === 'builtIn'
      ? await estimatesFromSamples(context, draft, wanted, changed?.preset)
      : estimatesFromPast(context, context.line, draft, wanted)
  if (environment.interrupted.aborted) return EXIT.interrupted
  if (estimates === undefined) return EXIT.failed
  for (const [index, forecast] of estimates.entries()) {
    const preset = wanted[index] ?? null
    report.say({ event: 'forecast', forecast, ...(wanted.length > 1 && preset !== null ? { preset } : {}) })
  }
  if (wanted.length > 1) report.say({ event: 'forecast', forecast: totalOf(estimates) })
  const isKnown = estimates.every((one) => one?.kind === 'known')
  return combinedExitCode([...codes, isKnown ? EXIT.done : EXIT.failed])
}

type Counted = Parameters<typeof estimateFromPast>[0]

export function estimatesFromPast(
  { service }: Pick<Context, 'service'>,
  { history }: Pick<Line, 'history'>,
  draft: Counted,
  names: readonly (string | null)[],
): readonly (Estimate | null)[] {
  const baseUrl = service.identity
  return names.map((preset) => estimateFromPast(draft, history.pastJobs({ preset, baseUrl })))
}

/**
 * @param changed stands for the only preset
 * @returns undefined if a preset is missing, which has then been reported, or if the command was interrupted
 */
export async function estimatesFromSamples(
  context: Context,
  draft: Counted,
  names: readonly (string | null)[],
  changed: Preset | undefined,
): Promise<readonly (Estimate | null)[] | undefined> {
  const { report, environment } = context
  const presets: (Preset | ReturnType<typeof basicDefaults>)[] = []
  for (const name of names) {
    const preset = changed ?? (name === null ? basicDefaults() : await presetNamed(name, environment))
    if (preset !== undefined) presets.push(preset)
    else report.say({ event: 'notPossible', problem: { code: 'presetUnknown', preset: name ?? '' } })
  }
  if (presets.length < names.length) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-estimate-'))
  const trials = openTrials(context, folder)
  try {
    const message = 'Processing sample files for the estimate.'
    const options = { cores: availableParallelism(), signal: environment.interrupted }
    return await context.waits.during({ reason: 'working', message }, async () => {
      const estimates: (Estimate | null)[] = []
      for (const preset of presets) estimates.push(await estimateOnce(draft, preset, trials, options))
      return estimates
    })
  } finally {
    trials.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Adds up the estimates of several presets. A preset that doesn't apply to any of the files adds nothing. */
function totalOf(estimates: readonly (Estimate | null)[]): Estimate | null {
  const applying = estimates.filter((one) => one !== null)
  const known = applying.filter((one) => one.kind === 'known')
  const [first] = known
  if (first === undefined || known.length < applying.length) return applying.find(isUnknown) ?? null
  const times = known.flatMap(({ milliseconds }) => milliseconds ?? [])
  return {
    kind: 'known',
    inputBytes: Math.max(...known.map(({ inputBytes }) => inputBytes)),
    bytes: addRanges(known.map(({ bytes }) => bytes)),
    milliseconds: times.length < known.length ? null : addRanges(times),
    atMostBytes: null,
    isGrowing: false,
  }
}

const isUnknown = ({ kind }: Estimate): boolean => kind === 'unknown'

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
