/** The estimated size and duration of the draft. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DraftEstimate, Estimate, EstimateRange, UnknownEstimate } from '../../shared/model/estimate.ts'
import type { Draft } from '../../shared/model/draft.ts'
import {
  estimatedRange,
  estimatedShare,
  estimatedSize,
  type KnownEstimate,
} from '../../shared/i18n/estimates.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { presetTitle } from '../../shared/i18n/sentences.ts'
import { useViewTranslation, type App, useView } from '../store/app.ts'
import { draftParts } from '../store/draft-contents.ts'
import './estimate-row.css'

export function EstimateRow({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  useEffect(() => estimateWhileVisible(app), [])
  const unknown = whyUnknown(app, draft)
  const { estimate: known, estimateWith } = app.state
  const estimate = unknown === null && estimateWith.value === null ? known.value : null
  const use: Use = {
    isCounting: app.state.intake.value !== null,
    isMultiplied: draft.presets.length > 1 || draft.variations > 1,
  }
  const sentence = whole(estimate, unknown, use, t)
  if (draft.source.kind === 'files' && draftParts(app).every(({ items }) => items.length === 0)) return null
  const hasSeveral = estimate !== null && estimate.presets.length > 1
  return (
    <>
      <span class={`label ${hasSeveral ? 'top' : ''}`} id="estimate-label">
        {t.newJob.result}
      </span>
      <div role="group" aria-labelledby="estimate-label">
        {hasSeveral ? (
          <Several estimate={estimate} use={use} />
        ) : (
          <div class="estimate">
            <Total estimate={estimate?.total ?? null} unknown={unknown} use={use} />
          </div>
        )}
        <Announcement sentence={sentence} />
      </div>
    </>
  )
}

/** How long a sentence must stay the same before it is announced, in ms. */
const REST_MS = 1_000

/** Announces a sentence once it is stable, because it changes with each file that is read. */
export function Announcement({ sentence }: { readonly sentence: string }) {
  const said = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => (said.value = sentence), REST_MS)
    return () => clearTimeout(timer)
  }, [sentence])
  return (
    <p class="visually-hidden" role="status">
      {said}
    </p>
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

function whyUnknown(app: App, draft: Draft): Unknown | null {
  if (draft.source.kind === 'drive') return 'drive'
  return app.state.draftConnection.value.kind === null ? 'noService' : null
}

const unknownReason = (estimate: Estimate | null): Unknown =>
  estimate?.kind === 'unknown' ? estimate.why : 'counting'

function unknownSentence(why: Unknown, t: ViewTranslation): string {
  if (why === 'noService') return t.newJob.estimateNoService
  return why === 'drive' ? t.newJob.estimateDrive : t.unknownSize[why]
}

/** Facts about the draft that change the wording of an estimate. */
type Use = {
  readonly isCounting: boolean
  /** Whether each file has several results. Their total size isn't shown as a share of the file's size. */
  readonly isMultiplied: boolean
}

const comparison = (estimate: KnownEstimate, { isCounting, isMultiplied }: Use, t: ViewTranslation): string =>
  isCounting
    ? t.newJob.ofSoFar({ size: t.size(estimate.inputBytes) })
    : estimatedShare(estimate, isMultiplied, t)

/** Returns the whole estimate as text: the total, then each preset if there are several. */
function whole(
  estimate: DraftEstimate | null,
  unknown: Unknown | null,
  use: Use,
  t: ViewTranslation,
): string {
  const words = (one: Estimate | null) =>
    one?.kind === 'known'
      ? `${estimatedSize(one, t)} ${comparison(one, use, t)}`
      : unknownSentence(unknown ?? unknownReason(one), t)
  const total = words(estimate?.total ?? null)
  if (estimate === null || estimate.presets.length < 2) return total
  const parts = estimate.presets.map(({ preset, estimate: one }) =>
    t.newJob.presetFor({
      preset: presetTitle(preset, t),
      files: one.kind === 'known' ? estimatedSize(one, t) : unknownSentence(one.why, t),
    }),
  )
  return t.sentences([total, ...parts])
}

function Total(props: {
  readonly estimate: Estimate | null
  readonly unknown: Unknown | null
  readonly use: Use
}) {
  const { estimate, unknown, use } = props
  const t = useViewTranslation()
  if (unknown !== null || estimate?.kind !== 'known') {
    return <p class="hint">{unknownSentence(unknown ?? unknownReason(estimate), t)}</p>
  }
  const { bytes, inputBytes } = estimate
  return (
    <>
      <TotalWords estimate={estimate} use={use} />
      <EstimateBar bytes={bytes} all={Math.max(inputBytes, bytes.high)} />
      <RangeHint estimate={estimate} use={use} />
    </>
  )
}

function TotalWords({ estimate, use }: { readonly estimate: KnownEstimate; readonly use: Use }) {
  const t = useViewTranslation()
  return (
    <p class="truncate">
      <b>{estimatedSize(estimate, t)}</b> {comparison(estimate, use, t)}
    </p>
  )
}

/** One line for each preset, and the total. The bars share one scale. */
function Several({ estimate, use }: { readonly estimate: DraftEstimate; readonly use: Use }) {
  const { presets, total } = estimate
  const t = useViewTranslation()
  const sizes = presets.flatMap(({ estimate: one }) =>
    one.kind === 'known' ? [one.inputBytes, one.bytes.high] : [],
  )
  const scale = Math.max(...sizes)
  return (
    <div class="estimates">
      {presets.map(({ preset, estimate: one }) => (
        <>
          <span class="truncate secondary">{presetTitle(preset, t)}</span>
          {one.kind === 'known' ? (
            <>
              <span>{estimatedSize(one, t)}</span>
              <EstimateBar bytes={one.bytes} all={scale} />
              <RangeHint estimate={one} use={use} />
            </>
          ) : (
            <span class="rest hint">{unknownSentence(one.why, t)}</span>
          )}
        </>
      ))}
      <span class="secondary">{t.newJob.estimateTotal}</span>
      <span class="rest">
        {total.kind === 'known' ? (
          <TotalWords estimate={total} use={use} />
        ) : (
          <span class="hint">{unknownSentence(total.why, t)}</span>
        )}
      </span>
    </div>
  )
}

/** A bar whose solid part shows the lower estimate. The lighter part reaches to the upper one. */
function EstimateBar({ bytes, all }: { readonly bytes: EstimateRange; readonly all: number }) {
  const share = (value: number) => `${((100 * value) / Math.max(1, all)).toFixed(1)}%`
  return <span class="estimate-bar" style={{ '--low': share(bytes.low), '--high': share(bytes.high) }} />
}

function RangeHint({ estimate, use }: { readonly estimate: KnownEstimate; readonly use: Use }) {
  const t = useViewTranslation()
  const text = use.isCounting ? t.newJob.counting : estimatedRange(estimate, t)
  return <span class="estimate-range hint numeric truncate">{text}</span>
}
