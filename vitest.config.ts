import { defineConfig } from 'vitest/config'

/** Two cores: a pool that fits them, and one file at a time where a real browser or a service is started. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/faults/full/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two busy cores: what is waited for comes, but not always within a second.
    expect: { poll: { timeout: 20_000 } },
    reporters: process.env['CI'] ? ['dot'] : ['default'],
  },
})
