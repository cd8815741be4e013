/** Estimates a draft's results once, for callers that need only the final value, such as the command line. */
import { countForeseen, type Foreseen } from '../../shared/loss/foreseen.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Estimate } from '../../shared/model/estimate.ts'
import { type ChosenPreset, estimateInput, foreseeWith, measureWith } from './estimate-input.ts'
import { createEstimator, type Estimator } from './estimator.ts'
import { createForeseer, type Foreseer } from './foreseer.ts'
import type { Trials } from './trials.ts'

type SampledDraft = Pick<Draft, 'source' | 'variations'>

/** @returns null if the draft has no files that the preset applies to, or if the signal was aborted */
export function estimateOnce(
  draft: SampledDraft,
  preset: ChosenPreset,
  trials: Pick<Trials, 'estimate'>,
  { cores, signal }: { readonly cores: number; readonly signal: AbortSignal },
): Promise<Estimate | null> {
  const input = () => estimateInput(draft, preset)
  const measureFile = measureWith(trials, () => preset)
  const estimator = createEstimator({ input, measureFile, cores, onChange: () => {}, log: () => {} })
  return whenIdle(estimator, estimator.now, signal)
}

/** @returns null if nothing is known to be lost, or if the signal was aborted */
export function foreseeOnce(
  draft: SampledDraft,
  preset: ChosenPreset,
  trials: Pick<Trials, 'foresee'>,
  signal: AbortSignal,
): Promise<Foreseen | null> {
  const input = () => estimateInput(draft, preset)
  const readFile = foreseeWith(trials, () => preset)
  const foreseer = createForeseer({ input, readFile, onChange: () => {}, log: () => {} })
  return whenIdle(foreseer, () => countForeseen(foreseer.found()), signal)
}

async function whenIdle<T>(
  sampler: Pick<Estimator | Foreseer, 'setVisible' | 'whenIdle' | 'close'>,
  answer: () => T,
  signal: AbortSignal,
): Promise<T | null> {
  const giveUp = () => sampler.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    if (signal.aborted) return null
    sampler.setVisible(true)
    await sampler.whenIdle()
    return signal.aborted ? null : answer()
  } finally {
    signal.removeEventListener('abort', giveUp)
    sampler.close()
  }
}
