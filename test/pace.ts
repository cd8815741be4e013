/** How tests are run, whatever they test: all of them share the machine. */
export const PACE = {
  pool: 'forks',
  /** For two cores: half of the time is spent waiting for processes, timers and disks, and others fill that. */
  maxWorkers: 5,
  // No test is measured by these: they end a wait for what never comes, and are out of reach of a machine that is only busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
} as const
