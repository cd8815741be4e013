import type { Draft } from '../../shared/model/draft.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { countResults } from '../store/draft-contents.ts'
import { Stepper } from '../ui/form-controls.tsx'

const MAX_VARIATIONS = 100_000
/** Above this number of results, the total turns amber. */
const MANY_RESULTS = 100

/** The number of results of each file. */
export function Variations({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  return (
    <>
      <label for="variations">{t.newJob.variations}</label>
      <div class="control-row">
        <Stepper
          id="variations"
          value={draft.variations}
          most={MAX_VARIATIONS}
          fewer={t.newJob.fewer}
          more={t.newJob.more}
          describedBy="variations-sum variations-help"
          onChange={(variations) => void app.attempt(app.bridge.draft.update({ variations }))}
        />
        <Sum draft={draft} />
      </div>
      <p class="field-column hint" id="variations-help">
        {t.newJob.variationsHelp}
      </p>
    </>
  )
}

function Sum({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  const results = countResults(app)
  const isLarge = results !== null && results > MANY_RESULTS
  return (
    <span id="variations-sum" class={`hint numeric ${isLarge ? 'warning' : ''}`}>
      {sumSentence()}
    </span>
  )

  function sumSentence(): string {
    if (results === null || draft.source.kind === 'drive')
      return t.details.forEach({ count: draft.variations })
    const counted = t.newJob.results({ count: results })
    if (isLarge) return t.newJob.large({ results: counted })
    if (draft.presets.length > 1) return counted
    const files = t.count.files({ count: results / draft.variations })
    return t.newJob.sum({ files, variations: draft.variations, results: counted })
  }
}

/** Whether each of several presets saves to its own subfolder. */
export function PresetFolders({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  return (
    <label class="check field-column">
      <input
        type="checkbox"
        checked={draft.presetFolders}
        onChange={(event) =>
          void app.attempt(app.bridge.draft.update({ presetFolders: event.currentTarget.checked }))
        }
      />
      {t.newJob.presetFolders}
    </label>
  )
}
