import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import * as z from 'zod'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetOverview } from '../../shared/model/built-in-service.ts'
import type { LeastSize } from '../../shared/model/preview.ts'
import type { PresetPart } from '../../shared/preset/read-field.ts'
import { hasModifier, useApp } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { isOverlayOpen } from '../store/overlays.ts'
import { JsonView } from './json-view.tsx'
import { openPreset, type OpenPreset } from './open-preset.ts'
import { PresetForm } from './preset-form.tsx'
import { PreviewColumn } from './preview-column.tsx'
import { StudioContext, type Studio as StudioParts } from './studio-context.ts'
import { StudioFoot } from './studio-foot.tsx'
import { StudioHeader } from './studio-header.tsx'
import './studio.css'

// The content security policy forbids code generated at run time.
z.config({ jitless: true })

export function Studio() {
  const app = useApp()
  const t = app.presets.words()
  const overview = app.presets.overview.value
  const isRead = useSignal(false)
  useEffect(() => {
    // The list includes unsaved edits and may be stale, so reload it before the editor opens.
    void app.presets.read().then(() => (isRead.value = true))
  }, [])
  if (t === null || overview === null || !isRead.value) return <main class="studio" />
  return <OpenStudio overview={overview} t={t} />
}

function OpenStudio({ overview, t }: { readonly overview: PresetOverview; readonly t: StudioTranslation }) {
  const app = useApp()
  const part = useSignal<PresetPart>('image')
  const least = useSignal<LeastSize | null>(null)
  const videoIsHdr = useSignal(false)
  const naming = useSignal(app.route.studio.peek().preset === null)
  const preset = useMemo(() => openPreset(app, overview, t), [])
  const { document } = preset
  // Text that can't be parsed can't be shown as a form.
  const view = useSignal<'form' | 'json'>(document.checked.peek().readable ? 'form' : 'json')
  const { parts } = document.form.value
  // Only show a part that the preset has.
  const shown = parts.includes(part.value) ? part.value : (parts[0] ?? 'image')
  // Change the part before the paint, so that the user can't click in a form that is about to be replaced.
  useLayoutEffect(() => {
    part.value = shown
  }, [shown])
  useEffect(() => {
    focusOnceShown(naming.peek() ? '#preset-name' : 'input[name="goal"]:checked, #preset-json')
    return () => void preset.keeper.flush().then(() => app.presets.read())
  }, [])

  useStudioKeys(preset, naming)

  const studio: StudioParts = { ...preset, t, part, view, least, videoIsHdr, naming }
  return (
    <StudioContext.Provider value={studio}>
      <main class="studio" aria-label={t.studio.main}>
        <StudioHeader />
        <PreviewColumn />
        {view.value === 'form' ? <PresetForm /> : <JsonView />}
        <StudioFoot />
      </main>
    </StudioContext.Provider>
  )
}

/** Handles the studio's shortcuts on the window, so that they work even if no element has the focus. Escape is handled globally. */
function useStudioKeys({ document, save }: OpenPreset, naming: Signal<boolean>): void {
  const app = useApp()
  // Runs before painting, so that the shortcuts work as soon as the studio is visible.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isOverlayOpen(app.overlays)) return
      const key = event.key.toLowerCase()
      if (key === 'f2') naming.value = true
      else if (!hasModifier(app.facts, event)) return
      else if (key === 's') void save()
      else if (key === 'z' && !isTyping(event.target)) document.undo()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Whether the target has native undo. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('textarea, input:not([type="range"], [type="radio"], [type="checkbox"])')
