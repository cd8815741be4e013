import { signal, type ReadonlySignal } from '@preact/signals'
import type { StudioTranslation } from '../../shared/i18n/studio.ts'
import type { PresetOverview } from '../../shared/model/built-in-service.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import type { App } from '../store/app.ts'
import { createUnsavedKeeper, type UnsavedKeeper } from './keep-unsaved.ts'
import { createStudioDocument, type StudioDocument } from './studio-document.ts'

/** A preset in the studio: its document, and where that is kept. */
export type OpenPreset = {
  readonly document: StudioDocument
  readonly keeper: UnsavedKeeper
  /** The name under which it is saved; null: not yet. */
  readonly savedAs: ReadonlySignal<string | null>
  /** Nothing happens while something is wrong. */
  readonly save: () => Promise<void>
}

export function openPreset(
  app: App,
  { documents, unsavedNew }: PresetOverview,
  t: StudioTranslation,
): OpenPreset {
  const { preset } = app.route.studio.peek()
  const stored = documents.find(({ name }) => name === preset)
  const names = new Set(documents.map(({ name }) => name))
  if (stored !== undefined) names.delete(stored.name)
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
    async save() {
      if (!document.canSave.peek()) return
      const replaces = savedAs.peek()
      const text = document.text.peek()
      await keeper.drop(replaces)
      const saved = await app.attempt(app.bridge.presets.save({ text, replaces }))
      if (saved === undefined) return
      if (!saved.ok) {
        const [problem] = saved.problems
        app.toasts.show({ text: `${problem?.field ?? ''} ${problem?.message ?? ''}`.trim(), actions: [] })
        return
      }
      const name = document.name.peek()
      document.wasSaved(text)
      savedAs.value = name
      app.route.studio.value = { ...app.route.studio.peek(), preset: name }
      app.toasts.show({ text: t.studio.savedToast({ name }), actions: [] })
      await app.presets.read()
    },
  }
}

/** Small, and says something: photos of at most 2048 pixels. */
const newPresetText = (name: string): string =>
  `${JSON.stringify({ name, image: { format: 'jpeg', size: { width: 2048, height: 2048 } } }, null, 2)}\n`
