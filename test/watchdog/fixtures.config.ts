import { defineConfig } from 'vitest/config'

/** Tests that never end, for the test of the watchdog. */
export default defineConfig({
  test: {
    include: ['test/watchdog/*.fixture.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 0,
    setupFiles: 'test/watchdog/note-running.ts',
    reporters: ['default', './test/watchdog/watchdog.ts'],
  },
})
