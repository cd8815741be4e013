/**
 * Estimates how large a draft's results will be and how long they take. For the built-in service it processes sample files in a
 * worker with the current preset and extrapolates. For an external service it uses jobs that the service has finished.
 *
 * Example: ten JPEGs of 2 to 6 MB (40 MB in total), to be resized to 2048 px. Three samples of 2, 4 and 6 MB were processed in
 * 0.3 s each and became 0.40, 0.42 and 0.38 MB.
 *
 * - Model (`extrapolate.ts`): results don't depend on the input size, so "constant" fits best. The other seven files are
 *   predicted to be 0.40 MB each, so the estimate is 1.2 MB measured + 2.8 MB predicted = 4.0 MB.
 * - Range: leaving out one sample at a time, the model is off by 0 to 8 %. Because three samples prove little, an error of 13 %
 *   per file is assumed. With the factors for few samples, four of five outcomes are between 3.3 and 4.7 MB.
 * - Time (`estimator.ts`): 10 × 0.3 s = 3 s one after another. Four cores need three rounds: 3 s × 3/10, plus 10 % for running in
 *   parallel, is 1.0 s. Starting the worker takes 0.5 s, so the estimate is 1.5 s.
 *
 * The range of sizes is still wider than ± 10 %, so the estimator processes further samples and repeats the calculation.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../node/log.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import { type Draft, singlePresetOf } from '../../shared/model/draft.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { type Estimate, type KeptEstimate, type PastJob, settingsText } from '../../shared/model/estimate.ts'
import { messageOf } from '../../node/errors.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { basicDefaults, Preset } from '../../shared/preset/preset.ts'
import { type ChosenPreset, estimateInput, measureWith } from './estimate-input.ts'
import { roundRange } from './ranges.ts'
import { estimateFromPast } from './estimate-from-past.ts'
import { createEstimator, type EstimateInput } from './estimator.ts'
import type { Trials } from './trials.ts'

export { estimateFromPast } from './estimate-from-past.ts'
export { estimateOnce } from './estimate-once.ts'
export { createTrials, type Processed, type Trials } from './trials.ts'

/** Returns the estimate of a part of the draft; undefined if there was none or it wasn't shown. */
export type EstimateOfPart = (
  part: Pick<Draft, 'presets' | 'source' | 'variations'>,
) => KeptEstimate | undefined

export interface Estimates {
  /** Sets whether the user can see the estimate. Nothing is sampled while it isn't visible. */
  setVisible(isVisible: boolean): void
  /**
   * Sets unsaved settings to estimate instead of the draft's preset, for the files they apply to. null switches back to the preset.
   */
  setUnsavedPreset(unsaved: UnsavedPreset | null): void
  /** Captures the estimate that is currently shown, so that each submission of the draft can store its part of the estimate. */
  snapshot(): EstimateOfPart
  close(): void
}

export type EstimatesOptions = {
  readonly state: {
    get(): AppState
    set(slices: Pick<AppState, 'estimate' | 'estimateWith'>): void
    onChange(listener: (state: AppState, before: AppState) => void): () => void
  }
  readonly presets: { list(): Promise<{ readonly documents: readonly PresetDocument[] }> }
  readonly trials: Pick<Trials, 'estimate' | 'close'>
  /** Returns the jobs with a preset that an external service has finished. */
  readonly pastJobs: (of: { readonly preset: string | null; readonly baseUrl: string }) => readonly PastJob[]
  readonly cores: number
  readonly log: Log
}

/** Unsaved settings and their text. The window uses the text to match an estimate with its settings. */
export type UnsavedPreset = { readonly preset: ChosenPreset; readonly settings: string }

/** The preset that was read, and the preset name that the draft had at the time. */
type Chosen = { readonly name: string | null; readonly preset: ChosenPreset }

export function createEstimates(options: EstimatesOptions): Estimates {
  const { state, presets, trials, cores, pastJobs, log } = options
  let chosen: Chosen | undefined
  let unsaved: UnsavedPreset | null = null
  let isVisible = false
  let tried: Estimate | null = null

  const estimator = createEstimator({
    input: () => inputOf(state.get(), unsaved?.preset ?? presetOf(state.get(), chosen)),
    measureFile: measureWith(trials, () => unsaved?.preset ?? chosen?.preset),
    cores,
    onChange(estimate: Estimate | null) {
      tried = estimate
      show()
    },
    log,
  })

  function show(): void {
    const estimate = tried ?? fromPast()
    const estimateWith = unsaved?.settings ?? null
    const shown = state.get()
    const isOther = JSON.stringify(estimate) !== JSON.stringify(shown.estimate)
    if (isOther || estimateWith !== shown.estimateWith) state.set({ estimate, estimateWith })
  }

  function fromPast(): Estimate | null {
    const { draft, connection } = state.get()
    if (!isVisible || unsaved !== null || connection.kind !== 'external') return null
    return estimateFromPast(draft, pastOf(draft, connection.baseUrl))
  }

  function pastOf(draft: Draft, baseUrl: string): readonly PastJob[] {
    const preset = singlePresetOf(draft)
    return preset === undefined ? [] : pastJobs({ preset, baseUrl })
  }

  async function readChosen(): Promise<void> {
    // Wait until the current notification has ended, because a state change during it would not be announced.
    await Promise.resolve()
    if (unsaved !== null || state.get().connection.kind !== 'builtIn') {
      estimator.refresh()
      show()
      return
    }
    const name = singlePresetOf(state.get().draft)
    const preset = name === null ? basicDefaults() : name === undefined ? undefined : await presetNamed(name)
    // If the user has selected another preset in the meantime, that change's own notification reads it.
    if (name !== singlePresetOf(state.get().draft)) return
    chosen = preset === undefined || name === undefined ? undefined : { name, preset }
    estimator.refresh()
  }

  async function presetNamed(name: string): Promise<ChosenPreset | undefined> {
    const { documents } = await presets.list()
    const document = documents.find((one) => one.name === name)
    return document?.preset ?? undefined
  }

  function refresh(): void {
    if (isVisible || unsaved !== null)
      readChosen().catch((error: unknown) => log('estimate', { error: messageOf(error) }))
  }

  function visibilityChanged(): void {
    estimator.setVisible(isVisible || unsaved !== null)
    show()
    refresh()
  }

  const stop = state.onChange((now, before) => {
    const isOther = now.draft !== before.draft || now.connection !== before.connection
    const hasMorePast = now.connection.kind === 'external' && now.historyVersion !== before.historyVersion
    if (isOther || hasMorePast) refresh()
  })

  return {
    setVisible(next) {
      isVisible = next
      visibilityChanged()
    },
    setUnsavedPreset(settings) {
      // Stop showing the estimate of the previous settings.
      estimator.setVisible(false)
      unsaved = settings
      visibilityChanged()
    },
    snapshot() {
      if (!isVisible || unsaved !== null) return () => undefined
      const { draft, connection } = state.get()
      const ofFiles = estimator.forSubset()
      const past = connection.kind === 'external' ? pastOf(draft, connection.baseUrl) : undefined
      return (part) => {
        // The estimate doesn't apply if this part of the draft uses another preset.
        if (part.source.kind !== 'files' || !isDeepStrictEqual(part.presets, draft.presets)) return undefined
        const estimate = past === undefined ? ofFiles(part.source.items) : estimateFromPast(part, past)
        return estimate?.kind === 'known' ? kept(estimate) : undefined
      }
    },
    close() {
      stop()
      estimator.close()
      trials.close()
    },
  }
}

const kept = ({ bytes, milliseconds }: Extract<Estimate, { readonly kind: 'known' }>): KeptEstimate => ({
  bytes: roundRange(bytes),
  milliseconds: milliseconds && roundRange(milliseconds),
})

/** Returns the draft's preset; undefined if it hasn't been read yet. */
const presetOf = ({ draft }: AppState, chosen: Chosen | undefined): ChosenPreset | undefined =>
  chosen !== undefined && chosen.name === singlePresetOf(draft) ? chosen.preset : undefined

/**
 * Returns the estimator's input; undefined if nothing can be sampled. Only the built-in service's presets are known, and files in a
 * cloud drive are unknown until the job runs.
 */
function inputOf(
  { draft, connection }: AppState,
  preset: ChosenPreset | undefined,
): EstimateInput | undefined {
  const isOurs = connection.kind === 'builtIn' && draft.source.kind === 'files'
  return isOurs && preset !== undefined ? estimateInput(draft, preset) : undefined
}

/** Parses the window's unsaved settings for photos or videos. Returns null if the settings aren't a valid preset. */
export function unsavedPreset(document: unknown, part: MediaKind): UnsavedPreset | null {
  const { data } = Preset.safeParse(document)
  if (data === undefined) return null
  const { name, results, image, video } = data
  const preset = part === 'image' ? { name, results, image } : { name, results, video }
  return { preset, settings: settingsText(document, part) }
}
