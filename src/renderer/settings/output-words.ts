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
  if (output === null) return t.newJob.automaticFolder
  if (output.kind === 'folder') return shortPath(output.path, app.facts.homeFolder)
  if (output.kind === 'drive') return t.outputs.driveTarget
  return output.kind === 'replace' ? t.outputs.replaceOriginals : t.outputs.nextToOriginals
}
