import { modules } from './modules.ts'

/** One module at a time: the command runner has a single command, and only a module's own tests are worth the time. */
const { name, source, tests } = modules.find((one) => one.name === process.env.MUTATED_MODULE)

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: process.env.MUTATED_FILES?.split(',') ?? [`${source}/**/*.ts`],
  // Stryker's runner for vitest doesn't activate any mutant under vitest 5, so each mutant gets a process.
  testRunner: 'command',
  commandRunner: {
    command: `node node_modules/vitest/vitest.mjs run --bail 1 --reporter dot ${tests.join(' ')}`,
  },
  concurrency: 2,
  // TypeScript 7 has no JavaScript API, which Stryker would use to rewrite tsconfig.json.
  tsconfigFile: 'none',
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: `test-results/mutation/${name}.json` },
  tempDirName: 'test-results/mutation/sandboxes',
  ignorePatterns: ['/test-results', '/dist', '/build'],
  thresholds: { high: 95, low: 90, break: 85 },
}
