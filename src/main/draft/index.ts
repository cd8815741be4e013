export { itemsOf, splitByKind, withFittingPreset, type DraftOptions } from './draft-changes.ts'
export { createDraftDesk, emptyDraft, type DraftDefaults, type DraftDesk } from './draft-desk.ts'
