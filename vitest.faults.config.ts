import { defineConfig } from 'vitest/config'

const test = {
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
            'test/conformance/{corpus,drive,lies}.test.ts',
            'test/fidelity/**/*.test.ts',
            'test/docs/launchers.test.ts',
            'test/main/{cli,desktop/clipboard,preview,thumbnails,vault,watch}/**/*.test.ts',
            'test/media/{image,video}/*.test.ts',
            'test/renderer/{appearance,new-job,settings,window}.test.ts',
            'test/service/drive/{faults,folders}.test.ts',
            'test/start/npm-start.test.ts',
            'test/service/processing/processing.test.ts',
          ],
          setupFiles: 'test/compare-bytes.ts',
        },
      },
      {
        test: {
          ...test,
          name: 'end-to-end',
          include: ['test/e2e/**/*.test.ts'],
          setupFiles: 'test/compare-bytes.ts',
          globalSetup: 'test/e2e/support/global-setup.ts',
        },
      },
    ],
  },
})
