import { useEffect } from 'preact/hooks'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { useBatchForecast } from './batch-forecast.ts'
import { promisedSize, type Document, type PreviewModel } from './preview-model.ts'

type ResultLineProps = {
  readonly isBuiltIn: boolean
  readonly part: MediaKind
  readonly hasFile: boolean
  readonly model: PreviewModel
  readonly document: Document | null
}

type Line = {
  readonly kind: 'none' | 'old' | 'fine' | 'larger'
  readonly size: string
  readonly words: string
  /** Of the original, 0..1. */
  readonly share: number
}

/** How long the line has to stand still before it is read out, in ms. */
const STILL_MS = 1_000

/** How large it becomes. Its upper edge is the size of the original, the filled part that of the result. */
export function ResultLine({ isBuiltIn, part, hasFile, model, document }: ResultLineProps) {
  const app = useApp()
  const t = useTranslation()
  const line = lineFor({ isBuiltIn, hasFile }, model, wishedBytes(document, part), t)
  const isPreviewDone = isBuiltIn && model.stage.value.kind === 'fine'
  const batch = useBatchForecast({ document, part, isPreviewDone })
  const spoken = [line.size, line.words, ...(batch === null ? [] : [batch])].join('. ')
  useEffect(() => {
    if (line.kind === 'old') return undefined
    const timer = setTimeout(() => app.announcer.say(spoken), STILL_MS)
    return () => clearTimeout(timer)
  }, [spoken, line.kind])
  return (
    <div class={`result-line ${line.kind}`}>
      <span class="filled" style={{ inlineSize: `${Math.min(100, line.share * 100)}%` }} />
      <span class="size">{line.size}</span>
      <p class="hint clip">{line.words}</p>
      {batch !== null && <span class="batch num hide-narrow">{batch}</span>}
    </div>
  )
}

/** The most that a result may have. */
function wishedBytes(document: Document | null, part: MediaKind): number {
  const recipe = document?.[part]
  return typeof recipe === 'object' && recipe !== null && 'maxBytes' in recipe ? Number(recipe.maxBytes) : 0
}

type Circumstances = Pick<ResultLineProps, 'isBuiltIn' | 'hasFile'>

function lineFor(
  { isBuiltIn, hasFile }: Circumstances,
  model: PreviewModel,
  wished: number,
  t: WindowTranslation,
): Line {
  const texts = t.preview
  const stage = model.stage.value
  const measured = model.measured.value
  const none = (words: string): Line => ({ kind: 'none', size: texts.noSize, words, share: 0 })
  if (!isBuiltIn) return none(texts.builtInOnly)
  if (!hasFile) return none(texts.chooseOne)
  if (stage.kind === 'failed') return none(texts.notMade)
  if (stage.kind === 'tooLarge') {
    const bytes = promisedSize(stage.least)
    return {
      kind: 'larger',
      size: t.size(bytes),
      share: bytes / Math.max(1, model.file.value?.size ?? 0),
      words: texts.notUnder({ size: t.size(wished) }),
    }
  }
  if (measured === null) return none(texts.working)
  const { bytes, originalBytes, refused, milliseconds } = measured
  const share = bytes / Math.max(1, originalBytes)
  const size = measured.kind === 'reckoned' ? t.newJob.about({ size: t.roughSize(bytes) }) : t.size(bytes)
  if (stage.kind !== 'fine') return { kind: 'old', size, share, words: texts.working }
  if (refused !== null)
    return { kind: 'larger', size, share, words: texts.keptAsItIs({ size: t.size(refused) }) }
  const percent = t.number(Math.round(share * 100))
  return {
    kind: share > 1 ? 'larger' : 'fine',
    size,
    share,
    words:
      measured.kind === 'reckoned'
        ? texts.ofVideo({ share: percent, time: t.duration(milliseconds) })
        : texts.ofOriginal({ share: percent, time: secondsInWords(milliseconds, t) }),
  }
}

/** Tenths below ten seconds: "0.3". */
function secondsInWords(ms: number, t: Pick<WindowTranslation, 'number'>): string {
  const seconds = ms / 1000
  return t.number(seconds < 10 ? Math.max(0.1, Math.round(seconds * 10) / 10) : Math.round(seconds))
}
