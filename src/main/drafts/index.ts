export { itemsOf, splitByKind, withFittingPreset, type DraftOptions } from './draft-changes.ts'
export { createDraftStore, emptyDraft, type DraftDefaults, type DraftStore } from './draft-store.ts'
export { openDrafts, recordSubmission, type Drafts, type StartOptions } from './submit-draft.ts'
