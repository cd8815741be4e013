/**
 * Estimates how large a draft's results will be and how long they take. For the built-in service, it processes sample files in a worker
 * with the draft's presets and extrapolates. For an external service, it uses jobs that the service has finished.
 *
 * Example: ten JPEGs of 2 to 6 MB (40 MB in total), to be resized to 2048 px. Three samples of 2, 4 and 6 MB were processed in 0.3 s each
 * and became 0.40, 0.42 and 0.38 MB.
 *
 * - Model (`extrapolate.ts`): results don't depend on the input size, so "constant" fits best. The other seven files are predicted to be
 * 0.40 MB each, so the estimate is 1.2 MB measured + 2.8 MB predicted = 4.0 MB.
 * - Range: leaving out one sample at a time, the model is off by 0 to 8%. Because three samples prove little, an error of 13% per file is
 * assumed. With the factors for few samples, four of five outcomes are between 3.3 and 4.7 MB.
 * - Time (`estimator.ts`): 10 × 0.3 s = 3 s one after another. Four cores need three rounds: 3 s × 3/10, plus 10% for running in parallel,
 * is 1.0 s. Starting the worker takes 0.5 s, so the estimate is 1.5 s.
 *
 * The range of sizes is still wider than ±10%, so the estimator processes further samples and repeats the calculation.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../node/log.ts'
import { draftConnection, type AppState } from '../../shared/model/app-state.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import {
  type DraftEstimate,
  type Estimate,
  type KeptEstimate,
  settingsText,
} from '../../shared/model/estimate.ts'
import { messageOf } from '../../node/errors.ts'
import { createTurns } from '../../node/serial-queue.ts'
import type { History } from '../history/index.ts'
import { fineLossesOf } from '../../shared/loss/fine-losses.ts'
import {
  countForeseen,
  type Foreseen,
  type ForeseenFile,
  type Keeping,
  keepingFormatOf,
} from '../../shared/loss/foreseen.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { basicDefaults, Preset } from '../../shared/preset/preset.ts'
import { type ChosenPreset, estimateInput, foreseeWith, measureWith } from './estimate-input.ts'
import { roundRange } from './ranges.ts'
import { estimateFromPast } from './estimate-from-past.ts'
import { draftEstimate, draftEstimateFromPast, inputBytesOf, partsIn } from './draft-estimate.ts'
import { createEstimator, type EstimateInput, type Estimator } from './estimator.ts'
import { createForeseer, type Foreseer } from './foreseer.ts'
import type { Trials } from './trials.ts'

export { estimateFromPast } from './estimate-from-past.ts'
export { estimateOnce, foreseeOnce } from './estimate-once.ts'
export { totalEstimate } from './draft-estimate.ts'
export { createTrials, type Processed, type Trial, type Trials } from './trials.ts'

/** Returns the estimate of a part of the draft with a single preset; undefined if there was none or it wasn't shown. */
export type EstimateOfPart = (
  part: Pick<Draft, 'presets' | 'source' | 'variations'>,
) => KeptEstimate | undefined

export type Estimates = ReturnType<typeof createEstimates>

export type EstimatesOptions = {
  readonly state: {
    get(): AppState
    set(slices: Shown): void
    onChange(listener: (state: AppState, before: AppState) => void): () => void
  }
  readonly presets: {
    find(names: readonly string[]): Promise<readonly (Pick<PresetDocument, 'preset'> | undefined)[]>
  }
  readonly trials: Sampling & Pick<Trials, 'close'>
  /** Returns the jobs that an external service has finished with a preset. */
  readonly pastJobs: History['pastJobs']
  readonly cores: number
  readonly log: Log
}

type Sampling = Pick<Trials, 'estimate' | 'foresee'>

/** Unsaved settings and their text. The window uses the text to match an estimate with its settings. */
export type UnsavedPreset = { readonly preset: ChosenPreset; readonly settings: string }

/** The name of unsaved settings. They are estimated for all files of the draft that they apply to. No preset has an empty name. */
const UNSAVED = ''

/** The estimate of one of the draft's presets, or of unsaved settings. */
type Part = {
  /** null for basic defaults. */
  readonly name: string | null
  preset: ChosenPreset
  estimate: Estimate | null
  readonly estimator: Estimator
  readonly foreseer: Foreseer
}

export function createEstimates(options: EstimatesOptions) {
  const { state, presets, pastJobs, log } = options
  const trials = inTurn(options.trials)
  /** The parts whose presets have been read. */
  let saved: readonly Part[] = []
  let unsaved: { readonly settings: string; readonly part: Part } | null = null
  let isVisible = false

  const createPart = (name: string | null, preset: ChosenPreset): Part =>
    partOf(name, preset, { ...options, trials, onChange: show })

  function show(): void {
    const shown = state.get()
    const parts = unsaved === null ? partsOf(shown.draft) : [unsaved.part]
    const estimates = parts.map(({ name, estimate }) => ({ preset: name, estimate }))
    const estimate = draftEstimate(estimates, inputBytesOf(shown)) ?? fromPast()
    const estimateWith = unsaved?.settings ?? null
    // Losses and contents apply to the draft's own presets, so they are left out for unsaved settings.
    const foreseen = isVisible && unsaved === null ? foreseenIn(parts, shown) : null
    const contents = isVisible && unsaved === null ? parts.flatMap(({ foreseer }) => foreseer.contents()) : []
    const next = { estimate, estimateWith, foreseen, contents }
    if (isOther(shown, next)) state.set(next)
  }

  /** Returns the parts of the draft that have been read, in the order of its presets. */
  const partsOf = (draft: Draft): readonly Part[] =>
    draftPresets(draft).flatMap((preset) => saved.find(({ name }) => name === preset) ?? [])

  const fromPast = (): DraftEstimate | null =>
    isVisible && unsaved === null ? draftEstimateFromPast(state.get(), pastJobs) : null

  async function readPresets(): Promise<void> {
    // Wait until the current notification has ended, because a state change during it would not be announced.
    await Promise.resolve()
    if (unsaved === null && draftConnection(state.get()).kind === 'builtIn') return readSaved()
    for (const part of unsaved === null ? saved : [unsaved.part]) refreshPart(part)
    show()
  }

  async function readSaved(): Promise<void> {
    const names = draftPresets(state.get().draft)
    const named = names.filter((name) => name !== null)
    const documents = named.length === 0 ? [] : await presets.find(named)
    // If the user has selected other presets in the meantime, that change's own notification reads them.
    if (!isDeepStrictEqual(names, draftPresets(state.get().draft))) return
    const before = saved
    saved = names.flatMap((name) => {
      const preset = name === null ? basicDefaults() : documents[named.indexOf(name)]?.preset
      return preset ? [partWith(before, name, preset) ?? createPart(name, preset)] : []
    })
    for (const part of before) if (!saved.includes(part)) closePart(part)
    setPartsVisible(saved, isVisible && unsaved === null)
    for (const part of saved) refreshPart(part)
    show()
  }

  function refresh(): void {
    if (isVisible || unsaved !== null)
      readPresets().catch((error: unknown) => log('estimate', { error: messageOf(error) }))
  }

  function visibilityChanged(): void {
    setPartsVisible(saved, isVisible && unsaved === null)
    unsaved?.part.estimator.setVisible(true)
    show()
    refresh()
  }

  const stop = state.onChange((now, before) => {
    const isOtherDraft =
      now.draft !== before.draft ||
      draftConnection(now) !== draftConnection(before) ||
      now.doneFiles !== before.doneFiles ||
      now.settings.fineLosses !== before.settings.fineLosses
    const hasMorePast =
      draftConnection(now).kind === 'external' && now.historyVersion !== before.historyVersion
    if (isOtherDraft || hasMorePast) refresh()
  })

  return {
    /** Sets whether the user can see the estimate. While it isn't visible, only unsaved settings are sampled. */
    setVisible(next: boolean): void {
      isVisible = next
      visibilityChanged()
    },
    /** Sets unsaved settings to estimate instead of the draft's presets, for the files they apply to. null switches back to the presets. */
    setUnsavedPreset(next: UnsavedPreset | null): void {
      if (unsaved !== null) closePart(unsaved.part)
      unsaved = next && { settings: next.settings, part: createPart(UNSAVED, next.preset) }
      visibilityChanged()
    },
    /** Captures the estimate that is currently shown, so that each submission of the draft can store its part of the estimate. */
    snapshot(): EstimateOfPart {
      if (!isVisible || unsaved !== null) return () => undefined
      const { draft } = state.get()
      const connection = draftConnection(state.get())
      const ofFiles = new Map(partsOf(draft).map(({ name, estimator }) => [name, estimator.forSubset()]))
      return ({ presets: [preset = null], source, variations }) => {
        // The estimate doesn't apply if this part of the draft uses another preset.
        if (source.kind !== 'files' || !draftPresets(draft).includes(preset)) return undefined
        const past = () => pastJobs({ preset, baseUrl: connection.baseUrl })
        return kept(
          connection.kind === 'external'
            ? estimateFromPast({ source, variations }, past())
            : ofFiles.get(preset)?.(source.items),
        )
      }
    },
    /** Returns the format that keeps what most files of the draft would lose, and these files. */
    keepingFormat(): Keeping | undefined {
      const { draft, settings } = state.get()
      return keepingIn(filesToLose(partsOf(draft), draft, settings), draft)
    },
    close(): void {
      stop()
      for (const part of saved) closePart(part)
      if (unsaved !== null) closePart(unsaved.part)
      // Presets that are still being read aren't sampled.
      isVisible = false
      options.trials.close()
    },
  }
}

function partOf(
  name: string | null,
  preset: ChosenPreset,
  options: Pick<EstimatesOptions, 'state' | 'cores' | 'log'> & {
    readonly trials: Sampling
    readonly onChange: () => void
  },
): Part {
  const { state, trials, cores, log, onChange } = options
  const input = () => inputOf(state.get(), part)
  const part: Part = {
    name,
    preset,
    estimate: null,
    foreseer: createForeseer({ input, readFile: foreseeWith(trials, () => part.preset), onChange, log }),
    estimator: createEstimator({
      input,
      measureFile: measureWith(trials, () => part.preset),
      cores,
      onChange(estimate) {
        part.estimate = estimate
        onChange()
      },
      log,
    }),
  }
  return part
}

/**
 * Returns what the draft's results will lose, except losses that the user accepts, and the format that keeps it; null if nothing is known
 * to be lost.
 */
function foreseenIn(parts: readonly Part[], { draft, settings }: AppState): Foreseen | null {
  const files = filesToLose(parts, draft, settings)
  const foreseen = countForeseen(files)
  const keeping = keepingIn(files, draft)
  if (foreseen === null || keeping === undefined) return foreseen
  return { ...foreseen, keeping: { format: keeping.format, files: keeping.paths.length } }
}

function filesToLose(
  parts: readonly Part[],
  draft: Draft,
  settings: AppState['settings'],
): readonly ForeseenFile[] {
  const isSingle = draft.presets.length < 2
  return parts.flatMap(({ name, foreseer }) => {
    const fine = isSingle ? fineLossesOf(settings, name) : []
    return foreseer
      .found()
      .map(({ path, losses }) => ({ path, losses: losses.filter(({ code }) => !fine.includes(code)) }))
  })
}

/**
 * Returns a format that keeps what most files would lose. Undefined if the draft already has files with another format, or several presets,
 * because it isn't clear which one should change.
 */
const keepingIn = (files: readonly ForeseenFile[], { source, presets, otherFormat }: Draft) =>
  presets.length < 2 && otherFormat === undefined && source.kind === 'files'
    ? keepingFormatOf(files, source.items)
    : undefined

type Shown = Pick<AppState, 'estimate' | 'estimateWith' | 'foreseen' | 'contents'>

const isOther = ({ estimate, estimateWith, foreseen, contents }: Shown, next: Shown): boolean =>
  !isDeepStrictEqual({ estimate, estimateWith, foreseen, contents }, next)

function setPartsVisible(parts: readonly Part[], isVisible: boolean): void {
  for (const { foreseer, estimator } of parts) {
    // Start with headers, because a header takes less time than a sample.
    foreseer.setVisible(isVisible)
    estimator.setVisible(isVisible)
  }
}

function refreshPart({ foreseer, estimator }: Part): void {
  foreseer.refresh()
  estimator.refresh()
}

function closePart({ foreseer, estimator }: Part): void {
  foreseer.close()
  estimator.close()
}

/**
 * Updates the preset of the existing part with this name. Returns the part; undefined if there is none. The part's measurements still apply
 * if the preset hasn't changed.
 */
function partWith(parts: readonly Part[], name: string | null, preset: ChosenPreset): Part | undefined {
  const part = parts.find((one) => one.name === name)
  if (part !== undefined) part.preset = preset
  return part
}

/** Returns the names of the draft's presets, or null for basic defaults, and of the preset for another format. */
const draftPresets = ({
  presets,
  otherFormat,
}: Pick<Draft, 'presets' | 'otherFormat'>): readonly (string | null)[] => [
  ...(presets.length === 0 ? [null] : presets),
  ...(otherFormat === undefined ? [] : [otherFormat.preset]),
]

/** Queues everything that reads files, so that the worker processes one file at a time. */
function inTurn(trials: Sampling): Sampling {
  const queued = createTurns()
  return {
    estimate: (trial, signal) => queued(() => trials.estimate(trial, signal)),
    foresee: (trial, signal) => queued(() => trials.foresee(trial, signal)),
  }
}

function kept(estimate: Estimate | null | undefined): KeptEstimate | undefined {
  if (estimate?.kind !== 'known') return undefined
  const { bytes, milliseconds } = estimate
  return { bytes: roundRange(bytes), milliseconds: milliseconds && roundRange(milliseconds) }
}

/**
 * Returns the estimator's input; undefined if nothing can be sampled. Only the built-in service's presets are known, and files in a
 * cloud drive are unknown until the job runs.
 */
function inputOf(
  state: AppState,
  { name, preset }: Pick<Part, 'name' | 'preset'>,
): EstimateInput | undefined {
  const { draft } = state
  if (draftConnection(state).kind !== 'builtIn' || draft.source.kind !== 'files') return undefined
  if (name === UNSAVED) return estimateInput(draft, preset)
  const items = partsIn(state).find((part) => part.preset === name)?.items ?? []
  return estimateInput({ ...draft, source: { kind: 'files', items } }, preset)
}

/** Parses the window's unsaved settings for photos or videos. Returns null if the settings aren't a valid preset. */
export function unsavedPreset(document: unknown, part: MediaKind): UnsavedPreset | null {
  const { data } = Preset.safeParse(document)
  if (data === undefined) return null
  const { name, results, image, video } = data
  const preset = part === 'image' ? { name, results, image } : { name, results, video }
  return { preset, settings: settingsText(document, part) }
}
