import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** All faults, the long runs included. */
export default defineConfig({
  root: join(import.meta.dirname, '../../..'),
  test: {
    include: ['test/faults/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
