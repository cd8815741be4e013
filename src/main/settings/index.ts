export { createSettings, type Settings, type SettingsPatch } from './settings.ts'
export { openSettingsFile } from './settings-file.ts'
export { SETTINGS_KEY, type SettingsStore } from './settings-store.ts'
