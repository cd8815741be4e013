export { itemsOf, type DraftOptions } from './draft-changes.ts'
export type { DraftDefaults, DraftStore } from './draft-store.ts'
export { openDrafts, recordSubmission, type Drafts, type StartOptions } from './submit-draft.ts'
