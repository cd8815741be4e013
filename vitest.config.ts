import { defineConfig } from 'vitest/config'

/** For two cores: half of the time is spent waiting for processes, timers and disks, and others fill that. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/faults/full/**'],
    pool: 'forks',
    maxWorkers: 4,
    // No test is measured by these: they end a wait for what never comes, and are out of reach of a machine that is only busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: process.env['CI'] ? ['dot'] : ['default'],
  },
})
