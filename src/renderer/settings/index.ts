export { SettingsNav } from './settings-nav.tsx'
export { SettingsStage } from './settings-stage.tsx'
