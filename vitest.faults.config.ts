import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** The tests that `npm test` samples. */
const sampled = globSync('test/**/*.test.ts')
  .filter((file) => readFileSync(file, 'utf8').includes("/long-suite.ts'"))
  .map((file) => file.replaceAll('\\', '/'))
const isEndToEnd = (file: string) => file.startsWith('test/e2e/')

const test = {
  setupFiles: ['test/own-home.ts', 'test/compare-bytes.ts'],
  diff: { truncateThreshold: 500 },
  env: { MEDIATRAY_LONG_FAULTS: '1' },
  pool: 'forks' as const,
  // Only end tests that hang. Ten thousand rounds take long.
  testTimeout: 3_600_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 60_000 } },
}

/** The fault tests with far more rounds, and tests that `npm test` samples, one file at a time. */
export default defineConfig({
  test: {
    maxWorkers: 1,
    projects: [
      {
        test: {
          ...test,
          name: 'unit',
          include: [
            'test/faults/**/*.test.ts',
            // They sample in the modules that they share.
            'test/renderer/{appearance,new-job,settings,window}.test.ts',
            ...sampled.filter((file) => !isEndToEnd(file)),
          ],
        },
      },
      {
        test: {
          ...test,
          name: 'end-to-end',
          include: sampled.filter(isEndToEnd),
          globalSetup: 'test/e2e/support/global-setup.ts',
        },
      },
    ],
  },
})
