/** Events about moving settings. */
import type { SettingsImportView } from '../../../shared/model/settings-import.ts'
import { t } from './language.ts'
import { out, plainJson } from './words.ts'

type Imported = { readonly settings: number; readonly presets: number; readonly unsaved: readonly string[] }

export const settingsEvents = {
  /** The exported file. */
  settings: ({ text }: { readonly text: string }) => out(...text.trimEnd().split('\n')),
  settingChange: ({ name, now, next }: SettingsImportView['changes'][number]) =>
    out(t().settingsReport.change({ name, now: plainJson(now), next: plainJson(next) })),
  presetChange: ({ name, isNew }: SettingsImportView['presets'][number]) =>
    out(t().settingsReport[isNew ? 'newPreset' : 'changedPreset']({ name })),
  /** `unsaved`: names of presets that are invalid, and weren't imported. */
  settingsImported: ({ settings, presets, unsaved }: Imported) => {
    const imported = [
      ...(settings === 0 ? [] : [t().settingsReport.settings({ count: settings })]),
      ...(presets === unsaved.length ? [] : [t().count.presets({ count: presets - unsaved.length })]),
    ]
    return out(
      t().settingsReport.imported({ what: t().listed(imported) }),
      ...unsaved.map((name) => t().settingsReport.unsaved({ name })),
    )
  },
}
