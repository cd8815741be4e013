import type { Draft } from '../../shared/model/draft.ts'
import { type App, useView } from '../store/app.ts'
import { countResults } from '../store/draft-contents.ts'
import { Check } from '../ui/form-controls.tsx'
import { asksForVariations, VariationsStepper } from '../pickers/variations-stepper.tsx'

/** Number of results above which the total turns amber. */
const MANY_RESULTS = 100

export const draftAsksForVariations = (app: App, draft: Draft): boolean =>
  asksForVariations(app, app.state.draftConnection.value, draft)

/** The number of results of each file, next to the preset. */
export function DraftVariations({ draft: { variations } }: { readonly draft: Draft }) {
  const { app, t } = useView()
  return (
    <>
      <label class="visually-hidden" for="variations">
        {t.newJob.variations}
      </label>
      <VariationsStepper
        id="variations"
        value={variations}
        onChange={(value) => void app.attempt(app.bridge.draft.update({ variations: value }))}
      />
    </>
  )
}

/** "4 variations: 6 files become 24 results." Empty for one variation, unless there are many results. */
export function VariationsSum({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const count = draft.variations
  const results = countResults(app)
  const isLarge = results !== null && results > MANY_RESULTS
  return (
    <span id="variations-sum" class={`numeric ${isLarge ? 'text-warning' : ''}`}>
      {sumSentence()}
    </span>
  )

  function sumSentence(): string {
    if (count === 1 && !isLarge) return ''
    if (results === null || draft.source.kind === 'drive') return t.details.forEach({ count })
    const counted = t.newJob.results({ count: results })
    if (isLarge) return t.newJob.large({ results: counted })
    const files = t.count.files({ count: results / count })
    return t.newJob.sum({ count, files, results: counted })
  }
}

export function PresetFolders({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  return (
    <Check
      class="field-column"
      label={t.newJob.presetFolders}
      checked={draft.presetFolders}
      onChange={(presetFolders) => void app.attempt(app.bridge.draft.update({ presetFolders }))}
    />
  )
}
