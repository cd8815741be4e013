export { createDoneCheck, type DoneCheck } from './done-check.ts'
export { hashBeforeChange, hashRow, type PendingCheck } from './find-done.ts'
export { builtInDocuments, builtInPresetKeys, externalPresetKey, type PresetKeys } from './preset-keys.ts'
export { dateIn, isSameFile, printFile } from './print.ts'
