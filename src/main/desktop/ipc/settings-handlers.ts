/** Handles the page's calls about settings, including their export and import. */
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { readChosenText } from '../../../node/chosen-text.ts'
import { isFolder } from '../../../node/exists.ts'
import { writeWhole } from '../../../node/write-file.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { SettingsPatch } from '../../../shared/model/settings.ts'
import { exportedSettings, importSettings, readSettingsImport, type SettingsImport } from '../../move/move.ts'
import { presetsToOffer, readPresets } from '../../presets/presets.ts'
import type { Page } from './page.ts'

type SettingsPage = Pick<
  Page,
  'settings' | 'presets' | 'lines' | 'folders' | 'dialogs' | 'platform' | 'app' | 'mayReach' | 't'
>

const JSON_FILES = [{ name: 'JSON', extensions: ['json'] }]

export function settingsHandlers(page: SettingsPage): Handlers['settings'] {
  const { settings, presets, lines, folders, dialogs, platform, t } = page
  const home = (): string => page.app.getPath('home')
  let chosen: SettingsImport | undefined
  let undo: (() => Promise<void>) | undefined

  return {
    update(patch) {
      folders.requireOutput(patch.defaultOutput)
      return settings.update(patch)
    },
    async export() {
      const from = { home: home(), computer: hostname(), at: Date.now() }
      const exported = exportedSettings(settings, await readPresets(presets.folder), from)
      if ('unread' in exported) return exported
      const path = await dialogs.askToSave({
        title: t().dialog.exportSettings,
        defaultPath: 'mediatray-settings.json',
        filters: JSON_FILES,
      })
      if (path === null) return null
      await writeWhole(path, exported.text)
      return { savedAs: path, leftOut: exported.leftOut }
    },
    async chooseImport() {
      const [path] = await dialogs.askToOpen({
        title: t().dialog.importSettings,
        buttonLabel: t().dialog.choose,
        filters: JSON_FILES,
        properties: ['openFile', 'dontAddToRecent'],
      })
      if (path === undefined) return null
      const known = await presetsToOffer(presets.folder)
      const text = await readChosenText(path)
      chosen = await readSettingsImport(text, settings.view(), known, { home: home(), platform, isFolder })
      if (chosen === undefined) return 'notSettings'
      const { patch: _patch, newServices: _services, presets: documents, ...view } = chosen
      return {
        file: basename(path),
        ...view,
        presets: documents.map(({ name, isNew }) => ({ name, isNew })),
      }
    },
    async import({ names, presets: withPresets }) {
      if (chosen === undefined) return { names: [], unsaved: [], unconfirmed: [] }
      const part = {
        ...chosen,
        patch: only(chosen.patch, names),
        presets: withPresets ? chosen.presets : [],
      }
      chosen = undefined
      const target = { settings, presets, lines }
      const { undo: undoThis, ...result } = await importSettings(part, target, page.mayReach)
      let undone: Promise<void> | undefined
      undo = () =>
        (undone ??= undoThis().catch((error: unknown) => {
          undone = undefined
          throw error
        }))
      return result
    },
    undoImport: async () => undo?.(),
  }
}

const only = (settings: SettingsPatch, names: readonly string[]): SettingsPatch =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)))
