import type { Saved } from '../../shared/model/saved.ts'
import { useTranslation, type App } from '../store/app.ts'
import './saved-line.css'

/** Minimum space saved for the line to be shown, in bytes. */
const LEAST = 1_000_000
/** px */
export const SAVED_HEIGHT = 24

/** Returns what the line shows; null if it is hidden. */
export function savedToShow({ history, state }: App): Saved | null {
  const saved = history.saved.value
  return state.settings.value.showSpaceSaved && saved !== null && saved.bytes >= LEAST ? saved : null
}

/** Shows how much smaller the listed jobs' results are than their originals. Scrolls with the list. */
export function SavedLine({ saved }: { readonly saved: Saved }) {
  const t = useTranslation()
  return (
    <p class="saved-line truncate">
      <b>
        <bdi>{t.size(saved.bytes)}</bdi>
      </b>{' '}
      {t.list.saved({ count: saved.files })}
    </p>
  )
}
