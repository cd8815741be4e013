import type { Saved } from '../../shared/model/saved.ts'
import { useTranslation } from '../store/app.ts'
import './saved-line.css'

/** Less than this isn't worth a line, in bytes. */
const LEAST = 1_000_000
/** px */
export const SAVED_HEIGHT = 24

export const isWorthShowing = (saved: Saved | null): saved is Saved => saved !== null && saved.bytes >= LEAST

/** How much smaller the listed jobs' results are than their originals. Scrolls with the list. */
export function SavedLine({ saved }: { readonly saved: Saved }) {
  const t = useTranslation()
  return (
    <p class="saved-line">
      <b>
        <bdi>{t.size(saved.bytes)}</bdi>
      </b>{' '}
      {t.list.saved({ count: saved.files })}
    </p>
  )
}
