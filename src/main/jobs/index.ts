export type { NewlyTracked, JobEvent, JobPhase } from './tracked-job.ts'
export type { ProgressScale } from './progress-scale.ts'
export type { Poll, TrackerState } from './merge-poll.ts'
export {
  createTracker,
  type Tracker,
  type TrackerDeps,
  type TrackerUpdate,
  type Unanswered,
} from './tracker.ts'
