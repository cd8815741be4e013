import { useEffect } from 'preact/hooks'
import { readFrom } from '../../shared/preset/read-field.ts'
import { summaryOf } from '../../shared/preset/preset-summary.ts'
import { useApp } from '../store/app.ts'
import { showStudio } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'

/**
 * Returns the built-in service's preset. null if the job uses the basic defaults or another service, or while the preset is
 * loading.
 */
function useChosenPreset(name: string | null) {
  const app = useApp()
  const { kind, presets } = app.state.connection.value
  const isOurs = kind === 'builtIn' && name !== null
  useEffect(() => {
    if (isOurs) void app.presets.read()
  }, [isOurs, presets, name])
  const found = app.presets.overview.value?.documents.find((document) => document.name === name)
  return isOurs ? (found?.preset ?? null) : null
}

/** Opens the preset editor, from which Back returns here. */
export function EditPreset({ preset: name }: { readonly preset: string | null }) {
  const app = useApp()
  const t = app.presets.words()
  const preset = useChosenPreset(name)
  if (preset === null || t === null) return null
  return <Button id="edit-preset" label={t.studio.edit} onPress={() => showStudio(app, name)} />
}

/** A one-line summary of the preset. What the preset removes comes last and is hidden in a narrow window. */
export function PresetLine({ preset: name }: { readonly preset: string | null }) {
  const app = useApp()
  const t = app.presets.words()
  const preset = useChosenPreset(name)
  if (preset === null || t === null) return null
  const { does, removed } = summaryOf(readFrom(preset), t)
  return (
    <p class="field-column hint truncate" id="preset-does">
      {does}.{removed !== '' && <span class="hide-narrow"> {removed}</span>}
    </p>
  )
}
