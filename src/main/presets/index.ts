export { createPresetFiles, type PresetFiles, type PresetFilesOptions } from './preset-files.ts'
