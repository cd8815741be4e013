/** Reads what a draft's results will lose, for callers that need only the final answer, such as the command line. */
import { countForeseen, type Foreseen } from '../../shared/loss/foreseen.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { type ChosenPreset, estimateInput, foreseeWith } from './estimate-input.ts'
import { createForeseer } from './foreseer.ts'
import type { Trials } from './trials.ts'

/** @returns null if nothing is known to be lost, or if the signal was aborted */
export async function foreseeOnce(
  draft: Pick<Draft, 'source' | 'variations'>,
  preset: ChosenPreset,
  trials: Pick<Trials, 'foresee'>,
  signal: AbortSignal,
): Promise<Foreseen | null> {
  const foreseer = createForeseer({
    input: () => estimateInput(draft, preset),
    readFile: foreseeWith(trials, () => preset),
    onChange: () => {},
    log: () => {},
  })
  const giveUp = () => foreseer.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    if (signal.aborted) return null
    foreseer.setVisible(true)
    await foreseer.whenIdle()
    return signal.aborted ? null : countForeseen(foreseer.found())
  } finally {
    signal.removeEventListener('abort', giveUp)
    foreseer.close()
  }
}
