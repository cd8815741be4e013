import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files, slowest first, except that those that compute alternate with those that wait. Without cached times, as in
 * a fresh clone, vitest starts with the largest files. Some of these are small, and would run alone at the end.
 */
const LONGEST = [
  'main/cli/watch',
  'main/cli/streams',
  'renderer/window',
  'main/vault/vault',
  'main/cli/replace',
  'renderer/new-job',
  'service/processing/processing',
  'main/cli/mcp/refusals',
  'renderer/settings',
  'faults/orderly-stops',
  'main/cli/mcp/jobs',
  'fidelity/fidelity',
  'main/ledger/not-twice',
  'faults/interrupted-work',
  'main/preview/preview',
  'faults/stops-at-any-moment',
  'service/drive/faults',
  'media/image/heic',
  'main/vault/moved-volumes',
  'main/core/watched-rules',
  'media/image/visual-quality',
  'conformance/drive',
  'main/cli/elsewhere',
  'main/thumbnails/thumbnails',
  'main/cli/groups',
  'start/npm-start',
  'media/video/process-video',
  'main/core/replace-originals',
  'main/cli/built-in',
  'faults/hostile-files',
  'main/watch/new-files',
  'main/desktop/clipboard/clipboard-jobs',
  'renderer/appearance',
  'main/cli/many-files',
  'main/cli/mcp/mcp',
  'media/video/preview-video',
  'main/cli/not-twice',
  'conformance/program',
  'media/image/corpus',
  'conformance/lies',
  'faults/submission-faults',
  'faults/vault/killed-steps',
  'main/cli/mcp/with-the-app',
  'main/cli/commands',
].map((name) => `/test/${name}.test.ts`)

const rankOf = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return found === -1 ? LONGEST.length : found
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await BaseSequencer.prototype.sort.call(this, files)
    return usual.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

/** Tuned for two cores: tests wait for processes, timers and disks half of the time, so five workers keep both busy. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    pool: 'forks',
    maxWorkers: 5,
    // Workers run many files each. A new worker per file would spend a sixth of the time loading the same modules again.
    isolate: false,
    setupFiles: ['test/leave-no-trace.ts', 'test/compare-bytes.ts', 'test/watchdog/note-running.ts'],
    // Computing the difference of a long text may take minutes.
    diff: { truncateThreshold: 500 },
    sequence: { sequencer: LongestFirst },
    // Only end tests that hang. They are long enough for a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: [process.env['CI'] ? 'dot' : 'default', './test/watchdog/watchdog.ts'],
  },
})
