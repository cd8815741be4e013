export { openSettingsFile } from './settings-file.ts'
export { createSettings, SETTINGS_KEY, type Settings, type SettingsStore } from './settings.ts'
