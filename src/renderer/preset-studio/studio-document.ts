/**
 * The text of a preset, shared by both views. Each control changes only its own fields of the text. While the text can't be parsed, the
 * form keeps the last valid version.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { countChanges } from '../../shared/preset/changed-fields.ts'
import { linesOf, nodeAt, setInJson, valueAt } from '../../shared/preset/json-text.ts'
import { readFrom, type PresetPart, type ReadField } from '../../shared/preset/read-field.ts'
import {
  checkPresetText,
  lineOf,
  type CheckedText,
  type PresetFault,
} from '../../shared/preset/preset-faults.ts'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import { schemaFields } from '../../shared/preset/schema-fields.ts'

export type StudioFault = PresetFault | (Pick<PresetFault, 'path' | 'line'> & { readonly nameTaken: string })

/** The data of the form, from the last text that could be parsed. */
export type FormView = {
  readonly stands: ReadField
  /** Reads a value from the document, or its default if the field is missing. */
  readonly read: ReadField
  readonly parts: readonly PresetPart[]
}

export function createStudioDocument(options: {
  /** The saved text; the initial text for a new preset. */
  readonly saved: string
  /** Unsaved text from an earlier session of the studio. null if there is none. */
  readonly unsaved: string | null
  readonly isNew: boolean
  /** Names of other presets. */
  readonly names: ReadonlySet<string>
  readonly onChange: (text: string, isSaved: boolean) => void
}) {
  const { names } = options
  const saved = signal(options.saved)
  const isNew = signal(options.isNew)
  const text = signal(options.unsaved ?? options.saved)
  const checked = computed(() => checkPresetText(text.value))
  const parked = new Map<PresetPart, unknown>()
  let past: string[] = []
  /** Consecutive changes of one control are a single undo step. */
  let lastControl = ''
  let lastForm = formOf(checkPresetText(options.saved)) ?? EMPTY_FORM

  const form = computed(() => (lastForm = formOf(checked.value) ?? lastForm))
  const name = computed(() => {
    const said = form.value.stands('name')
    return typeof said === 'string' ? said : ''
  })
  const faults = computed<readonly StudioFault[]>(() => {
    const found = checked.value
    if (!found.readable) return []
    const taken = names.has(name.value)
      ? [{ path: 'name', line: lineOf(linesOf(text.value), found.root, 'name'), nameTaken: name.value }]
      : []
    return [...taken, ...found.faults]
  })

  const isSaved = (one: string): boolean => one.trim() === saved.value.trim()

  function take(next: string): void {
    text.value = next
    options.onChange(next, isSaved(next))
  }

  function put(next: string, control: string): void {
    if (next === text.peek()) return
    if (control === '' || control !== lastControl) past = [...past, text.peek()]
    lastControl = control
    take(next)
  }

  const change = (changes: readonly FieldChange[]): void =>
    put(
      changes.reduce((before, { path, value }) => setInJson(before, path, value), text.peek()),
      changes.map(({ path }) => path).join(' '),
    )

  const readText: ReadonlySignal<string> = text
  return {
    text: readText,
    checked,
    faults,
    form,
    name,
    /** The number of fields that differ from the saved version. */
    changes: computed(() => countChanges(saved.value, text.value)),
    canSave: computed(() => {
      const isChanged = isNew.value || !isSaved(text.value)
      return isChanged && checked.value.readable && faults.value.length === 0
    }),
    change,
    type: (next: string): void => put(next, 'text'),
    /** Selects photos, videos or both. Selecting a part again restores its previous settings. */
    choose(parts: readonly PresetPart[]): void {
      const { stands } = form.peek()
      change(
        (['image', 'video'] as const).map((part) => {
          const now = stands(part)
          if (now !== undefined) parked.set(part, now)
          return { path: part, value: parts.includes(part) ? (now ?? parked.get(part) ?? {}) : undefined }
        }),
      )
    },
    undo(): void {
      const before = past.at(-1)
      if (before === undefined) return
      past = past.slice(0, -1)
      lastControl = ''
      take(before)
    },
    revert: (): void => put(saved.peek(), ''),
    /** Makes this text the saved version. `changes` is then relative to it. */
    wasSaved(now: string): void {
      saved.value = now
      isNew.value = false
    },
  }
}

const EMPTY_FORM: FormView = { stands: () => undefined, read: () => undefined, parts: ['image'] }

function formOf(checked: CheckedText): FormView | null {
  if (!checked.readable) return null
  const { root } = checked
  const stands = readFrom(valueAt(root, ''))
  const parts = (['image', 'video'] as const).filter((part) => nodeAt(root, part) !== undefined)
  return {
    stands,
    read: (path) => stands(path) ?? schemaFields().get(path)?.default,
    parts: parts.length === 0 ? ['image'] : parts,
  }
}
