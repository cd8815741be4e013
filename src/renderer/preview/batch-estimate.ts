import { useEffect } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { settingsText } from '../../shared/model/estimate.ts'
import { useView } from '../store/app.ts'
import { PREVIEW_DEBOUNCE_MS, type Document } from './preview-model.ts'

export type BatchRequest = {
  /** The last valid document; null if there was none. */
  readonly document: Document | null
  readonly part: MediaKind
  /** Whether the preview is complete. Until then, it has priority over the estimate, because the user is watching it. */
  readonly isPreviewDone: boolean
}

/**
 * Estimates all files of one kind in the new job from which the studio was opened: "6 photos: about 4 MB".
 * @returns null if the studio was opened from elsewhere, for fewer than two such files, while the preview is incomplete, and until the
 * estimate for these settings is known
 */
export function useBatchEstimate({ document, part, isPreviewDone }: BatchRequest): string | null {
  const { app, t } = useView()
  const count = filesOf(app.state.draft.value, part)
  const isWanted = app.route.studio.value.from === 'jobs' && count > 1 && document !== null && isPreviewDone
  const request = isWanted ? settingsText(document, part) : null
  useEffect(() => {
    if (request === null || document === null) return undefined
    const { estimate } = app.bridge
    const timer = setTimeout(
      () => void app.attempt(estimate.lookWith({ preset: document, part })),
      PREVIEW_DEBOUNCE_MS,
    )
    return () => {
      clearTimeout(timer)
      void app.attempt(estimate.lookWith(null))
    }
  }, [request])

  const estimate = app.state.estimate.value?.total
  // The current estimate may belong to earlier settings.
  if (request === null || app.state.estimateWith.value !== request || estimate?.kind !== 'known') return null
  const what = part === 'image' ? t.count.photos({ count }) : t.count.videos({ count })
  const { bytes, atMostBytes } = estimate
  return atMostBytes === null
    ? t.preview.batch({ what, size: t.roughSize(bytes.likely) })
    : t.preview.batchAtMost({ what, size: t.size(atMostBytes) })
}

const filesOf = ({ source }: Draft, part: MediaKind): number =>
  source.kind === 'files' ? source.items.filter(({ kind }) => kind === part).length : 0
