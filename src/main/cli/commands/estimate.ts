import { EXIT } from '../../../shared/command-end.ts'
import { availableParallelism } from 'node:os'
import { sumOf } from '../../../shared/sum.ts'
import type { Foreseen } from '../../../shared/loss/foreseen.ts'
import type { Estimate } from '../../../shared/model/estimate.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import type { Preset } from '../../../shared/preset/preset.ts'
import { changedPreset, uselessSetting } from '../one-off-preset.ts'
import { presetsMeant } from '../preset-names.ts'
import type { OneOffSetting } from '../one-off-settings.ts'
import { estimateFromPast, estimateOnce, foreseeOnce, totalEstimate } from '../../estimate/estimate.ts'
import type { CliCommand, Context } from '../context.ts'
import { usageError, combinedExitCode } from '../exit-code.ts'
import { t } from '../output/language.ts'
import { takeIn } from '../take-in.ts'
import { presetsNamed, withTrials } from '../trial-worker.ts'

/**
 * Prints an estimate of the results' size and processing time, for each preset and in total. For the built-in service, processes samples
 * and discards the results. For an external service, uses the jobs that it has already finished.
 */
export const estimate: CliCommand<{
  readonly files: readonly string[]
  readonly presets: readonly string[]
  /** Changes to the preset for this command. */
  readonly settings: readonly OneOffSetting[]
  readonly count: number
}> = async (context, { files, presets, settings, count }) => {
  const { service, report, environment } = context
  const names = await presetsMeant(context, presets)
  const changed = settings.length === 0 ? undefined : await changedPreset(context, names, settings)
  if (changed?.ok === false) return changed.code
  const { source, codes } = await takeIn(context, files)
  if (source === undefined) return combinedExitCode(codes)
  const useless = uselessSetting(source, changed?.preset, settings)
  if (useless !== undefined) return usageError(environment, useless)
  const wanted = names.length === 0 ? [null] : names
  const draft = { source, variations: count }
  const forecasts =
    service.kind === 'builtIn'
      ? await forecastsFromSamples(context, draft, wanted, changed?.preset)
      : estimatesFromPast(context, draft, wanted)
  if (environment.interrupted.aborted) return EXIT.interrupted
  if (forecasts === undefined) return EXIT.failed
  const several = count > 1 ? { isMultiplied: true as const } : {}
  for (const [index, { estimate: forecast, foreseen: wouldLose = null }] of forecasts.entries()) {
    const preset = wanted[index] ?? null
    report.say({
      event: 'forecast',
      forecast,
      ...several,
      ...(wanted.length > 1 && preset !== null ? { preset } : {}),
      ...(wouldLose === null ? {} : { wouldLose }),
    })
  }
  const estimates = forecasts.map((one) => one.estimate)
  if (wanted.length > 1) report.say({ event: 'forecast', forecast: totalOf(forecasts), isMultiplied: true })
  const isKnown = estimates.every((one) => one?.kind === 'known')
  return combinedExitCode([...codes, isKnown ? EXIT.done : EXIT.failed])
}

/** What is known about the results of one preset before a job starts. */
type Ahead = {
  readonly estimate: Estimate | null
  readonly foreseen?: Foreseen | null
  /** The files that the preset applies to; at an external service, all files. */
  readonly items: readonly MediaItem[]
}

type Counted = Parameters<typeof estimateFromPast>[0]

export function estimatesFromPast(
  { service, line: { history } }: Pick<Context, 'service' | 'line'>,
  draft: Counted,
  names: readonly (string | null)[],
): readonly Ahead[] {
  const baseUrl = service.identity
  return names.map((preset) => ({
    estimate: estimateFromPast(draft, history.pastJobs({ preset, baseUrl })),
    items: filesOf(draft),
  }))
}

/**
 * Estimates the results of each preset by processing samples of the files.
 * @param changed the changed preset, which replaces the only named one
 * @returns undefined if a preset is missing. In that case, the problem has been reported
 */
export async function forecastsFromSamples(
  context: Context,
  draft: Counted,
  names: readonly (string | null)[],
  changed: Preset | undefined,
): Promise<readonly Ahead[] | undefined> {
  const { report, environment } = context
  const found = await presetsNamed(environment, names, changed)
  for (const [index, preset] of found.entries())
    if (preset === undefined)
      report.say({ event: 'notPossible', problem: { code: 'presetUnknown', preset: names[index] ?? '' } })
  const presets = found.filter((preset) => preset !== undefined)
  if (presets.length < names.length) return undefined
  const { interrupted: signal } = environment
  return withTrials(context, (trials) =>
    context.waits.during({ reason: 'working', message: t().waits.samples }, async () => {
      const forecasts: Ahead[] = []
      for (const preset of presets) {
        const estimate = await estimateOnce(draft, preset, trials, { cores: availableParallelism(), signal })
        forecasts.push({
          estimate,
          foreseen: await foreseeOnce(draft, preset, trials, signal),
          items: filesOf(draft).filter(({ kind }) => preset[kind] !== undefined),
        })
      }
      return forecasts
    }),
  )
}

const filesOf = ({ source }: Counted): readonly MediaItem[] => (source.kind === 'files' ? source.items : [])

/** Adds up the estimates of several presets. Presets that don't apply to any of the files don't count; null if none applies. */
function totalOf(forecasts: readonly Ahead[]): Estimate | null {
  const applying = forecasts.flatMap(({ estimate: one }) => one ?? [])
  const items = new Set(forecasts.flatMap((one) => one.items))
  return applying.length === 0 ? null : totalEstimate(applying, sumOf([...items].map(({ size }) => size)))
}
