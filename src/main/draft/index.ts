export { itemsOf, splitByKind, withFittingPreset, type DraftOptions } from './draft-changes.ts'
export { createDraftDesk, type DraftDefaults, type DraftDesk } from './draft-desk.ts'
