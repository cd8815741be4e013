export { itemsOf, type DraftOptions } from './draft-changes.ts'
export type { DraftDefaults, DraftStore } from './draft-store.ts'
export { recordMissing, submissionRecord } from './record-submissions.ts'
export { openDrafts, type Drafts, type StartOptions } from './submit-draft.ts'
