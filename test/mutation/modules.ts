/**
 * What is mutated, and which tests may kill it. A mutant meets those of its module's tests that reach its file by imports, or by
 * naming a program that they start; `tests` come first, the quick ones before the slow ones, and `beyond` only for what
 * survived them.
 */
export type MutatedModule = {
  readonly source: string
  readonly tests: readonly string[]
  readonly beyond: readonly string[]
}

const main = (name: string, ...beyond: readonly string[]): MutatedModule => ({
  source: `src/main/${name}`,
  tests: [`test/main/${name}`],
  beyond,
})

const service = (name: string, ...beyond: readonly string[]): MutatedModule => ({
  source: `src/service/${name}`,
  tests: [`test/service/${name}`],
  beyond,
})

export const MODULES: readonly MutatedModule[] = [
  {
    source: 'src/main/outbox',
    // What the sender promises is said by the faults that it has to bear.
    tests: ['test/main/outbox', 'test/faults/submission-faults.test.ts'],
    beyond: ['test/main/core'],
  },
  main('jobs', 'test/main/core'),
  main('history', 'test/main/cli/memory.test.ts', 'test/main/core'),
  main('downloads', 'test/main/core'),
  main('watch'),
  main('connection', 'test/main/core'),
  main('intake', 'test/main/core'),
  main('service-api', 'test/faults/wire-faults.test.ts'),
  main('diagnostics', 'test/main/cli/diagnostics.test.ts'),
  service('queue', 'test/service/http', 'test/conformance'),
  service('http', 'test/conformance'),
  service('presets', 'test/service/http'),
  service('drive', 'test/conformance/drive.test.ts'),
]

/** Of the mutants that are not equivalent. */
export const LEAST_SCORE = 0.85

/** About an hour on two quiet cores. */
export const DEFAULT_SAMPLE = 400
