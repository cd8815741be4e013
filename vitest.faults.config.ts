import { defineConfig } from 'vitest/config'

/** The fault tests with far more rounds, and tests that `npm test` samples, one file at a time. */
export default defineConfig({
  test: {
    include: [
      'test/faults/**/*.test.ts',
      'test/conformance/lies.test.ts',
      'test/fidelity/**/*.test.ts',
      'test/docs/launchers.test.ts',
      'test/main/{cli,preview,thumbnails,vault,watch}/**/*.test.ts',
      'test/media/{image,video}/*.test.ts',
      'test/renderer/{appearance,new-job,settings,window}.test.ts',
      'test/service/drive/faults.test.ts',
    ],
    setupFiles: 'test/compare-bytes.ts',
    diff: { truncateThreshold: 500 },
    env: { MEDIATRAY_LONG_FAULTS: '1' },
    pool: 'forks',
    maxWorkers: 1,
    // Only end tests that hang. Ten thousand rounds take long.
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
