import { signal } from '@preact/signals'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetOverview } from '../../shared/model/built-in-service.ts'
import { textFaultWords } from '../../shared/preset/fault-words.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import type { App } from '../store/app.ts'
import { createUnsavedKeeper } from './keep-unsaved.ts'
import { createStudioDocument } from './studio-document.ts'

export type OpenPreset = ReturnType<typeof openPreset>

/** Opens a preset: its document and the name it is saved under. */
export function openPreset(app: App, { documents, unsavedNew }: PresetOverview, t: StudioTranslation) {
  const { preset } = app.route.studio.peek()
  const stored = documents.find(({ name }) => name === preset)
  const names = new Set(documents.map(({ name }) => name))
  if (stored !== undefined) names.delete(stored.name)
  /** The saved name; null if it hasn't been saved. */
  const savedAs = signal(stored?.name ?? null)
  const keeper = createUnsavedKeeper(app, () => savedAs.peek())
  const document = createStudioDocument({
    saved: stored?.text ?? newPresetText(freeName(t.presetList.newPreset, names)),
    unsaved: stored === undefined ? unsavedNew : stored.unsaved,
    isNew: stored === undefined,
    names,
    onChange: (text, isSaved) => keeper.soon(isSaved ? null : text),
  })
  return {
    document,
    keeper,
    savedAs,
    /** Saves the preset. Does nothing while there are errors. */
    save: async (): Promise<void> => {
      if (!document.canSave.peek()) return
      const replaces = savedAs.peek()
      const text = document.text.peek()
      await keeper.drop(replaces)
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

/** A minimal preset: photos of at most 2048 pixels. */
const newPresetText = (name: string): string =>
  `${JSON.stringify({ name, image: { format: 'jpeg', size: { width: 2048, height: 2048 } } }, null, 2)}\n`
