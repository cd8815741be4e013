export type { NewlyTracked, JobEvent, JobPhase } from './tracked-job.ts'
export type { Poll, TrackerState } from './merge-poll.ts'
export { createTracker, type Tracker, type TrackerDeps, type TrackerUpdate } from './tracker.ts'
