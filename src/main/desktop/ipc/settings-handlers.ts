/** Handles the page's calls about settings, and moves them between computers. */
import { hostname } from 'node:os'
import { isFolder } from '../../../node/exists.ts'
import { writeWhole } from '../../../node/write-file.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Settings, SettingsPatch } from '../../../shared/model/settings.ts'
import { presetsToOffer } from '../../presets/presets.ts'
import { parseBaseUrl } from '../../service-api/index.ts'
import { exportedSettings, readSettingsImport, type SettingsImport } from '../../settings/settings.ts'
import { readChosenText } from './chosen-text.ts'
import type { Page } from './page.ts'

type SettingsPage = Pick<
  Page,
  'settings' | 'presets' | 'connection' | 'lines' | 'folders' | 'dialogs' | 'app' | 'mayReach' | 't'
>

const nothing = (): Promise<void> => Promise.resolve()

const JSON_FILES = [{ name: 'JSON', extensions: ['json'] }]

export function settingsHandlers(page: SettingsPage): Handlers['settings'] {
  const { settings, presets, folders, dialogs, t } = page
  const home = (): string => page.app.getPath('home')
  let chosen: SettingsImport | undefined
  let undo = nothing

  return {
    update(patch) {
      folders.requireOutput(patch.defaultOutput)
      return settings.update(patch)
    },
    async export() {
      const path = await dialogs.askToSave({
        title: t().dialog.exportSettings,
        defaultPath: 'mediatray-settings.json',
        filters: JSON_FILES,
      })
      if (path === null) return null
      const from = { home: home(), computer: hostname(), at: Date.now() }
      await writeWhole(path, exportedSettings(settings.view(), await presetsToOffer(presets.folder), from))
      return { savedAs: path }
    },
    async chooseImport() {
      const [path] = await dialogs.askToOpen({
        title: t().dialog.importSettings,
        buttonLabel: t().dialog.choose,
        filters: JSON_FILES,
        properties: ['openFile', 'dontAddToRecent'],
      })
      if (path === undefined) return null
      const { file, text } = await readChosenText(path)
      const known = await presetsToOffer(presets.folder)
      chosen = await readSettingsImport(text, settings.view(), known, { home: home(), isFolder })
      if (chosen === undefined) return 'notSettings'
      const { patch: _patch, presets: documents, ...view } = chosen
      return { file, ...view, presets: documents.map(({ name, isNew }) => ({ name, isNew })) }
    },
    async import({ names, presets: withPresets }) {
      if (chosen === undefined) return []
      const next = only(chosen.patch, names)
      const documents = withPresets ? chosen.presets : []
      chosen = undefined
      const before = only(settings.view(), Object.keys(next))
      const { unsaved, undo: undoPresets } = await presets.put(documents)
      await refreshPresets(page)
      undo = async () => {
        undo = nothing
        await use(page, before, () => Promise.resolve(true))
        await undoPresets()
        await refreshPresets(page)
      }
      // Watched folders refer to presets, so the presets come first.
      await use(page, next, page.mayReach)
      return unsaved
    },
    undoImport: () => undo(),
  }
}

const only = (settings: SettingsPatch, names: readonly string[]): SettingsPatch =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)))

/** The built-in service may not be the main one. */
const refreshPresets = async ({ lines }: SettingsPage): Promise<void> =>
  lines.to('builtIn')?.connection.refreshPresets()

/** Changes settings. Services are used only if the user agrees, and the main one is switched like by hand. */
async function use(page: SettingsPage, patch: SettingsPatch, mayReach: Page['mayReach']): Promise<void> {
  const { settings, connection, lines } = page
  const { connection: kind, baseUrl, otherServices, ...rest } = patch
  settings.update(rest)
  if (otherServices !== undefined) {
    const reached: Settings['otherServices'] = []
    for (const one of otherServices)
      if (one.service === 'builtIn' || (await mayReach(one.service))) reached.push(one)
    settings.update({ otherServices: reached })
  }
  if (kind === undefined && baseUrl === undefined) return
  const wanted = { ...settings.view(), ...(kind !== undefined && { connection: kind }) }
  if (wanted.connection === 'builtIn') return lines.useBuiltIn()
  const parsed = parseBaseUrl(baseUrl ?? wanted.baseUrl)
  if (wanted.connection !== 'external' || !parsed.ok) return
  const { href } = parsed.value
  if (!(await mayReach(href))) return
  if (lines.other(href) === undefined) connection.useKnown(href)
  else await lines.makeMain(href)
}
