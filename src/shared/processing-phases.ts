/**
 * The phases of a file that the built-in service reports in `progress.phase`. The app translates them. The API leaves this text to
 * the service (section 2).
 */
export const PROCESSING_PHASES = [
  'Starting',
  'Waiting for memory',
  'Waiting for disk space',
  'Fetching',
  'Reading',
  'Measuring',
  'Processing',
  'Encoding',
  'Copying',
  'Finishing',
  'Saving',
] as const

export type ProcessingPhase = (typeof PROCESSING_PHASES)[number]
