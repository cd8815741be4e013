import { defineConfig } from 'vitest/config'
import { longestFirst } from './test/longest-first.ts'

const LONGEST = [
  'renderer/jobs-and-settings',
  'renderer/window',
  'main/preview/preview',
  'main/cli/watch',
  'main/thumbnails/thumbnails',
  'media/video/process-video',
  'service/processing/processing',
  'main/desktop/clipboard/clipboard-jobs',
  'main/cli/commands',
  'start/npm-start',
  'main/cli/one-off',
  'main/cli/built-in',
  'main/core/hold-jobs',
  'conformance/drive',
  'main/vault/vault',
  'media/video/kept-metadata',
  'main/core/watched-rules',
  'main/cli/parts',
  'main/cli/replace',
  'main/cli/mcp/jobs',
  'main/cli/waits',
  'main/cli/mcp/refusals',
  'main/cli/not-twice',
  'conformance/program',
  'fidelity/fidelity',
  'media/image/corpus',
  'main/cli/streams',
  'main/core/core',
  'media/video/preview-video',
  'host/host',
  'main/cli/memory',
  'media/video/lossless',
  'media/image/animations',
  'main/watch/new-files',
  'media/image/process-image',
  'media/image/visual-quality',
  'media/video/fit-size',
  'media/image/fit-size',
  'faults/interrupted-work',
  'main/desktop/restore-originals',
]

/** Lets Node run tests as they are, which is faster than Vite's module runner. */
export const BY_NODE = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ['--disable-warning=ExperimentalWarning'],
}

/** Tests that import components, which Vite must compile. */
const OF_WINDOW = 'test/renderer/**/*.test.ts'
/** Other suites run these files. */
const EXCLUDED = ['test/e2e/**', 'test/**/*.long.test.ts']

/** Tuned for two cores: tests wait for processes, timers and disks half of the time, so five workers keep both busy. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...EXCLUDED, OF_WINDOW],
          ...BY_NODE,
        },
      },
      {
        extends: true,
        test: { name: 'window', include: [OF_WINDOW], exclude: EXCLUDED },
      },
    ],
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
