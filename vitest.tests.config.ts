import { defineConfig } from 'vitest/config'
import { PACE } from './test/pace.ts'

/** What needs no app: functions, modules, the service, the command line, the window in a browser. */
export default defineConfig({
  test: {
    ...PACE,
    name: 'tests',
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/faults/full/**'],
    expect: { poll: { timeout: 60_000 } },
  },
})
