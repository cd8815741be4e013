import { defineConfig } from 'vitest/config'

/** Two cores: a pool that fits them, and one file at a time where a real browser or a service is started. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/faults/full/**'],
    pool: 'forks',
    maxWorkers: 2,
    // No test is measured by these: they end a wait for what never comes, and are out of reach of a machine that is only busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: process.env['CI'] ? ['dot'] : ['default'],
  },
})
