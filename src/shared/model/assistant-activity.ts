import type { Refusal } from './assistants.ts'
import type { RecordSummary } from './work.ts'

/** What an assistant did. */
export type AssistantActivity =
  | { readonly kind: 'job'; readonly job: RecordSummary }
  | ({ readonly kind: 'refused' } & Refusal)
