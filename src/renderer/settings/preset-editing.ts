/** The presets of the built-in service as the settings edit them, one document at a time. */
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PresetDocument, PresetProblem } from '../../shared/model/built-in-service.ts'
import { useApp, useTranslation } from '../store/app.ts'

export type Editing = {
  /** The name that the document had when it was opened; null for a new one. */
  readonly replaces: string | null
  readonly stored: string
  readonly text: string
}

export type PresetEditing = {
  readonly presets: Signal<readonly PresetDocument[]>
  /** null: there is nothing to edit. */
  readonly editing: Signal<Editing | null>
  readonly problems: Signal<readonly PresetProblem[]>
  readonly edit: (preset: PresetDocument) => void
  readonly begin: (text: string) => void
  readonly type: (text: string) => void
  readonly save: () => Promise<void>
  /** Asks whether one is sure: there is no way back. */
  readonly remove: (name: string) => void
}

export function usePresetEditing(): PresetEditing {
  const app = useApp()
  const t = useTranslation()
  const texts = t.presetSettings
  const presets = useSignal<readonly PresetDocument[]>([])
  const editing = useSignal<Editing | null>(null)
  const problems = useSignal<readonly PresetProblem[]>([])

  const read = async (): Promise<void> => {
    presets.value = (await app.attempt(app.bridge.presets.list()))?.documents ?? []
  }
  const edit = (preset: PresetDocument): void => {
    editing.value = { replaces: preset.name, stored: preset.text, text: preset.text }
    problems.value = preset.problems
  }
  useEffect(() => {
    void read().then(() => {
      const first = presets.peek()[0]
      if (first && editing.peek() === null) edit(first)
    })
  }, [])

  return {
    presets,
    editing,
    problems,
    edit,
    begin(text) {
      editing.value = { replaces: null, stored: '', text }
      problems.value = []
    },
    type(text) {
      const current = editing.peek()
      if (current !== null) editing.value = { ...current, text }
    },
    async save() {
      const current = editing.value
      if (current === null) return
      const { text, replaces } = current
      const saved = await app.attempt(app.bridge.presets.save({ text, replaces }))
      if (saved === undefined) return
      problems.value = saved.ok ? [] : saved.problems
      if (!saved.ok) return
      await read()
      const now = presets.value.find((preset) => preset.text.trim() === text.trim())
      if (now) edit(now)
      app.toasts.show({ text: t.toasts.presetSaved({ name: now?.name ?? '' }), actions: [] })
    },
    remove(name) {
      app.overlays.dialog.value = {
        kind: 'confirm',
        title: texts.removeTitle({ name }),
        text: texts.removeText,
        verb: texts.removeVerb,
        run: () =>
          void app.attempt(app.bridge.presets.remove(name)).then(async () => {
            await read()
            const next = presets.value[0]
            if (next) edit(next)
            else editing.value = null
          }),
      }
    },
  }
}

/** The smallest document that says something: photos of at most 2048 pixels. */
const START = { image: { format: 'jpeg', quality: 82, size: { width: 2048, height: 2048 } } }

export const newPresetText = (name: string): string => `${JSON.stringify({ name, ...START }, null, 2)}\n`

/** The same document under another name; as it stands where it is no JSON object. */
export function renamedPresetText(text: string, name: string): string {
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return text
    return `${JSON.stringify({ ...document, name }, null, 2)}\n`
  } catch {
    return text
  }
}
