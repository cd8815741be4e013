/** Events about moving settings. */
import { t } from './language.ts'
import { out, plainJson } from './words.ts'

export const settingsEvents = {
  /** The exported file. */
  settings: ({ text }: { readonly text: string }) => out(...text.trimEnd().split('\n')),
  settingChange: ({
    name,
    now,
    next,
  }: {
    readonly name: string
    readonly now: unknown
    readonly next: unknown
  }) => out(t().settingsReport.change({ name, now: plainJson(now), next: plainJson(next) })),
  presetChange: ({ name, isNew }: { readonly name: string; readonly isNew: boolean }) =>
    out(t().settingsReport[isNew ? 'newPreset' : 'changedPreset']({ name })),
  /** `unsaved`: names of presets that are invalid, and weren't imported. */
  settingsImported: ({
    settings,
    presets,
    unsaved,
  }: {
    readonly settings: number
    readonly presets: number
    readonly unsaved: readonly string[]
  }) => {
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
