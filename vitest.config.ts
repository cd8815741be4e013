import { defineConfig } from 'vitest/config'
import { longestFirst } from './test/longest-first.ts'

const LONGEST = [
  'renderer/window',
  'renderer/jobs-and-settings',
  'main/cli/watch',
  'service/processing/processing',
  'host/host',
  'main/cli/streams',
  'main/vault/vault',
  'main/preview/preview',
  'main/desktop/clipboard/clipboard-jobs',
  'faults/hostile-files',
  'main/cli/replace',
  'faults/orderly-stops',
  'main/vault/moved-volumes',
  'media/video/process-video',
  'main/cli/built-in',
  'main/core/watched-rules',
  'conformance/drive',
  'main/core/queue-order',
  'host/kills',
  'media/image/corpus',
  'main/watch/replaced-originals',
  'main/cli/commands',
  'conformance/hostile-checked-service',
  'media/video/kept-metadata',
  'media/video/engine',
  'media/video/times',
  'main/cli/waits',
  'media/image/animations',
  'main/ledger/not-twice',
  'main/cli/parts',
  'main/cli/many-files',
  'main/watch/new-files',
  'fidelity/only-metadata',
  'media/video/preview-video',
  'main/thumbnails/thumbnails',
  'media/image/tiff',
  'main/cli/not-twice',
  'service/drive/faults',
  'conformance/program',
  'main/cli/one-off',
  'main/desktop/serve-commands-in-app',
  'main/vault/damaged-journal',
  'media/video/lossless',
  'conformance/lies',
  'main/drive/drive',
  'media/video/damaged-tracks',
  'faults/vault/killed-steps',
  'media/image/visual-quality',
]

/** Tuned for two cores: tests wait for processes, timers and disks half of the time, so five workers keep both busy. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The long suite runs `.long.test.ts`.
    exclude: ['test/e2e/**', 'test/**/*.long.test.ts'],
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
