/** The estimated size and duration of the draft. */
import { useEffect } from 'preact/hooks'
import type { EstimateRange, Estimate, UnknownEstimate } from '../../shared/model/estimate.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { sizeRange } from './size-range.ts'
import './estimate-row.css'

export function EstimateRow({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  useEffect(() => estimateWhileVisible(app), [])
  const unknown = whyUnknown(app, draft)
  const { estimate: known, estimateWith } = app.state
  const estimate = estimateWith.value === null ? known.value : null
  const isCounting = app.state.intake.value !== null
  if (draft.source.kind === 'files' && draft.source.items.length === 0) return null
  return (
    <>
      <span class="label" id="estimate-label">
        {t.newJob.result}
      </span>
      <div class="estimate" role="status" aria-labelledby="estimate-label">
        {unknown === null && estimate?.kind === 'known' ? (
          <Known estimate={estimate} isCounting={isCounting} />
        ) : (
          <p class="hint">{unknownSentence(unknown ?? unknownReason(estimate), t)}</p>
        )}
      </div>
    </>
  )
}

/** Asks for estimates only while the page is visible. */
function estimateWhileVisible(app: App): () => void {
  const look = (): void => void app.attempt(app.bridge.estimate.look(!document.hidden))
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    void app.attempt(app.bridge.estimate.look(false))
  }
}

type Unknown = UnknownEstimate | 'drive' | 'noService'

/** Returns the reason why no estimate is possible, or null if one is. */
function whyUnknown(app: App, draft: Draft): Unknown | null {
  if (draft.source.kind === 'drive') return 'drive'
  return app.state.connection.value.kind === null ? 'noService' : null
}

const unknownReason = (estimate: Estimate | null): Unknown =>
  estimate?.kind === 'unknown' ? estimate.why : 'counting'

function unknownSentence(why: Unknown, t: WindowTranslation): string {
  switch (why) {
    case 'counting':
      return t.newJob.estimateCounting
    case 'tooDifferent':
      return t.newJob.estimateTooDifferent
    case 'notProcessable':
      return t.newJob.estimateNotProcessable
    case 'noHistory':
      return t.newJob.estimateNoHistory
    case 'noService':
      return t.newJob.estimateNoService
    case 'drive':
      return t.newJob.estimateDrive
  }
}

type KnownEstimate = Extract<Estimate, { readonly kind: 'known' }>

function Known({ estimate, isCounting }: { readonly estimate: KnownEstimate; readonly isCounting: boolean }) {
  const t = useTranslation()
  const { bytes, inputBytes, milliseconds, atMostBytes } = estimate
  const all = t.size(inputBytes)
  return (
    <>
      <p class="truncate">
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
      <EstimateBar bytes={bytes} all={Math.max(inputBytes, bytes.high)} />
      <RangeHint bytes={bytes} isCounting={isCounting} isSized={atMostBytes !== null} />
    </>
  )
}

/** A bar with the lower estimate solid and the range up to the upper one lighter. */
function EstimateBar({ bytes, all }: { readonly bytes: EstimateRange; readonly all: number }) {
  const share = (value: number) => `${((100 * value) / Math.max(1, all)).toFixed(1)}%`
  return <span class="estimate-bar" style={{ '--low': share(bytes.low), '--high': share(bytes.high) }} />
}

function RangeHint({
  bytes: { low, high },
  isCounting,
  isSized,
}: {
  readonly bytes: EstimateRange
  readonly isCounting: boolean
  readonly isSized: boolean
}) {
  const t = useTranslation()
  if (isCounting) return <span class="hint numeric">{t.newJob.counting}</span>
  const { text, isRange } = sizeRange({ low, high }, t)
  return isSized || !isRange ? null : <span class="hint numeric">{text}</span>
}
