/** A forecast for somebody who waits for its end, such as the command line. */
import type { Draft } from '../../shared/model/draft.ts'
import type { Forecast } from '../../shared/model/forecast.ts'
import { type ChosenPreset, forecastSubject, parallelismOn, tryWith } from './forecast-subject.ts'
import { createForecaster } from './forecaster.ts'
import type { Trials } from './trials.ts'

export type ForecastOnceOptions = {
  readonly draft: Pick<Draft, 'source' | 'variations'>
  readonly preset: ChosenPreset
  readonly trials: Trials
  readonly cores: number
  readonly signal: AbortSignal
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** @returns null where there is no file that the preset is for, or the signal was aborted */
export async function forecastOnce(options: ForecastOnceOptions): Promise<Forecast | null> {
  const { draft, preset, trials, cores, signal, log } = options
  const forecaster = createForecaster({
    subject: () => forecastSubject(draft, preset),
    tryFile: tryWith(trials, () => preset),
    parallelism: parallelismOn(cores),
    onChange: () => {},
    log,
  })
  const giveUp = () => forecaster.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    if (signal.aborted) return null
    forecaster.look(true)
    await forecaster.settled()
    return signal.aborted ? null : forecaster.now()
  } finally {
    signal.removeEventListener('abort', giveUp)
    forecaster.close()
  }
}
