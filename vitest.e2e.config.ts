import { defineConfig } from 'vitest/config'
import { electronReport } from './test/e2e/support/electron-report.ts'

const base = process.env['CI'] ? 'dot' : 'default'

/** The built app from end to end. Each spec starts an app, a browser and a service, and waits for them most of the time: three fit two cores. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: 'test/e2e/support/global-setup.ts',
    pool: 'forks',
    maxWorkers: 3,
    // Out of reach of a machine that is only busy; each single wait ends sooner (`WITHIN`).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: process.env['MEDIATRAY_E2E'] === 'electron' ? [base, electronReport] : [base],
  },
})
