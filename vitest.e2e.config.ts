import { defineConfig } from 'vitest/config'
import { longestFirst } from './test/longest-first.ts'
import { BY_NODE } from './vitest.config.ts'
import { electronReport } from './test/e2e/support/electron-report.ts'

const onElectron = process.env['MEDIATRAY_E2E'] === 'electron'
const base = process.env['CI'] ? 'dot' : 'default'

const LONGEST = [
  'e2e/first-run',
  'e2e/preview',
  'e2e/main-job',
  'e2e/queue',
  'e2e/takeover',
  'e2e/habits/during-jobs',
  'e2e/presets',
  'e2e/drive/drive',
  'e2e/service-states',
  'e2e/habits/watched',
  'e2e/habits/saved-files',
  'e2e/habits/updates',
  'e2e/several-services',
  'e2e/after-job',
  'e2e/estimate',
  'e2e/window',
]

/** End-to-end specs of the built app. Each starts an app, a browser and a service and often waits for them, so three run on two cores. With more, waits fail on a slow computer. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    // Runs everything on real Electron, because any start may differ from the stand-in.
    exclude: onElectron ? [] : ['test/**/*.long.test.ts'],
    setupFiles: ['test/compare-bytes.ts', 'test/watchdog/note-running.ts'],
    diff: { truncateThreshold: 500 },
    globalSetup: 'test/e2e/support/global-setup.ts',
    sequence: { sequencer: longestFirst(LONGEST) },
    pool: 'forks',
    ...BY_NODE,
    // Only one window of a real desktop has the focus.
    maxWorkers: onElectron ? 1 : 3,
    // Loading the modules again for each file would take a twentieth of the time.
    isolate: false,
    // Long enough for a busy machine. Each single wait ends sooner (`WITHIN`).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: [base, './test/watchdog/watchdog.ts', ...(onElectron ? [electronReport] : [])],
  },
})
