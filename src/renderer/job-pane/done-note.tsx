import { presetTitles } from '../../shared/i18n/sentences.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { useViewTranslation, useView } from '../store/app.ts'
import { doneCount } from '../store/draft-contents.ts'
import { Icon } from '../ui/icon.tsx'
import { useShownWhile } from '../ui/shown-while.ts'
import { TextAround } from '../ui/text-around.tsx'
import { Segments } from '../ui/form-controls.tsx'
import './done-note.css'

/** Shows the check while it runs, then how many files are already done, and asks whether to process them again. */
export function DoneNote({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const known = app.state.doneFiles.value
  const all = draft.source.kind === 'files' ? draft.source.items.length : 0
  const isChecking = known?.kind === 'checking'
  if (useShownWhile(isChecking)) return <Checking files={isChecking ? known.files : all} />
  const done = doneCount(app)
  if (done === 0) return null
  return (
    <div class="callout info done-note" role="status">
      <Icon name="check" />
      <span class="numeric">
        {done === all ? (
          <b>{t.newJob.allDone({ count: all })}</b>
        ) : (
          <TextAround
            text={(placeholder) =>
              t.newJob.someDone({ done: placeholder, presets: presetTitles(draft.presets, t) })
            }
          >
            <b>{t.newJob.doneOf({ count: done, all })}</b>
          </TextAround>
        )}
      </span>
      <Segments
        label={t.newJob.doneFiles}
        value={draft.done}
        options={{ skip: t.newJob.skipThem, again: t.newJob.processAgain }}
        onChoose={(value) => void app.attempt(app.bridge.draft.update({ done: value }))}
      />
    </div>
  )
}

function Checking({ files }: { readonly files: number }) {
  const t = useViewTranslation()
  return (
    <div class="callout info done-note" role="status">
      <span class="numeric">{t.newJob.checkingDone({ count: files })}</span>
    </div>
  )
}
