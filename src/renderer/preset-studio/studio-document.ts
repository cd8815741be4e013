/**
 * The one document behind both views: its text. Each control changes one field of the text; while that can't be read, the
 * form keeps the last one that could.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { countChanges } from '../../shared/preset/changed-fields.ts'
import { nodeAt, setInJson, valueAt } from '../../shared/preset/json-text.ts'
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

/** What the form draws: the last text that could be read. */
export type FormView = {
  /** What stands in the document. */
  readonly stands: ReadField
  /** The same, with what holds where nothing stands. */
  readonly read: ReadField
  readonly parts: readonly PresetPart[]
}

export type StudioDocument = {
  readonly text: ReadonlySignal<string>
  /** What is wrong with the text as it is now. */
  readonly checked: ReadonlySignal<CheckedText>
  readonly faults: ReadonlySignal<readonly StudioFault[]>
  readonly form: ReadonlySignal<FormView>
  readonly name: ReadonlySignal<string>
  /** How many fields differ from what is saved. */
  readonly changes: ReadonlySignal<number>
  readonly canSave: ReadonlySignal<boolean>
  /** The schema of this version has the field. */
  readonly has: (path: string) => boolean
  change(changes: readonly FieldChange[]): void
  type(text: string): void
  /** Photos, videos or both. What a part said comes back with it. */
  choose(parts: readonly PresetPart[]): void
  undo(): void
  readonly revert: () => void
  /** From now on this is what a change is measured by. */
  wasSaved(text: string): void
}

type StudioDocumentOptions = {
  /** What is saved; a new preset begins with it. */
  readonly saved: string
  /** What was typed before and not saved; null: nothing. */
  readonly unsaved: string | null
  readonly isNew: boolean
  /** Names of other presets. */
  readonly names: ReadonlySet<string>
  readonly onChange: (text: string, isSaved: boolean) => void
}

export function createStudioDocument(options: StudioDocumentOptions): StudioDocument {
  const { names } = options
  const saved = signal(options.saved)
  const isNew = signal(options.isNew)
  const text = signal(options.unsaved ?? options.saved)
  const checked = computed(() => checkPresetText(text.value))
  const parked = new Map<PresetPart, unknown>()
  let past: string[] = []
  /** Turns of one control are one step back. */
  let lastTurned = ''
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
      ? [{ path: 'name', line: lineOf(text.value, found.root, 'name'), nameTaken: name.value }]
      : []
    return [...taken, ...found.faults]
  })

  const isSaved = (one: string): boolean => one.trim() === saved.value.trim()

  function take(next: string): void {
    text.value = next
    options.onChange(next, isSaved(next))
  }

  function put(next: string, turned: string): void {
    if (next === text.peek()) return
    if (turned === '' || turned !== lastTurned) past = [...past, text.peek()]
    lastTurned = turned
    take(next)
  }

  const change = (changes: readonly FieldChange[]): void =>
    put(
      changes.reduce((before, { path, value }) => setInJson(before, path, value), text.peek()),
      changes.map(({ path }) => path).join(' '),
    )

  return {
    text,
    checked,
    faults,
    form,
    name,
    changes: computed(() => countChanges(saved.value, text.value)),
    canSave: computed(() => {
      const isChanged = isNew.value || !isSaved(text.value)
      return isChanged && checked.value.readable && faults.value.length === 0
    }),
    has: (path) => schemaFields().has(path),
    change,
    type: (next) => put(next, 'text'),
    choose(parts) {
      const { stands } = form.peek()
      change(
        (['image', 'video'] as const).map((part) => {
          const now = stands(part)
          if (now !== undefined) parked.set(part, now)
          return { path: part, value: parts.includes(part) ? (now ?? parked.get(part) ?? {}) : undefined }
        }),
      )
    },
    undo() {
      const before = past.at(-1)
      if (before === undefined) return
      past = past.slice(0, -1)
      lastTurned = ''
      take(before)
    },
    revert: () => put(saved.peek(), ''),
    wasSaved(now) {
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
