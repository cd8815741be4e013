export { openOutbox, type Outbox } from './outbox.ts'
export type { PresetTraits } from './output-folders.ts'
export { planDraft, type Plan, type PlanningFacts } from './plan-draft.ts'
export { titleOf, type PlannedSubmission } from './planned-submission.ts'
export type { Resolution } from './recheck.ts'
export { createSender, type Sender } from './sender.ts'
export type { SendingService } from './sending-service.ts'
export {
  postponedBecause,
  uncertain,
  WAITING,
  type Acceptance,
  type DurableState,
  type Uncertainty,
} from './submission-state.ts'
export { isFor, needsUser, type Submission } from './submission-rows.ts'
