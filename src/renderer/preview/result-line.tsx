import { useEffect } from 'preact/hooks'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { bandOf } from '../../shared/quality/quality.ts'
import { useView } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { useBatchEstimate } from './batch-estimate.ts'
import type { PreviewContext } from './preview-head.tsx'
import { promisedSize, type Document, type PreviewModel } from './preview-model.ts'
import './result-line.css'

type Line = {
  readonly kind: 'no-result' | 'stale' | 'fine' | 'larger'
  readonly size: string
  /** Shown above the words. */
  readonly quality?: QualityLine | undefined
  readonly words: string
  /** Size of the result divided by the size of the original; more than 1 if the result is larger. */
  readonly share: number
}

type QualityLine = {
  /** Such as "Quality 84:". */
  readonly title?: string
  readonly words: string
}

/** Time without changes before the line is announced, ms. */
const DEBOUNCE_MS = 1_000

/** Shows the size of the result. The upper edge represents the original, and the filled part of the edge represents the result. */
export function ResultLine(props: PreviewContext) {
  const { isBuiltIn, part, model, document, comparing } = props
  const { app, t } = useView()
  const line = lineFor(props, requestedBytes(document, part), t)
  const isPreviewDone = isBuiltIn && model.state.value.kind === 'fine'
  const batch = useBatchEstimate({ document, part, isPreviewDone })
  const { quality } = line
  const isMeasuring = line.kind === 'stale' || (quality !== undefined && model.quality.value === 'measuring')
  const qualityWords = quality === undefined ? [] : [`${quality.title ?? ''} ${quality.words}`.trim()]
  const spoken = t.sentences([line.size, ...qualityWords, line.words, ...(batch === null ? [] : [batch])])
  useEffect(() => {
    if (isMeasuring) return undefined
    const timer = setTimeout(() => app.announcer.say(spoken), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [spoken, isMeasuring])
  return (
    <div class={`result-line ${line.kind}`}>
      <span class="result-line-bar" style={{ inlineSize: `${Math.min(100, line.share * 100)}%` }} />
      <span class="result-size">{line.size}</span>
      <div class="result-words">
        {quality !== undefined && (
          <p class={quality.title === undefined ? 'hint' : undefined}>
            {quality.title !== undefined && (
              <>
                <b>{quality.title}</b>{' '}
              </>
            )}
            {quality.words}
          </p>
        )}
        <p class="hint truncate">{line.words}</p>
      </div>
      {comparing !== null && (
        <IconButton
          icon="columns"
          class="plain compare-qualities only-narrow"
          label={comparing.canOpen ? t.preview.compareQualities : t.preview.chooseLookFirst}
          disabled={!comparing.canOpen}
          onPress={() => comparing.open()}
        />
      )}
      {batch !== null && <span class="batch-estimate numeric hide-narrow">{batch}</span>}
    </div>
  )
}

/** Returns the requested size limit in bytes; 0 if there is none. */
function requestedBytes(document: Document | null, part: MediaKind): number {
  const recipe = document?.[part]
  return typeof recipe === 'object' && recipe !== null && 'maxBytes' in recipe ? Number(recipe.maxBytes) : 0
}

function lineFor({ isBuiltIn, file, model }: PreviewContext, requested: number, t: ViewTranslation): Line {
  const texts = t.preview
  const state = model.state.value
  const measured = model.measured.value
  const none = (words: string): Line => ({ kind: 'no-result', size: texts.noSize, words, share: 0 })
  if (!isBuiltIn) return none(texts.builtInOnly)
  if (file === null) return none(texts.chooseOne)
  if (state.kind === 'failed') return none(texts.notMade)
  if (state.kind === 'tooLarge') {
    const bytes = promisedSize(state.least)
    return {
      kind: 'larger',
      size: t.size(bytes),
      share: bytes / Math.max(1, file.size),
      words: texts.notUnder({ size: t.size(requested) }),
    }
  }
  if (measured === null) return none(texts.working)
  const { bytes, originalBytes, refused, milliseconds } = measured
  const share = bytes / Math.max(1, originalBytes)
  const size = measured.kind === 'estimated' ? t.newJob.about({ size: t.roughSize(bytes) }) : t.size(bytes)
  if (state.kind !== 'fine') return { kind: 'stale', size, share, words: texts.working }
  if (refused !== null)
    return { kind: 'larger', size, share, words: texts.keptAsItIs({ size: t.size(refused) }) }
  const percent = t.proportion(share)
  return {
    kind: share > 1 ? 'larger' : 'fine',
    size,
    share,
    quality: qualityLine(model.quality.value, t),
    words:
      measured.kind === 'estimated'
        ? ofVideo(model, { share: percent, time: t.duration(milliseconds) }, t)
        : texts.ofOriginal({ share: percent, time: secondsInWords(milliseconds, t) }),
  }
}

function ofVideo(
  { video, quality }: PreviewModel,
  values: { readonly share: string; readonly time: string },
  { preview: texts, number }: ViewTranslation,
): string {
  const { value } = quality
  const seconds = video.value?.video.seconds
  if (seconds === undefined || value === null || typeof value === 'string') return texts.ofVideo(values)
  return texts.ofMeasuredVideo({ ...values, seconds: number(Math.max(1, Math.round(seconds))) })
}

function qualityLine(quality: PreviewModel['quality']['value'], t: ViewTranslation): QualityLine {
  if (quality === null) return { words: t.quality.unknown }
  if (quality === 'measuring' || quality === 'lossless') return { words: t.quality[quality] }
  const { score } = quality
  return { title: t.quality.title({ score: t.number(score) }), words: t.quality[bandOf(score)] }
}

/** Rounds to tenths below ten seconds: "0.3". */
export function secondsInWords(ms: number, t: Pick<ViewTranslation, 'number'>): string {
  const seconds = ms / 1000
  return t.number(seconds < 10 ? Math.max(0.1, Math.round(seconds * 10) / 10) : Math.round(seconds))
}
