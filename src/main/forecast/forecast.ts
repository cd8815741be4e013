/**
 * What the draft will come to: with the built-in service, the draft as it is now, its preset as it is written, tried in a
 * worker; with another program's, by what that one has done.
 */
import type { AppState } from '../../shared/model/app-state.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import type { Forecast, KeptForecast, PastJob } from '../../shared/model/forecast.ts'
import { messageOf } from '../../node/errors.ts'
import { BASIC_DEFAULTS } from '../../shared/preset/preset.ts'
import { type ChosenPreset, forecastSubject, parallelismOn, tryWith } from './forecast-subject.ts'
import { rounded } from './expected.ts'
import { forecastFromPast } from './forecast-from-past.ts'
import { createForecaster, type ForecastSubject } from './forecaster.ts'
import type { Trials } from './trials.ts'

export { forecastFromPast } from './forecast-from-past.ts'
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
  /** What another program's service has done with a preset. */
  readonly pastJobs: (of: { readonly preset: string | null; readonly baseUrl: string }) => readonly PastJob[]
  readonly cores: number
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** The preset as it was read under the name that the draft had then. */
type Chosen = { readonly name: string | null; readonly preset: ChosenPreset }

export function createForecasts(options: ForecastsOptions): Forecasts {
  const { state, presets, trials, cores, pastJobs, log } = options
  let chosen: Chosen | undefined
  let isLooking = false
  let tried: Forecast | null = null

  const forecaster = createForecaster({
    subject: () => (chosen === undefined ? undefined : subjectOf(state.get(), chosen)),
    tryFile: tryWith(trials, () => chosen?.preset),
    parallelism: parallelismOn(cores),
    onChange(forecast: Forecast | null) {
      tried = forecast
      show()
    },
    log,
  })

  function show(): void {
    const forecast = tried ?? fromPast()
    if (JSON.stringify(forecast) !== JSON.stringify(state.get().forecast)) state.set({ forecast })
  }

  function fromPast(): Forecast | null {
    const { draft, connection } = state.get()
    if (!isLooking || connection.kind !== 'external') return null
    return forecastFromPast(draft, pastJobs({ preset: draft.preset, baseUrl: connection.baseUrl }))
  }

  async function readChosen(): Promise<void> {
    // Whoever is told of a change is not told of another one in the middle of it.
    await Promise.resolve()
    if (state.get().connection.kind !== 'builtIn') {
      forecaster.refresh()
      show()
      return
    }
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
    const isOther = now.draft !== before.draft || now.connection !== before.connection
    const hasMorePast = now.connection.kind === 'external' && now.historyVersion !== before.historyVersion
    if (isOther || hasMorePast) refresh()
  })

  return {
    look(next) {
      isLooking = next
      forecaster.look(next)
      if (!next) show()
      refresh()
    },
    onShow() {
      const forecast = isLooking ? (forecaster.now() ?? fromPast()) : null
      if (forecast?.kind !== 'known') return undefined
      const { bytes, milliseconds } = forecast
      return { bytes: rounded(bytes), milliseconds: milliseconds && rounded(milliseconds) }
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
