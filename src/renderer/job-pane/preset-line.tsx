import { useEffect } from 'preact/hooks'
import { readFrom } from '../../shared/preset/read-field.ts'
import { summaryOf } from '../../shared/preset/preset-summary.ts'
import { useApp } from '../store/app.ts'
import { showStudio } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'

/** The preset as the built-in service has it; null: basic defaults, another service, or not known (yet). */
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

/** Leads to the studio, and Back leads here again. */
export function EditPreset({ preset: name }: { readonly preset: string | null }) {
  const app = useApp()
  const t = app.presets.words()
  const preset = useChosenPreset(name)
  if (preset === null || t === null) return null
  return <Button id="edit-preset" label={t.studio.edit} onPress={() => showStudio(app, name)} />
}

/** What the chosen preset does, in one line; what it takes away comes last and goes first when it is narrow. */
export function PresetLine({ preset: name }: { readonly preset: string | null }) {
  const app = useApp()
  const t = app.presets.words()
  const preset = useChosenPreset(name)
  if (preset === null || t === null) return null
  const { does, removed } = summaryOf(readFrom(preset), t)
  return (
    <p class="wide hint clip" id="preset-does">
      {does}.{removed !== '' && <span class="hide-narrow"> {removed}</span>}
    </p>
  )
}
