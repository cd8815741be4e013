import { freeName } from '../../shared/preset/free-name.ts'
import { MAX_STARRED } from '../../shared/preset/starred.ts'
import { setInJson } from '../../shared/preset/json-text.ts'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { withModifier, type App } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { offerUndo } from '../store/offer-undo.ts'
import type { MenuEntry } from '../store/overlays.ts'
import { showSaved } from '../store/toasts.ts'

export const rowOf = (name: string): string => `[data-preset=${JSON.stringify(name)}]`

/** Reverts the last deletion, reset, restoration of default presets, or import. */
export async function undoPresets(app: App): Promise<void> {
  await app.attempt(app.bridge.presets.undo())
  await app.presets.read()
}

async function changeUndoable(app: App, call: Promise<unknown>, said: string): Promise<void> {
  await offerUndo(app, call, said, () => undoPresets(app))
  await app.presets.read()
}

/** Duplicates a preset. Returns the name of the copy, which the user renames next, or null after a failure. */
export async function duplicate(
  app: App,
  preset: PresetDocument,
  t: StudioTranslation,
): Promise<string | null> {
  const used = new Set(app.presets.overview.peek()?.documents.map(({ name }) => name))
  const name = freeName(t.presetList.copyOf({ name: preset.name }), used)
  const text = setInJson(preset.text, 'name', name)
  const saved = await app.attempt(app.bridge.presets.save({ text, replaces: null }))
  await app.presets.read()
  return saved?.ok === true ? name : null
}

/** Renames a preset. Returns whether that succeeded. */
export async function rename(app: App, preset: PresetDocument, to: string): Promise<boolean> {
  const text = setInJson(preset.text, 'name', to)
  const saved = await app.attempt(app.bridge.presets.save({ text, replaces: preset.name }))
  await app.presets.read()
  return saved?.ok === true
}

export function remove(app: App, { name }: PresetDocument, t: StudioTranslation): void {
  const rows = app.presets.overview.peek()?.documents ?? []
  const at = rows.findIndex((row) => row.name === name)
  const next = rows[at + 1] ?? rows[at - 1]
  void changeUndoable(app, app.bridge.presets.remove(name), t.presetList.removed({ name })).then(() => {
    if (next !== undefined) focusOnceShown(rowOf(next.name))
  })
}

export async function toggleStar(app: App, { name }: PresetDocument, t: StudioTranslation): Promise<void> {
  const isStarred = !app.state.settings.peek().starredPresets.includes(name)
  const after = await app.attempt(app.bridge.presets.star({ name, isStarred }))
  if (after === undefined) return
  const { count } = after
  if (isStarred && !after.isStarred) app.toasts.show(t.presetList.starsFull)
  else
    app.announcer.say(t.presetList[isStarred ? 'starred' : 'unstarred']({ name, count, most: MAX_STARRED }))
}

export const exportPresets = (app: App, name: string | null): void =>
  void app.attempt(app.bridge.presets.export(name)).then((saved) => showSaved(app, saved))

async function importFiles(app: App): Promise<void> {
  const report = await app.attempt(app.bridge.presets.importFiles())
  if (report) app.presets.report.value = report
  await app.presets.read()
}

type RowActions = { readonly onRename: (name: string) => void }

export function rowEntries(
  app: App,
  preset: PresetDocument,
  t: StudioTranslation,
  { onRename }: RowActions,
): readonly MenuEntry[] {
  const { name } = preset
  const texts = t.presetList
  return [
    {
      label: texts.duplicate,
      icon: 'copy',
      keys: withModifier(app.facts, 'D'),
      run: () => void duplicate(app, preset, t).then((copy) => copy !== null && onRename(copy)),
    },
    { label: texts.rename, icon: 'pencil', keys: 'F2', run: () => onRename(name) },
    { label: texts.export, icon: 'up', run: () => exportPresets(app, name) },
    { kind: 'divider' },
    ...(preset.origin === 'changedDefault'
      ? [
          {
            label: texts.reset,
            icon: 'undo',
            run: () => void changeUndoable(app, app.bridge.presets.reset(name), texts.wasReset({ name })),
          } as const,
        ]
      : []),
    { label: texts.remove, icon: 'trash', keys: 'Del', run: () => remove(app, preset, t) },
  ]
}

export function listEntries(app: App, t: StudioTranslation): readonly MenuEntry[] {
  const texts = t.presetList
  const count = app.presets.overview.peek()?.deletedDefaults ?? 0
  const { presets } = app.bridge
  return [
    { label: texts.import, icon: 'down', run: () => void importFiles(app) },
    { label: texts.exportAll, icon: 'up', run: () => exportPresets(app, null) },
    { label: texts.showFolder, icon: 'folder', run: () => void app.attempt(presets.showFolder()) },
    ...(count === 0
      ? []
      : [
          { kind: 'divider' } as const,
          {
            label: texts.restore({ count }),
            icon: 'undo',
            run: () => void changeUndoable(app, presets.restoreDefaults(), texts.restored({ count })),
          } as const,
        ]),
  ]
}
