/** The presets of the built-in service: what the page may do with them, and who follows when one is renamed. */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Shell } from 'electron'
import { writeWhole } from '../../../node/write-file.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { readPreset } from '../../../shared/preset/read-preset.ts'
import { slugOf } from '../../../shared/preset/slug.ts'
import type { Connection } from '../../connection/index.ts'
import type { Drafts } from '../../drafts/index.ts'
import type { History } from '../../history/index.ts'
import type { Outbox } from '../../outbox/index.ts'
import type { PresetFiles } from '../../presets/presets.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Dialogs } from '../dialogs.ts'

export type PresetHandlerDeps = {
  readonly presets: PresetFiles
  readonly settings: Settings
  readonly drafts: Pick<Drafts, 'store'>
  readonly outbox: Pick<Outbox, 'renamePreset'>
  readonly history: Pick<History, 'renamePreset'>
  readonly connection: Pick<Connection, 'refreshPresets' | 'view'>
  readonly dialogs: Pick<Dialogs, 'askToOpen' | 'askToSave'>
  readonly shell: Pick<Shell, 'openPath'>
  readonly t: () => Translation
}

/** Bytes; far more than all presets of a person together. */
const LARGEST_FILE = 1_000_000

export function presetHandlers(deps: PresetHandlerDeps): Handlers['presets'] {
  const { presets, dialogs, t } = deps

  /** The service reads its folder anew when it is asked for the names. */
  async function thenRefresh<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change
    await deps.connection.refreshPresets()
    return result
  }

  return {
    list: () => presets.list(),
    async save(change) {
      const saved = await presets.save(change)
      if (!saved.ok) return saved
      const name = readPreset(change.text).preset?.name
      if (change.replaces !== null && name !== undefined && name !== change.replaces)
        followRename(deps, change.replaces, name)
      await deps.connection.refreshPresets()
      return saved
    },
    keepUnsaved: (change) => presets.keepUnsaved(change),
    remove: (name) => thenRefresh(presets.remove(name)),
    reset: (name) => thenRefresh(presets.reset(name)),
    restoreDefaults: () => thenRefresh(presets.restoreDefaults()),
    undo: () => thenRefresh(presets.undo()),
    import: (files) => thenRefresh(presets.import(files)),
    async importFiles() {
      const paths = await dialogs.askToOpen({
        title: t().dialog.importPresets,
        buttonLabel: t().dialog.add,
        filters: [{ name: 'JSON', extensions: ['json'] }],
        properties: ['openFile', 'multiSelections', 'dontAddToRecent'],
      })
      return paths.length === 0 ? null : thenRefresh(presets.import(await Promise.all(paths.map(readText))))
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
      await deps.shell.openPath(presets.folder)
    },
  }
}

/** What is too large for presets is not read, and said to be no preset. */
async function readText(path: string): Promise<{ readonly file: string; readonly text: string }> {
  const { size } = await stat(path)
  return { file: basename(path), text: size > LARGEST_FILE ? '' : await readFile(path, 'utf8') }
}

/** Whoever names the preset goes on meaning the same one. While another service is in use, its own is meant. */
function followRename(
  { settings, drafts: { store }, outbox, history, connection }: PresetHandlerDeps,
  from: string,
  to: string,
): void {
  const isOurs = connection.view().kind !== 'external'
  outbox.renamePreset(from, to, { service: 'builtIn', unaddressed: isOurs })
  history.renamePreset({ from, to, unaddressed: isOurs })
  if (!isOurs) return
  const { defaultPreset, watchFolders } = settings.view()
  settings.update({
    defaultPreset: defaultPreset === from ? to : defaultPreset,
    watchFolders: watchFolders.map((folder) => (folder.preset === from ? { ...folder, preset: to } : folder)),
  })
  if (store.view().preset === from) store.change({ preset: to })
}
