export { createSettings, type Settings } from './settings.ts'
export { openSettingsFile } from './settings-file.ts'
export { SETTINGS_KEY, type SettingsStore } from './settings-store.ts'
