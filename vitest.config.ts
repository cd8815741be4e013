import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * What takes longest, the longest first. In a fresh clone vitest knows no times and begins with the largest files, but some of
 * these are small, and one that is started last is waited for while nothing else is left to do.
 */
const LONGEST = [
  'renderer/window',
  'main/preview/preview',
  'media/image/look',
  'media/image/fit-size',
  'conformance/program',
  'service/drive/faults',
  'conformance/drive',
  'faults/kill',
  'main/thumbnails/thumbnails',
  'main/cli/built-in',
  'media/video/find-look',
  'media/video/preview-film',
  'media/image/heic',
  'main/cli/estimate',
  'start/npm-start',
  'faults/model',
  'faults/many-submissions',
].map((name) => `/test/${name}.test.ts`)

const placeOf = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return found === -1 ? LONGEST.length : found
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await BaseSequencer.prototype.sort.call(this, files)
    return usual.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

/** For two cores: half of the time is spent waiting for processes, timers and disks, and others fill that. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/faults/full/**'],
    pool: 'forks',
    maxWorkers: 4,
    // Each worker goes through many files: with a new one for each, a sixth of the time would be loading the same modules again.
    isolate: false,
    setupFiles: 'test/leave-no-trace.ts',
    sequence: { sequencer: LongestFirst },
    // No test is measured by these: they end a wait for what never comes, and are out of reach of a machine that is only busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: process.env['CI'] ? ['dot'] : ['default'],
  },
})
