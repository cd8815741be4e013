/**
 * Runs test files in a copy of the project, in a runner that stays warm. It lives in a
 * process of its own, because a mutant may never end: then the process is killed together with everything it started.
 */
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
import type { RunAnswer, RunRequest } from './runner.ts'

const vitest = await createVitest({
  root: process.cwd(),
  watch: false,
  reporters: [{}],
  maxWorkers: 1,
  bail: 1,
  cache: false,
  // What doesn't come within these is a kill: the unmutated code has to stay within them too.
  testTimeout: 20_000,
  hookTimeout: 20_000,
  expect: { poll: { timeout: 5_000 } },
})
await vitest.standalone()

process.on('message', (request: RunRequest) => void answer(request))
process.send?.('ready')

async function answer({ test, changed }: RunRequest): Promise<void> {
  if (changed !== undefined) vitest.invalidateFile(join(process.cwd(), changed))
  const failure = await failureIn(test)
  const answer: RunAnswer = failure === undefined ? {} : { failure }
  process.send?.(answer)
}

/** @returns the first test that failed, or why the file could not be run */
async function failureIn(test: string): Promise<string | undefined> {
  const specifications = vitest.getModuleSpecifications(join(process.cwd(), test))
  if (specifications.length === 0) throw new Error(`${test} is no test file.`)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  for (const module of testModules) {
    if (module.ok()) continue
    const failed = [...module.children.allTests('failed')][0]
    return failed?.fullName ?? 'the file could not be run'
  }
  return unhandledErrors.length > 0 ? 'an error that no test caught' : undefined
}
