import { signal } from '@preact/signals'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetOverview } from '../../shared/model/built-in-service.ts'
import { textFaultWords } from '../../shared/preset/fault-words.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import { taskNamed } from '../../shared/preset/tasks.ts'
import type { App } from '../store/app.ts'
import { leaveStudio } from '../store/navigation.ts'
import { createUnsavedKeeper } from './keep-unsaved.ts'
import { createStudioDocument } from './studio-document.ts'

export type OpenPreset = ReturnType<typeof openPreset>

/** Opens the preset or task that the route names, otherwise a new preset. */
export function openPreset(app: App, { documents, unsavedNew }: PresetOverview, t: StudioTranslation) {
  const { preset } = app.route.studio.peek()
  const stored = documents.find(({ name }) => name === preset)
  const names = new Set(documents.map(({ name }) => name))
  const shipped = stored === undefined && preset !== null ? taskNamed(preset) : undefined
  /** The task that is adjusted for a job; null for a preset. */
  const task = signal(shipped?.name ?? null)
  if (stored !== undefined) names.delete(stored.name)
  /** The saved name; null if the preset hasn't been saved. */
  const savedAs = signal(stored?.name ?? null)
  const keeper = createUnsavedKeeper(app, () => savedAs.peek())
  /** Whether unsaved text is kept. The text of an adjusted task isn't, because it would replace an unsaved new preset. */
  const isKept = (): boolean => shipped === undefined || savedAs.peek() !== null
  const document = createStudioDocument({
    saved: (stored ?? shipped)?.text ?? newPresetText(freeName(t.presetList.newPreset, names)),
    unsaved: shipped === undefined ? (stored === undefined ? unsavedNew : stored.unsaved) : null,
    isNew: stored === undefined && shipped === undefined,
    names,
    onChange: (text, isSaved) => {
      if (isKept()) keeper.soon(isSaved ? null : text)
    },
  })
  return {
    document,
    keeper,
    savedAs,
    task,
    /** Uses the adjusted task for the draft, and returns to the draft. Does nothing while there are errors, or for a preset. */
    useForJob: async (): Promise<void> => {
      if (task.peek() === null || document.faults.peek().length > 0 || !document.checked.peek().readable)
        return
      const change = { preset: task.peek() ?? '', text: document.text.peek() }
      if (document.changes.peek() > 0 && !(await app.succeeds(app.bridge.draft.useAdjusted(change)))) return
      leaveStudio(app)
    },
    /** Turns the adjusted task into a new preset with an unused name. */
    becomePreset: (): void => {
      document.change([
        { path: 'name', value: freeName(presetName(document.name.peek(), app.t.peek()), names) },
      ])
      task.value = null
    },
    /** Saves the preset. Does nothing while there are errors, for a saved preset without changes, or for an adjusted task. */
    save: async (): Promise<void> => {
      if (task.peek() !== null) return
      if (!document.canSave.peek()) return
      const replaces = savedAs.peek()
      const text = document.text.peek()
      if (isKept()) await keeper.drop(replaces)
      const saved = await app.attempt(app.bridge.presets.save({ text, replaces }))
      if (saved === undefined) return
      if (!saved.ok) {
        app.toasts.show(textFaultWords(saved.fault, t))
        return
      }
      const name = document.name.peek()
      document.wasSaved(text)
      savedAs.value = name
      app.route.studio.value = { ...app.route.studio.peek(), preset: name }
      app.toasts.show(t.studio.savedToast({ name }))
      await app.presets.read()
    },
  }
}

/** A minimal preset: JPEG photos that fit 2048 × 2048 pixels. */
const newPresetText = (name: string): string =>
  `${JSON.stringify({ name, image: { format: 'jpeg', size: { width: 2048, height: 2048 } } }, null, 2)}\n`
