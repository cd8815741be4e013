import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files, slowest first, except that those that compute alternate with those that wait. Without cached times, as in
 * a fresh clone, vitest starts with the largest files. Some of these are small, and would run alone at the end.
 */
const LONGEST = [
  'main/vault/vault',
  'renderer/new-job',
  'service/drive/faults',
  'renderer/settings',
  'faults/watched-results',
  'renderer/window',
  'main/watch/replaced-originals',
  'faults/interrupted-work',
  'main/cli/mcp/refusals',
  'renderer/appearance',
  'main/cli/mcp/jobs',
  'main/preview/preview',
  'main/cli/replace',
  'faults/killed-groups',
  'main/cli/elsewhere',
  'media/image/visual-quality',
  'main/cli/watch',
  'conformance/program',
  'conformance/lies',
  'main/watch/killed',
  'faults/vault/killed-steps',
  'service/processing/processing',
  'faults/submission-faults',
  'faults/ledger',
  'main/cli/mcp/mcp',
  'conformance/drive',
  'main/cli/waits',
  'start/npm-start',
  'main/core/hold-jobs',
  'main/cli/built-in',
  'main/cli/streams',
  'media/video/preview-video',
  'faults/staging',
  'faults/kill',
  'main/cli/many-files',
  'media/image/fit-size',
  'faults/faulty-outputs',
  'media/video/find-visual-quality',
  'main/cli/commands',
  'faults/model',
  'main/watch/new-files',
  'media/image/heic',
  'faults/concurrent-commands',
  'faults/vault/vault-model',
  'media/video/animated-gif',
  'faults/hostile-files',
  'main/vault/damaged-journal',
  'main/thumbnails/thumbnails',
  'main/cli/estimate',
  'faults/many-submissions',
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

/** Tuned for two cores: tests wait for processes, timers and disks two thirds of the time, so six workers keep both busy. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    pool: 'forks',
    maxWorkers: 6,
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
