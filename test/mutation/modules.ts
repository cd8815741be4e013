type MutatedModule = {
  readonly name: string
  readonly source: string
  /** Test files and folders. */
  readonly tests: readonly string[]
}

const main = (name: string, ...more: readonly string[]): MutatedModule => ({
  name,
  source: `src/main/${name}`,
  tests: [`test/main/${name}`, ...more],
})
const service = (name: string, ...more: readonly string[]): MutatedModule => ({
  name: `service/${name}`,
  source: `src/service/${name}`,
  tests: [`test/service/${name}`, ...more],
})

/** The sources to mutate, and the tests that should notice. */
export const modules: readonly MutatedModule[] = [
  main('outbox', 'test/faults/submission-faults.test.ts'),
  main('jobs'),
  main('history'),
  main('downloads'),
  main('watch'),
  main('rules', 'test/main/watch/dry-runs.test.ts'),
  main('connection'),
  main('intake'),
  main('service-api'),
  main('diagnostics'),
  service('queue'),
  service('http'),
  service('presets'),
  service('drive'),
]
