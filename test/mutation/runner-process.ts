/**
 * Runs test files in a copy of the project, in a runner that stays warm. It lives in a process of its own, because a mutant
 * may never end: then the process is killed together with everything it started.
 */
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
import type { RunAnswer, RunRequest } from './runner.ts'

const vitest = await createVitest({
  root: process.cwd(),
  watch: false,
  reporters: [{}],
  maxWorkers: 1,
  // A mutant must not meet what one before it left in memory.
  isolate: true,
  bail: 1,
  cache: false,
  // What doesn't come within these is a kill: the unmutated code has to stay within them too.
  testTimeout: 20_000,
  hookTimeout: 20_000,
  expect: { poll: { timeout: 5_000 } },
})
await vitest.standalone()

/** What was ever changed here: a fault that was taken out again has to be read anew as well. */
const touched = new Set<string>()

// Whoever asked has gone, perhaps by force; then nobody else would end what a mutant has started.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
process.on('message', (request: RunRequest) => void answer(request))
process.send?.('ready')

async function answer({ test, changed }: RunRequest): Promise<void> {
  if (changed !== undefined) touched.add(changed)
  for (const file of touched) vitest.invalidateFile(join(process.cwd(), file))
  const failure = await failureIn(test)
  const answer: RunAnswer = failure === undefined ? {} : { failure }
  process.send?.(answer)
}

/** @returns the first test that failed, or why the file could not be run */
async function failureIn(test: string): Promise<string | undefined> {
  const path = join(process.cwd(), test)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    vitest.getModuleSpecifications(path),
  )
  // The answer holds every file that was ever run here, with what came of it the last time.
  const module = testModules.find(({ moduleId }) => moduleId === path)
  if (module === undefined) throw new Error(`${test} was not run.`)
  if (unhandledErrors.length > 0) return 'an error that no test caught'
  if (module.ok()) return undefined
  const failed = module.children.allTests('failed').next().value
  return failed?.fullName ?? 'the file could not be run'
}
