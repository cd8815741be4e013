/**
 * Moves settings to another computer as one JSON file with settings, presets and actions after jobs, but without keys or secrets in URLs.
 * Paths below the home folder begin with `~`.
 */
export { exportedSettings, type SettingsExport } from './export-settings.ts'
export { importSettings, type MainService } from './import-settings.ts'
export { withoutSecrets } from './moved-values.ts'
export { readSettingsImport, type SettingsImport } from './read-import.ts'
