import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { electronReport } from './test/e2e/support/electron-report.ts'

const base = process.env['CI'] ? 'dot' : 'default'

/**
 * What takes longest, the longest first. In a fresh clone vitest knows no times and begins with the largest files, but some of
 * these are small, and one that is started last is waited for while nothing else is left to do.
 */
const LONGEST = [
  'renderer/window',
  'main/preview/preview',
  'media/image/fit-size',
  'e2e/preview',
  'e2e/first-run',
  'media/image/look',
  'e2e/window',
  'service/drive/faults',
  'conformance/drive',
  'e2e/main-job',
  'conformance/program',
  'e2e/forecast',
  'e2e/preview-troubles',
  'faults/kill',
  'media/video/find-look',
  'main/thumbnails/thumbnails',
  'e2e/habits/watched',
  'e2e/queue',
  'media/image/heic',
  'start/npm-start',
  'media/video/preview-film',
  'e2e/habits/around-work',
  'e2e/habits/disk',
  'e2e/habits/ways-in',
  'e2e/presets',
  'e2e/drive/drive',
  'service/drive/folders',
  'e2e/platforms',
  'faults/submission-faults',
  'main/watch/new-files',
  'e2e/habits/login',
  'main/cli/built-in',
  'main/watch/killed',
  'e2e/habits/updates',
  'main/cli/estimate',
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

/**
 * All tests in one run: those from end to end wait for browsers and services most of the time, and the others have use for the
 * processors meanwhile.
 */
export default defineConfig({
  test: {
    projects: ['vitest.tests.config.ts', 'vitest.e2e.config.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: process.env['MEDIATRAY_E2E'] === 'electron' ? [base, electronReport] : [base],
  },
})
