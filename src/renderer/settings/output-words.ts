import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { App } from '../store/app.ts'

type Words = {
  readonly t: SettingsTranslation
  readonly app: App
  readonly settings: Pick<Settings, 'defaultOutput' | 'defaultOriginals'>
}

/** Returns where new jobs save to. */
export function outputWords({ settings, app, t }: Words): string {
  const output = settings.defaultOriginals ?? settings.defaultOutput
  switch (output?.kind) {
    case undefined:
      return t.newJob.automaticFolder
    case 'folder':
      return shortPath(output.path, app.facts.homeFolder)
    case 'drive':
      return t.outputs.driveTarget
    case 'beside':
      return t.outputs.nextToOriginals
    case 'replace':
      return t.outputs.replaceOriginals
  }
}
