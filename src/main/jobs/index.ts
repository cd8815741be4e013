export type { Followed, JobEvent, JobPhase } from './tracked-job.ts'
export type { ProgressScale } from './progress-scale.ts'
export {
  emptyState,
  follow,
  mergeReading,
  missingFrom,
  type Reading,
  type TrackerState,
} from './merge-reading.ts'
export { readServiceTime } from './service-time.ts'
export { createTracker, type Tracker, type TrackerDeps, type TrackerUpdate } from './tracker.ts'
