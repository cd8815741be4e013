export { itemsOf, splitByKind, withFittingPreset, type DraftOptions } from './draft-changes.ts'
export { createDraftDesk, emptyDraft, type DraftDefaults, type DraftDesk } from './draft-store.ts'
export { openDrafts, recordSubmission, type Drafts, type StartOptions } from './submit-draft.ts'
