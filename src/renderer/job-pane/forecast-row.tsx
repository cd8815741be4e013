/** What the draft will come to: the last of the choices, and the only one that nobody makes. */
import { useEffect } from 'preact/hooks'
import type { Expected, Forecast, UnknownForecast } from '../../shared/model/forecast.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { sizeRange } from './size-range.ts'

export function ForecastRow({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  useEffect(() => lookWhileVisible(app), [])
  const unknown = whyUnknown(app, draft)
  const { forecast: known, forecastWith } = app.state
  const forecast = forecastWith.value === null ? known.value : null
  const isCounting = app.state.intake.value !== null
  if (draft.source.kind === 'files' && draft.source.items.length === 0) return null
  return (
    <>
      <span class="label" id="forecast-label">
        {t.newJob.result}
      </span>
      <div class="forecast" role="status" aria-labelledby="forecast-label">
        {unknown === null && forecast?.kind === 'known' ? (
          <Known forecast={forecast} isCounting={isCounting} />
        ) : (
          <p class="hint">{unknownSentence(unknown ?? whyOf(forecast), t)}</p>
        )}
      </div>
    </>
  )
}

/** Files are tried while somebody can see what comes of it. */
function lookWhileVisible(app: App): () => void {
  const look = (): void => void app.attempt(app.bridge.forecast.look(!document.hidden))
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    void app.attempt(app.bridge.forecast.look(false))
  }
}

type Unknown = UnknownForecast | 'drive' | 'noService'

/** What is so whatever is tried; null where trying helps. */
function whyUnknown(app: App, draft: Draft): Unknown | null {
  if (draft.source.kind === 'drive') return 'drive'
  return app.state.connection.value.kind === null ? 'noService' : null
}

const whyOf = (forecast: Forecast | null): Unknown =>
  forecast?.kind === 'unknown' ? forecast.why : 'counting'

function unknownSentence(why: Unknown, t: WindowTranslation): string {
  switch (why) {
    case 'counting':
      return t.newJob.forecastCounting
    case 'tooDifferent':
      return t.newJob.forecastTooDifferent
    case 'notProcessable':
      return t.newJob.forecastNotProcessable
    case 'noHistory':
      return t.newJob.forecastNoHistory
    case 'noService':
      return t.newJob.forecastNoService
    case 'drive':
      return t.newJob.forecastDrive
  }
}

type KnownForecast = Extract<Forecast, { readonly kind: 'known' }>

function Known({ forecast, isCounting }: { readonly forecast: KnownForecast; readonly isCounting: boolean }) {
  const t = useTranslation()
  const { bytes, inputBytes, milliseconds, atMostBytes } = forecast
  const all = t.size(inputBytes)
  return (
    <>
      <p class="clip">
        <b>
          {atMostBytes === null
            ? t.newJob.about({ size: t.roughSize(bytes.likely) })
            : t.newJob.atMost({ size: t.size(atMostBytes) })}
        </b>{' '}
        {isCounting
          ? t.newJob.ofSoFar({ size: all })
          : milliseconds === null
            ? t.newJob.ofAll({ size: all })
            : t.newJob.ofInTime({ size: all, time: t.duration(milliseconds.likely) })}
      </p>
      <Span bytes={bytes} all={Math.max(inputBytes, bytes.high)} />
      <Doubt bytes={bytes} isCounting={isCounting} isSized={atMostBytes !== null} />
    </>
  )
}

/** The sure part is solid, the doubtful one lighter. */
function Span({ bytes, all }: { readonly bytes: Expected; readonly all: number }) {
  const share = (value: number) => `${((100 * value) / Math.max(1, all)).toFixed(1)}%`
  return <span class="span" style={{ '--low': share(bytes.low), '--high': share(bytes.high) }} />
}

function Doubt({
  bytes: { low, high },
  isCounting,
  isSized,
}: {
  readonly bytes: Expected
  readonly isCounting: boolean
  readonly isSized: boolean
}) {
  const t = useTranslation()
  if (isCounting) return <span class="hint num">{t.newJob.counting}</span>
  const { text, isRange } = sizeRange({ low, high }, t)
  return isSized || !isRange ? null : <span class="hint num">{text}</span>
}
