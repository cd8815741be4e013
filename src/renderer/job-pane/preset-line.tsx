import { useEffect } from 'preact/hooks'
import { type Draft, singlePresetOf } from '../../shared/model/draft.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { presetTitle } from '../../shared/i18n/sentences.ts'
import { readFrom } from '../../shared/preset/read-field.ts'
import { summaryOf } from '../../shared/preset/preset-summary.ts'
import { useApp, viewTranslation, useView } from '../store/app.ts'
import { countKinds, countResults, draftParts, kindCounts } from '../store/draft-contents.ts'
import { showStudio } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'
import { draftAsksForVariations, VariationsSum } from './variations.tsx'

/**
 * Returns the built-in service's preset. Returns null if the job uses the basic defaults or another service, or while the preset is
 * loading.
 */
export function useChosenPreset(name: string | null) {
  const app = useApp()
  const { kind, presets } = app.state.draftConnection.value
  const isOurs = kind === 'builtIn' && name !== null
  useEffect(() => {
    if (isOurs) void app.presets.read()
  }, [isOurs, presets, name])
  const found = app.presets.overview.value?.documents.find((document) => document.name === name)
  return isOurs ? (found?.preset ?? null) : null
}

/**
 * Opens the preset editor, whose Back button returns here. Disabled for several presets, because the editor opens only one.
 * Renders nothing for an external service or an unknown preset.
 */
export function EditPreset({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = app.presets.words()
  const name = singlePresetOf(draft) ?? null
  const preset = useChosenPreset(name)
  const hasSeveral = draft.presets.length > 1
  const isOurs = app.state.draftConnection.value.kind === 'builtIn'
  if (t === null || !isOurs || (preset === null && !hasSeveral)) return null
  return (
    <Button
      id="edit-preset"
      label={t.studio.edit}
      class={hasSeveral || draft.variations > 1 ? 'hide-narrow' : ''}
      disabled={hasSeveral}
      title={hasSeveral ? viewTranslation(app).newJob.editOne : undefined}
      onPress={() => showStudio(app, name)}
    />
  )
}

/**
 * A summary of the preset. What the preset removes comes last and is hidden in a narrow window. With several presets, shows
 * the number of results or the files that each preset processes.
 */
export function PresetLine({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = app.presets.words()
  const preset = useChosenPreset(singlePresetOf(draft) ?? null)
  const sum = draftAsksForVariations(app, draft) && <VariationsSum draft={draft} />
  if (draft.presets.length > 1) return <PresetsSum draft={draft} />
  if (preset === null || t === null)
    return (
      sum && (
        <p class="field-column hint" id="preset-does">
          {sum}
        </p>
      )
    )
  const { does, removed } = summaryOf(readFrom(preset), t)
  return (
    <p class="field-column hint" id="preset-does">
      {sum && <>{sum} </>}
      {t.sentence(does)}
      {removed !== '' && (
        <span class="hide-narrow">
          {t.summary.betweenSentences}
          {removed}
        </span>
      )}
    </p>
  )
}

function PresetsSum({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const parts = draftParts(app).map(({ preset, items }) => ({ preset, ...countKinds(items) }))
  const results = countResults(app)
  const [first] = parts
  const isSame = parts.every(({ photos, videos }) => photos === first?.photos && videos === first.videos)
  const sentences =
    isSame || results === null
      ? [t.newJob.presetsSum({ what: presetsAndResults(draft.presets.length, results, t) })]
      : parts.map(({ preset, ...contents }) =>
          t.newJob.presetFor({ preset: presetTitle(preset, t), files: kindCounts(contents, t) }),
        )
  const hasFolders = draft.presetFolders && draft.output.kind !== 'drive'
  return (
    <p class="field-column hint numeric" id="preset-does">
      {t.sentences([...sentences, ...(hasFolders ? [t.newJob.subfolderEach] : [])])}
    </p>
  )
}

function presetsAndResults(count: number, results: number | null, t: ViewTranslation): string {
  const presets = t.count.presets({ count })
  return results === null
    ? presets
    : t.phrases.and({ first: presets, second: t.newJob.results({ count: results }) })
}
