/** Computes an estimate for callers that need only the final value, such as the command line. */
import type { Draft } from '../../shared/model/draft.ts'
import type { Estimate } from '../../shared/model/estimate.ts'
import { type ChosenPreset, estimateInput, measureWith } from './estimate-input.ts'
import { createEstimator } from './estimator.ts'
import type { Trials } from './trials.ts'

/** @returns null if the preset doesn't apply to any of the files, or if the signal was aborted */
export async function estimateOnce(
  draft: Pick<Draft, 'source' | 'variations'>,
  preset: ChosenPreset,
  trials: Pick<Trials, 'estimate'>,
  { cores, signal }: { readonly cores: number; readonly signal: AbortSignal },
): Promise<Estimate | null> {
  const estimator = createEstimator({
    input: () => estimateInput(draft, preset),
    measureFile: measureWith(trials, () => preset),
    cores,
    onChange: () => {},
    log: () => {},
  })
  const giveUp = () => estimator.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    if (signal.aborted) return null
    estimator.setVisible(true)
    await estimator.whenIdle()
    return signal.aborted ? null : estimator.now()
  } finally {
    signal.removeEventListener('abort', giveUp)
    estimator.close()
  }
}
