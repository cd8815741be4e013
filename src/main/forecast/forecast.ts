/**
 * What the draft will come to: with the built-in service, the draft as it is now, its preset as it is written, tried in a
 * worker; with another program's, by what that one has done.
 */
import type { AppState } from '../../shared/model/app-state.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { type Forecast, type KeptForecast, type PastJob, settingsText } from '../../shared/model/forecast.ts'
import { messageOf } from '../../node/errors.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { basicDefaults, Preset } from '../../shared/preset/preset.ts'
import { type ChosenPreset, forecastSubject, parallelismOn, tryWith } from './forecast-subject.ts'
import { rounded } from './expected.ts'
import { forecastFromPast } from './forecast-from-past.ts'
import { createForecaster, type ForecastSubject } from './forecaster.ts'
import type { Trials } from './trials.ts'

export { forecastFromPast } from './forecast-from-past.ts'
export { forecastOnce } from './forecast-once.ts'
export { createTrials, type Trials } from './trials.ts'

/** Undefined where nothing was known of it, or nothing was on show. */
export type ForecastOfPart = (
  part: Pick<Draft, 'preset' | 'source' | 'variations'>,
) => KeptForecast | undefined

export interface Forecasts {
  /** Whether somebody sees what the draft will come to: nothing is tried for nobody. */
  look(isLooking: boolean): void
  /** The same with settings that are not saved yet, for the files that they are for; null: nobody looks at that any more. */
  lookWith(unsaved: UnsavedPreset | null): void
  /** What is on show of the draft as it is at this moment, for each part that is started of it, to be kept with that. */
  onShow(): ForecastOfPart
  close(): void
}

export type ForecastsOptions = {
  readonly state: {
    get(): AppState
    set(slices: Pick<AppState, 'forecast' | 'forecastWith'>): void
    onChange(listener: (state: AppState, before: AppState) => void): () => void
  }
  readonly presets: { list(): Promise<{ readonly documents: readonly PresetDocument[] }> }
  readonly trials: Trials
  /** What another program's service has done with a preset. */
  readonly pastJobs: (of: { readonly preset: string | null; readonly baseUrl: string }) => readonly PastJob[]
  readonly cores: number
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** Settings that are not saved, and their text, by which the window knows what a forecast is of. */
export type UnsavedPreset = { readonly preset: ChosenPreset; readonly settings: string }

/** The preset as it was read under the name that the draft had then. */
type Chosen = { readonly name: string | null; readonly preset: ChosenPreset }

export function createForecasts(options: ForecastsOptions): Forecasts {
  const { state, presets, trials, cores, pastJobs, log } = options
  let chosen: Chosen | undefined
  let unsaved: UnsavedPreset | null = null
  let isLooking = false
  let tried: Forecast | null = null

  const forecaster = createForecaster({
    subject: () => subjectOf(state.get(), unsaved?.preset ?? presetOf(state.get(), chosen)),
    tryFile: tryWith(trials, () => unsaved?.preset ?? chosen?.preset),
    parallelism: parallelismOn(cores),
    onChange(forecast: Forecast | null) {
      tried = forecast
      show()
    },
    log,
  })

  function show(): void {
    const forecast = tried ?? fromPast()
    const forecastWith = unsaved?.settings ?? null
    const shown = state.get()
    const isOther = JSON.stringify(forecast) !== JSON.stringify(shown.forecast)
    if (isOther || forecastWith !== shown.forecastWith) state.set({ forecast, forecastWith })
  }

  function fromPast(): Forecast | null {
    const { draft, connection } = state.get()
    if (!isLooking || unsaved !== null || connection.kind !== 'external') return null
    return forecastFromPast(draft, pastOf(draft, connection.baseUrl))
  }

  const pastOf = ({ preset }: Draft, baseUrl: string): readonly PastJob[] => pastJobs({ preset, baseUrl })

  async function readChosen(): Promise<void> {
    // Whoever is told of a change is not told of another one in the middle of it.
    await Promise.resolve()
    if (unsaved !== null || state.get().connection.kind !== 'builtIn') {
      forecaster.refresh()
      show()
      return
    }
    const { preset: name } = state.get().draft
    const preset = name === null ? basicDefaults() : await presetNamed(name)
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
    if (isLooking || unsaved !== null)
      readChosen().catch((error: unknown) => log('forecast', { error: messageOf(error) }))
  }

  function looksHaveChanged(): void {
    forecaster.look(isLooking || unsaved !== null)
    show()
    refresh()
  }

  const stop = state.onChange((now, before) => {
    const isOther = now.draft !== before.draft || now.connection !== before.connection
    const hasMorePast = now.connection.kind === 'external' && now.historyVersion !== before.historyVersion
    if (isOther || hasMorePast) refresh()
  })

  return {
    look(next) {
      isLooking = next
      looksHaveChanged()
    },
    lookWith(settings) {
      // What is known of other settings is not shown as if it were of these.
      forecaster.look(false)
      unsaved = settings
      looksHaveChanged()
    },
    onShow() {
      if (!isLooking || unsaved !== null) return () => undefined
      const { draft, connection } = state.get()
      const ofFiles = forecaster.ofSome()
      const past = connection.kind === 'external' ? pastOf(draft, connection.baseUrl) : undefined
      return (part) => {
        // With another preset, a part of the draft would come to something else.
        if (part.source.kind !== 'files' || part.preset !== draft.preset) return undefined
        const forecast = past === undefined ? ofFiles(part.source.items) : forecastFromPast(part, past)
        return forecast?.kind === 'known' ? kept(forecast) : undefined
      }
    },
    close() {
      stop()
      forecaster.close()
      trials.close()
    },
  }
}

const kept = ({ bytes, milliseconds }: Extract<Forecast, { readonly kind: 'known' }>): KeptForecast => ({
  bytes: rounded(bytes),
  milliseconds: milliseconds && rounded(milliseconds),
})

/** Undefined also while another one is chosen that has not been read yet. */
const presetOf = ({ draft }: AppState, chosen: Chosen | undefined): ChosenPreset | undefined =>
  chosen?.name === draft.preset ? chosen.preset : undefined

/** What a preset does is known of the built-in service only; what lies in a drive is known when the job runs. */
function subjectOf(
  { draft, connection }: AppState,
  preset: ChosenPreset | undefined,
): ForecastSubject | undefined {
  const isOurs = connection.kind === 'builtIn' && draft.source.kind === 'files'
  return isOurs && preset !== undefined ? forecastSubject(draft, preset) : undefined
}

/** Settings as the window has them, for photos or for videos; null where they are no preset. */
export function unsavedPreset(document: unknown, part: MediaKind): UnsavedPreset | null {
  const { data } = Preset.safeParse(document)
  if (data === undefined) return null
  const { name, results, image, video } = data
  const preset = part === 'image' ? { name, results, image } : { name, results, video }
  return { preset, settings: settingsText(document, part) }
}
