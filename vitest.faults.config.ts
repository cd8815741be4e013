import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import usual, { BY_NODE } from './vitest.config.ts'

/** The files that only the long suite runs, and those of which `npm test` runs a part. */
const files = globSync('test/**/*.test.ts')
  .filter((file) => file.endsWith('.long.test.ts') || readFileSync(file, 'utf8').includes("/long-suite.ts'"))
  .map((file) => file.replaceAll('\\', '/'))
const isFault = (file: string) => file.startsWith('test/faults/')
const isWindow = (file: string) => file.startsWith('test/renderer/')
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

/** The fault tests with far more rounds, and rare cases of all other tests, one file at a time. */
export default defineConfig({
  test: {
    maxWorkers: 1,
    projects: [
      { test: { ...test, ...BY_NODE, name: 'faults', include: ['test/faults/**/*.test.ts'] } },
      {
        test: {
          ...test,
          ...BY_NODE,
          name: 'unit',
          env: { ...usual.test?.env, ...test.env },
          include: files.filter((file) => !isFault(file) && !isWindow(file) && !isEndToEnd(file)),
        },
      },
      {
        test: {
          ...test,
          name: 'window',
          // They sample in modules that they import, so the search above doesn't find them.
          include: ['test/renderer/{jobs-and-settings,window}.test.ts', ...files.filter(isWindow)],
        },
      },
      {
        test: {
          ...test,
          ...BY_NODE,
          name: 'end-to-end',
          include: files.filter(isEndToEnd),
          globalSetup: 'test/e2e/support/global-setup.ts',
        },
      },
    ],
  },
})
