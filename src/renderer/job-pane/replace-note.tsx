import { type Draft, singlePresetOf } from '../../shared/model/draft.ts'
import { replacedName } from '../../shared/preset/result-ending.ts'
import { type App, viewTranslation, useView } from '../store/app.ts'
import { draftParts } from '../store/draft-contents.ts'
import { replaceProblem } from '../store/start-status.ts'
import { Icon } from '../ui/icon.tsx'
import { useChosenPreset } from './preset-line.tsx'
import './replace-note.css'

/** Shows what happens to the originals, and for how long this can be undone. */
export function ReplaceNote({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const preset = useChosenPreset(singlePresetOf(draft) ?? null)
  const items = draftParts(app).flatMap((part) => part.items)
  // Next to the Start button, the window shows why the originals can't be replaced.
  const count = replaceable(app)
  if (replaceProblem(app, draft) !== null || count === 0) return null
  // Only the number of files that would lose something is known. These files keep their names, so an example could be wrong.
  const renamed = (count < items.length ? [] : items)
    .map((item) => ({ before: item.name, after: preset && replacedName(item, preset) }))
    .find(({ after }) => after !== null)
  return (
    <p class="callout replace-note" id="replace-note">
      <Icon name="swap" />
      <span>
        <b class="numeric">{t.newJob.willReplace({ count })}</b>
        {t.punctuation.betweenSentences}
        {undoSentence(app)}
        {renamed && (
          <>
            {t.punctuation.betweenSentences}
            {t.newJob.becomes({ before: renamed.before, after: renamed.after ?? renamed.before })}
          </>
        )}
      </span>
    </p>
  )
}

/** Announces the note to screen readers. Call this when the user has just chosen to replace originals. */
export function announceReplacing(app: App, draft: Draft): void {
  if (replaceProblem(app, draft) !== null) return
  const t = viewTranslation(app)
  const count = replaceable(app)
  if (count > 0) app.announcer.say(t.sentences([t.newJob.willReplace({ count }), undoSentence(app)]))
}

/** Returns how many originals will be replaced. Originals whose results are known to lose something are kept. */
function replaceable(app: App): number {
  const count = draftParts(app).reduce((sum, { items }) => sum + items.length, 0)
  return Math.max(0, count - (app.state.foreseen.value?.files ?? 0))
}

function undoSentence(app: App): string {
  const { newJob } = viewTranslation(app)
  const days = app.state.settings.value.keepOriginalsDays
  return days === null ? newJob.willReplaceForever : newJob.willReplaceHow({ count: days })
}
