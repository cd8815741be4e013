import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files, slowest first. Without cached times, as in a fresh clone, vitest starts with the largest files. Some of
 * these are small, and would run alone at the end.
 */
const LONGEST = [
  'renderer/new-job',
  'renderer/window',
  'renderer/settings',
  'renderer/appearance',
  'faults/interrupted-work',
  'main/preview/preview',
  'media/image/visual-quality',
  'media/image/fit-size',
  'conformance/program',
  'service/drive/faults',
  'conformance/drive',
  'main/vault/vault',
  'faults/kill',
  'main/thumbnails/thumbnails',
  'main/cli/built-in',
  'media/video/find-visual-quality',
  'media/video/preview-video',
  'media/image/heic',
  'main/cli/estimate',
  'start/npm-start',
  'faults/vault/vault-model',
  'faults/vault/killed-steps',
  'faults/model',
  'faults/many-submissions',
  'faults/watched-results',
  'faults/hostile-files',
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

/** Tuned for two cores: tests wait for processes, timers and disks half of the time, so four workers keep both busy. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    pool: 'forks',
    maxWorkers: 4,
    // Workers run many files each. A new worker per file would spend a sixth of the time loading the same modules again.
    isolate: false,
    setupFiles: 'test/leave-no-trace.ts',
    sequence: { sequencer: LongestFirst },
    // Only end tests that hang. They are long enough for a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: process.env['CI'] ? ['dot'] : ['default'],
  },
})
