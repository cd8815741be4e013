import type { Refusal } from './assistants.ts'
import type { PartAt } from './job.ts'

export type AssistantActivity =
  | { readonly kind: 'job'; readonly job: PartAt<'history'> }
  | ({ readonly kind: 'refused' } & Refusal)
