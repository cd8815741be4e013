import { useEffect } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { settingsText } from '../../shared/model/forecast.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { AT_REST_MS, type Document } from './preview-model.ts'

export type BatchWish = {
  /** null: there is none that can be read. */
  readonly document: Document | null
  readonly part: MediaKind
  /** The preview comes first: what it shows is what a person is looking at. */
  readonly isPreviewDone: boolean
}

/** "6 photos: about 4 MB", for who came here from a new job; null where there is nothing to say. */
export function useBatchForecast({ document, part, isPreviewDone }: BatchWish): string | null {
  const app = useApp()
  const t = useTranslation()
  const count = filesOf(app.state.draft.value, part)
  const isWanted = app.route.studio.value.from === 'jobs' && count > 1 && document !== null && isPreviewDone
  const wish = isWanted ? settingsText(document, part) : null
  useEffect(() => {
    if (wish === null || document === null) return undefined
    const { forecast } = app.bridge
    const timer = setTimeout(
      () => void app.attempt(forecast.lookWith({ preset: document, part })),
      AT_REST_MS,
    )
    return () => {
      clearTimeout(timer)
      void app.attempt(forecast.lookWith(null))
    }
  }, [wish])

  const forecast = app.state.forecast.value
  // The one that is there may still be of the settings before these.
  if (wish === null || app.state.forecastWith.value !== wish || forecast?.kind !== 'known') return null
  const what = part === 'image' ? t.count.photos({ count }) : t.count.videos({ count })
  const { bytes, atMostBytes } = forecast
  return atMostBytes === null
    ? t.preview.batch({ what, size: t.roughSize(bytes.likely) })
    : t.preview.batchAtMost({ what, size: t.size(atMostBytes) })
}

const filesOf = ({ source }: Draft, part: MediaKind): number =>
  source.kind === 'files' ? source.items.filter(({ kind }) => kind === part).length : 0
