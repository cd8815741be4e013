import { useSignal } from '@preact/signals'
import { foreseenReasons, foreseenSentence } from '../../shared/i18n/losses.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { Icon } from '../ui/icon.tsx'
import { Announcement } from './estimate-row.tsx'
import './foreseen-note.css'

/** What the draft's results will lose, as far as the files that have been read tell. */
export function ForeseenNote({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  const isOpen = useSignal(false)
  const foreseen = app.state.foreseen.value
  if (foreseen === null) return null
  const sentence = foreseenSentence(foreseen, t)
  const reasons = foreseenReasons(foreseen, t)
  const folds = reasons.length > 1
  return (
    <div class="callout foreseen-note">
      <Icon name="warn" />
      <div>
        <b class="numeric">{sentence}</b> {!folds && reasons[0]}
        {draft.output.kind === 'replace' && <> {t.newJob.lostStay}</>}
        {folds && isOpen.value && (
          <ul>
            {reasons.map((reason) => (
              <li key={reason} class="numeric">
                {reason}
              </li>
            ))}
          </ul>
        )}
        <Announcement sentence={sentence} />
      </div>
      {folds && (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          {isOpen.value ? t.newJob.hide : t.newJob.show}
        </button>
      )}
    </div>
  )
}
