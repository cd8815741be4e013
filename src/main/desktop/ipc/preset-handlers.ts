/** Handles the page's calls about the built-in service's presets, and updates all references when a preset is renamed. */
import { basename } from 'node:path'
import { readChosenText } from '../../../node/chosen-text.ts'
import { writeWhole } from '../../../node/write-file.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { withRenamedPreset } from '../../../shared/model/folder-rules.ts'
import type { PresetImport } from '../../../shared/model/built-in-service.ts'
import { definesVariations } from '../../../shared/preset/defines-variations.ts'
import { readPreset } from '../../../shared/preset/read-preset.ts'
import { slugOf } from '../../../shared/preset/slug.ts'
import { createStarredPresets, type ImportedText } from '../../presets/presets.ts'
import type { Page } from './page.ts'

/** The page of the system settings on macOS that lists Finder's Quick Actions. */
const FINDER_EXTENSIONS = 'x-apple.systempreferences:com.apple.ExtensionsPreferences'

const nothing = (): void => {}

export function presetHandlers(page: Page): Handlers['presets'] {
  const { presets, dialogs, t } = page
  // The built-in service may not be the main one.
  const refresh = async () => page.lines.to('builtIn')?.connection.refreshPresets()
  const stars = createStarredPresets(page.settings, presets)
  /** Reverts what the last undoable change did to references. */
  let undoReferences: () => void | Promise<void> = nothing

  /** @param change resolves to a function that reverts its effect on references */
  async function withUndo(change: () => Promise<typeof undoReferences>): Promise<void> {
    undoReferences = await change()
    await refresh()
  }

  async function importTexts(files: readonly ImportedText[]): Promise<PresetImport> {
    const imported = await presets.import(files)
    undoReferences = nothing
    await refresh()
    return imported
  }

  function rename(from: string, to: string): void {
    if (from === to) return
    stars.renamed(from, to)
    followRename(page, from, to)
  }

  return {
    async list() {
      const listed = await presets.list()
      // The built-in service writes its presets when it starts for the first time.
      if (listed.documents.length === 0) page.lines.other('builtIn')?.connection.useBuiltIn()
      return listed
    },
    async save(change) {
      const saved = await presets.save(change)
      if (!saved.ok) return saved
      const name = readPreset(change.text).preset?.name
      if (change.replaces !== null && name !== undefined) rename(change.replaces, name)
      if (name !== undefined && !definesVariations(change.text)) forgetVariations(page, name)
      await refresh()
      return saved
    },
    keepUnsaved: (change) => presets.keepUnsaved(change),
    star: ({ name, isStarred }) => stars.set(name, isStarred),
    turnOnInFinder: () => page.shell.openExternal(FINDER_EXTENSIONS),
    remove: (name) =>
      withUndo(async () => {
        await presets.remove(name)
        return stars.removed(name)
      }),
    reset: (name) =>
      withUndo(async () => {
        const to = await presets.reset(name)
        rename(name, to)
        return () => rename(to, name)
      }),
    restoreDefaults: () =>
      withUndo(async () => {
        await presets.restoreDefaults()
        return nothing
      }),
    async undo() {
      await presets.undo()
      await undoReferences()
      undoReferences = nothing
      await refresh()
    },
    import: importTexts,
    async importFiles() {
      const paths = await dialogs.askToOpen({
        title: t().dialog.importPresets,
        buttonLabel: t().dialog.add,
        filters: [{ name: 'JSON', extensions: ['json'] }],
        properties: ['openFile', 'multiSelections', 'dontAddToRecent'],
      })
      return paths.length === 0 ? null : importTexts(await Promise.all(paths.map(readNamed)))
    },
    async export(name) {
      const text = await presets.textFor(name)
      if (text === undefined) return null
      const path = await dialogs.askToSave({
        title: t().dialog.exportPresets,
        defaultPath: `${name === null ? 'presets' : slugOf(name)}.json`,
        filters: [{ name: 'JSON', extensions: ['json'] }],
      })
      if (path === null) return null
      await writeWhole(path, text)
      return { savedAs: path }
    },
    async showFolder() {
      await page.openPath(presets.folder)
    },
  }
}

const readNamed = async (path: string): Promise<ImportedText> => ({
  file: basename(path),
  text: await readChosenText(path),
})

/** Forgets the number of variations of a preset that no longer makes any, so that new jobs create one result for each file again. */
function forgetVariations({ settings, drafts: { store } }: Page, preset: string): void {
  const { variations } = settings.view()
  if (!Object.hasOwn(variations, preset)) return
  settings.update({
    variations: Object.fromEntries(Object.entries(variations).filter(([name]) => name !== preset)),
  })
  if (store.view().presets.includes(preset)) store.change({ variations: 1 })
}

/**
 * Updates everything that refers to a renamed preset. References that don't name a service mean the presets of the main service, which may
 * not be the built-in one.
 */
function followRename(
  { settings, drafts: { store }, outbox, history, connection }: Page,
  from: string,
  to: string,
): void {
  const isMain = connection.view().kind !== 'external'
  const isOurs = ({ service }: { readonly service?: string | undefined } = {}) =>
    service === undefined ? isMain : service === 'builtIn'
  const renamed = (names: readonly string[]) => names.map((name) => (name === from ? to : name))
  const withRenamed = <Value>(byName: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(byName).map(([name, value]) => [name === from ? to : name, value]))
  outbox.renamePreset(from, to, { service: 'builtIn', unaddressed: isMain })
  history.renamePreset({ from, to, unaddressed: isMain })
  const { defaultPresets, lastPresets, fineLosses, variations, watchFolders, folderRules } = settings.view()
  const folders = watchFolders.filter(isOurs)
  settings.update({
    watchFolders: watchFolders.map((folder) =>
      folders.includes(folder) ? { ...folder, presets: renamed(folder.presets) } : folder,
    ),
    folderRules: Object.fromEntries(
      Object.entries(folderRules).map(([id, rules]) => [
        id,
        rules && folders.some((folder) => folder.id === id) ? withRenamedPreset(rules, from, to) : rules,
      ]),
    ),
    ...(isMain && {
      defaultPresets: defaultPresets && renamed(defaultPresets),
      lastPresets: renamed(lastPresets),
      fineLosses: withRenamed(fineLosses),
      variations: withRenamed(variations),
    }),
  })
  const draft = store.view()
  if (isOurs(draft) && draft.presets.includes(from)) store.change({ presets: renamed(draft.presets) })
}
