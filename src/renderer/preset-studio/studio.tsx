import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import * as z from 'zod'
import type { StudioTranslation } from '../../shared/i18n/studio.ts'
import type { PresetOverview } from '../../shared/model/built-in-service.ts'
import type { PresetPart } from '../../shared/preset/preset-controls.ts'
import { hasModifier, useApp } from '../store/app.ts'
import { focusSoon, leaveStudio } from '../store/navigation.ts'
import { JsonView } from './json-view.tsx'
import { openPreset } from './open-preset.ts'
import { PresetForm } from './preset-form.tsx'
import { PreviewSlot } from './preview-slot.tsx'
import { StudioContext, type Studio as StudioParts } from './studio-context.ts'
import { StudioFoot } from './studio-foot.tsx'
import { StudioHeader } from './studio-header.tsx'

// The page's policy allows no code made at run time.
z.config({ jitless: true })

/** One preset over the whole window: what you want | what you get. */
export function Studio() {
  const app = useApp()
  const t = app.presets.words()
  const overview = app.presets.overview.value
  const isRead = useSignal(false)
  useEffect(() => {
    // What the list has may be of before: what was typed and not saved has to be there.
    void app.presets.read().then(() => {
      isRead.value = true
    })
  }, [])
  if (t === null || overview === null || !isRead.value) return <main class="studio" />
  return <OpenStudio overview={overview} t={t} />
}

type OpenStudioProps = { readonly overview: PresetOverview; readonly t: StudioTranslation }

function OpenStudio({ overview, t }: OpenStudioProps) {
  const app = useApp()
  const view = useSignal<'form' | 'json'>('form')
  const part = useSignal<PresetPart>('image')
  const naming = useSignal(app.route.studio.peek().preset === null)
  const preset = useMemo(() => openPreset(app, overview, t), [])
  const { document } = preset
  const { parts } = document.form.value
  // The part on show is always one that the preset has.
  const shown = parts.includes(part.value) ? part.value : (parts[0] ?? 'image')
  useEffect(() => {
    part.value = shown
  }, [shown])
  useEffect(() => {
    focusSoon(naming.peek() ? '#preset-name' : 'input[name="goal"]:checked')
    return () => void preset.keeper.flush().then(() => app.presets.read())
  }, [])

  const onKeyDown = (event: KeyboardEvent): void => {
    const key = event.key.toLowerCase()
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.matches('textarea, input:not([type="range"], [type="radio"], [type="checkbox"])')
    if (event.key === 'Escape') leaveStudio(app)
    else if (event.key === 'F2') naming.value = true
    else if (!hasModifier(app.facts, event)) return
    else if (key === 's') void preset.save()
    else if (key === 'z' && !isTyping) document.undo()
    else return
    event.preventDefault()
  }

  const studio: StudioParts = { ...preset, t, part, view, naming }
  return (
    <StudioContext.Provider value={studio}>
      <main class="studio" aria-label={t.studio.main} onKeyDown={onKeyDown}>
        <StudioHeader />
        <PreviewSlot />
        {view.value === 'form' ? <PresetForm /> : <JsonView />}
        <StudioFoot />
      </main>
    </StudioContext.Provider>
  )
}
