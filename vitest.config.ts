import { defineConfig } from 'vitest/config'
import { longestFirst } from './test/longest-first.ts'

const LONGEST = [
  'main/cli/watch',
  'renderer/settings',
  'renderer/new-job',
  'service/processing/processing',
  'renderer/window',
  'renderer/appearance',
  'main/vault/vault',
  'faults/orderly-stops',
  'main/ledger/not-twice',
  'main/watch/new-files',
  'main/cli/streams',
  'main/cli/many-files',
  'main/cli/replace',
  'faults/hostile-files',
  'main/vault/moved-volumes',
  'conformance/program',
  'main/core/replace-originals',
  'main/cli/mcp/mcp',
  'main/core/watched-rules',
  'main/cli/not-twice',
  'main/preview/preview',
  'media/video/process-video',
  'main/core/hold-jobs',
  'media/image/corpus',
  'service/drive/folders',
  'conformance/drive',
  'media/image/fit-size',
  'fidelity/fidelity',
  'media/image/heic',
  'main/cli/built-in',
  'media/image/animations',
  'media/video/times',
  'main/desktop/clipboard/clipboard-jobs',
  'main/watch/replaced-originals',
  'main/vault/damaged-journal',
  'media/inventory/hold-photo',
  'main/cli/parts',
  'conformance/hostile-checked-service',
  'main/cli/completion',
  'main/cli/waits',
  'faults/interrupted-work',
  'conformance/lies',
  'faults/stops-at-any-moment',
]

/** Tuned for two cores: tests wait for processes, timers and disks half of the time, so five workers keep both busy. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The long suite runs these files.
    exclude: ['test/e2e/**', 'test/faults/{soak,watched-results}.test.ts'],
    // Whole processes would mostly wait for files to settle, for polls and for retries.
    env: { MEDIATRAY_PACE: '3' },
    pool: 'forks',
    maxWorkers: 5,
    // Workers run many files each. A new worker per file would spend a sixth of the time loading the same modules again.
    isolate: false,
    setupFiles: [
      'test/leave-no-trace.ts',
      'test/own-home.ts',
      'test/compare-bytes.ts',
      'test/watchdog/note-running.ts',
    ],
    // Computing the difference of a long text may take minutes.
    diff: { truncateThreshold: 500 },
    sequence: { sequencer: longestFirst(LONGEST) },
    // Only end tests that hang. They are long enough for a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: [process.env['CI'] ? 'dot' : 'default', './test/watchdog/watchdog.ts'],
  },
})
