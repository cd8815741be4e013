/** What the draft will come to with the built-in service: the draft as it is now, its preset as it is written, tried in a worker. */
import type { AppState } from '../../shared/model/app-state.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Forecast } from '../../shared/model/forecast.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Recipe } from '../../media/protocol.ts'
import { messageOf } from '../../node/errors.ts'
import { BASIC_DEFAULTS, type Preset } from '../../shared/preset/preset.ts'
import { createForecaster, type ForecastSubject } from './forecaster.ts'
import type { Trials } from './trials.ts'

export { createTrials, startTrialWorker, type Trials } from './trials.ts'

export interface Forecasts {
  /** Whether somebody sees what the draft will come to: nothing is tried for nobody. */
  look(isLooking: boolean): void
  close(): void
}

export type ForecastsOptions = {
  readonly state: {
    get(): AppState
    set(slices: Pick<AppState, 'forecast'>): void
    onChange(listener: (state: AppState, before: AppState) => void): () => void
  }
  readonly presets: { list(): Promise<{ readonly documents: readonly PresetDocument[] }> }
  readonly trials: Trials
  readonly cores: number
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

type ChosenPreset = Pick<Preset, 'name' | 'image' | 'video' | 'results'>

export function createForecasts({ state, presets, trials, cores, log }: ForecastsOptions): Forecasts {
  let chosen: ChosenPreset | undefined
  let isLooking = false

  const forecaster = createForecaster({
    subject: () => (chosen === undefined ? undefined : subjectOf(state.get(), chosen)),
    tryFile: tryWith(trials, () => chosen),
    parallelism: parallelismOn(cores),
    onChange: (forecast: Forecast | null) => state.set({ forecast }),
    log,
  })

  async function readChosen(): Promise<void> {
    const { preset: name } = state.get().draft
    const read = name === null ? BASIC_DEFAULTS : await presetNamed(name)
    // Another one may have been chosen meanwhile; that is read by itself.
    if (name !== state.get().draft.preset) return
    chosen = read
    forecaster.refresh()
  }

  async function presetNamed(name: string): Promise<ChosenPreset | undefined> {
    const { documents } = await presets.list()
    const document = documents.find((one) => one.name === name)
    return document?.preset ?? undefined
  }

  function refresh(): void {
    if (isLooking) readChosen().catch((error: unknown) => log('forecast', { error: messageOf(error) }))
  }

  const stop = state.onChange((now, before) => {
    if (now.draft !== before.draft || now.connection !== before.connection) refresh()
  })

  return {
    look(next) {
      isLooking = next
      forecaster.look(next)
      refresh()
    },
    close() {
      stop()
      forecaster.close()
      trials.close()
    },
  }
}

/** Videos take all cores for one; photos take one each. */
export const parallelismOn =
  (cores: number) =>
  (kind: MediaKind): number =>
    kind === 'image' ? Math.max(1, cores) : 1

/** What a preset does is known of the built-in service only; what lies in a drive is known when the job runs. */
function subjectOf({ draft, connection }: AppState, preset: ChosenPreset): ForecastSubject | undefined {
  const isOurs = connection.kind === 'builtIn' && draft.source.kind === 'files'
  return isOurs ? forecastSubject(draft, preset) : undefined
}

export function forecastSubject(
  { source, variations }: Pick<Draft, 'source' | 'variations'>,
  preset: ChosenPreset,
): ForecastSubject | undefined {
  if (source.kind !== 'files') return undefined
  const { image, video, results } = preset
  const files = source.items.filter(({ kind }) => preset[kind] !== undefined)
  return {
    files,
    key: JSON.stringify([image, video, results.neverLarger]),
    variations,
    maxBytes: {
      ...(image?.maxBytes === undefined ? {} : { image: image.maxBytes }),
      ...(video?.maxBytes === undefined ? {} : { video: video.maxBytes }),
    },
  }
}

export const tryWith =
  (trials: Trials, chosen: () => ChosenPreset | undefined) =>
  async ({ path, kind }: ForecastSubject['files'][number], _: ForecastSubject, signal: AbortSignal) => {
    const preset = chosen()
    const recipe = preset && recipeFor(preset, kind)
    if (preset === undefined || recipe === undefined) return null
    return trials.run({ path, recipe, neverLarger: preset.results.neverLarger }, signal)
  }

function recipeFor({ image, video }: ChosenPreset, kind: MediaKind): Recipe | undefined {
  if (kind === 'image') return image && { kind, image }
  return video && { kind, video }
}
