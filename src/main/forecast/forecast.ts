/** What the draft will come to with the built-in service: the draft as it is now, its preset as it is written, tried in a worker. */
import type { AppState } from '../../shared/model/app-state.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import type { Expected, Forecast, KeptForecast } from '../../shared/model/forecast.ts'
import { messageOf } from '../../node/errors.ts'
import { BASIC_DEFAULTS } from '../../shared/preset/preset.ts'
import { type ChosenPreset, forecastSubject, parallelismOn, tryWith } from './forecast-subject.ts'
import { createForecaster, type ForecastSubject } from './forecaster.ts'
import type { Trials } from './trials.ts'

export { forecastOnce } from './forecast-once.ts'
export { createTrials, type Trials } from './trials.ts'

export interface Forecasts {
  /** Whether somebody sees what the draft will come to: nothing is tried for nobody. */
  look(isLooking: boolean): void
  /** What is seen of the draft as it is at this moment, to be kept with what is started of it. */
  onShow(): KeptForecast | undefined
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

/** The preset as it was read under the name that the draft had then. */
type Chosen = { readonly name: string | null; readonly preset: ChosenPreset }

export function createForecasts({ state, presets, trials, cores, log }: ForecastsOptions): Forecasts {
  let chosen: Chosen | undefined
  let isLooking = false

  const forecaster = createForecaster({
    subject: () => (chosen === undefined ? undefined : subjectOf(state.get(), chosen)),
    tryFile: tryWith(trials, () => chosen?.preset),
    parallelism: parallelismOn(cores),
    onChange: (forecast: Forecast | null) => state.set({ forecast }),
    log,
  })

  async function readChosen(): Promise<void> {
    // Whoever is told of a change is not told of another one in the middle of it.
    await Promise.resolve()
    const { preset: name } = state.get().draft
    const preset = name === null ? BASIC_DEFAULTS : await presetNamed(name)
    // Another one may have been chosen meanwhile; that is read by itself.
    if (name !== state.get().draft.preset) return
    chosen = preset && { name, preset }
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
    onShow() {
      const forecast = isLooking ? forecaster.now() : null
      if (forecast?.kind !== 'known') return undefined
      const { bytes, milliseconds } = forecast
      return { bytes: rounded(bytes), milliseconds: rounded(milliseconds) }
    },
    close() {
      stop()
      forecaster.close()
      trials.close()
    },
  }
}

/** What a preset does is known of the built-in service only; what lies in a drive is known when the job runs. */
function subjectOf({ draft, connection }: AppState, { name, preset }: Chosen): ForecastSubject | undefined {
  const isOurs = connection.kind === 'builtIn' && draft.source.kind === 'files'
  // Another one is chosen, and has not been read yet.
  if (name !== draft.preset) return undefined
  return isOurs ? forecastSubject(draft, preset) : undefined
}

const rounded = ({ low, likely, high }: Expected): Expected => ({
  low: Math.round(low),
  likely: Math.round(likely),
  high: Math.round(high),
})
