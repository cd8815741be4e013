export { createDoneCheck, type DoneCheck } from './done-check.ts'
export { hashRow } from './find-done.ts'
export { builtInPresetKeys, externalPresetKey, type PresetKeys } from './preset-keys.ts'
export { printFile } from './print.ts'
