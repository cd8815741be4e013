/**
 * Moves settings to another computer as one JSON file: settings, presets and what follows jobs, but no keys and no secrets in addresses.
 * Paths below the home folder begin with `~`.
 */
export { exportedSettings, type SettingsExport } from './export-settings.ts'
export { importSettings, type MainService } from './import-settings.ts'
export { withoutSecrets } from './moved-values.ts'
export { readSettingsImport, type SettingsImport } from './read-import.ts'
