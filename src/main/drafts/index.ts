export { itemsOf } from './draft-changes.ts'
export { recordMissing } from './record-submissions.ts'
export { openDrafts, type Drafts } from './submit-draft.ts'
export type { StartOptions } from './start-at-service.ts'
