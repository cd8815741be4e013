import { defineConfig } from 'vitest/config'
import { PACE } from './test/pace.ts'

/** The built app from end to end; each single wait ends sooner than a test has to (`WITHIN`). */
export default defineConfig({
  test: {
    ...PACE,
    name: 'end-to-end',
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: 'test/e2e/support/global-setup.ts',
  },
})
