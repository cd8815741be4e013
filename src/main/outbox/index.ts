export {
  openOutbox,
  type Addressee,
  type EnqueueOptions,
  type Outbox,
  type OutboxOptions,
  type StoredSubmission,
} from './open-outbox.ts'
export { planDraft, type Plan, type PlanningFacts } from './plan-draft.ts'
export { draftOf, titleOf, type PlannedSubmission } from './planned-submission.ts'
export { reconcile, type Finding } from './reconcile.ts'
export { createSender, type Resolution, type Sender, type SenderDeps, type SendingService } from './sender.ts'
export { isSendingElsewhere } from './sending-claim.ts'
export type { Acceptance } from './submission-state.ts'
