/**
 * `npm run test:load`: runs `npm test` repeatedly with a busy loop on every core, to find specs that need an idle machine.
 * Ends with the slowest specs and those that failed in any run; the exit code is 0 if none failed.
 *
 *   --times N    number of runs, 5 by default
 *   --only STEP  only this step of `npm test`; repeatable
 *   FILTER …     only spec files with one of these in their path
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { failedText, readReport, slowestText, type SpecRun, timesOf } from './spec-times.ts'

const ROOT = join(import.meta.dirname, '..')
/** The folder to which `npm test` writes its test reports. */
const REPORTS = join(ROOT, 'test-results', 'counts')
const SLOWEST = 20

const { values, positionals } = parseArgs({
  options: {
    times: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
const times = Number(values.times)
if (!Number.isInteger(times) || times < 1) {
  console.error(`--times must be a whole number of at least 1, not ${values.times}`)
  process.exit(2)
}

const loops = await startLoops(availableParallelism())
try {
  process.exitCode = runAll() ? 0 : 1
} finally {
  for (const loop of loops) loop.kill()
}

/** Starts the loops. They end with this process, regardless of why it ends. */
async function startLoops(count: number): Promise<readonly ChildProcess[]> {
  const started = Array.from({ length: count }, () => fork(join(import.meta.dirname, 'busy-loop.ts')))
  await Promise.all(started.map((loop) => once(loop, 'message')))
  return started
}

/** @returns whether all passed */
function runAll(): boolean {
  const only = values.only.flatMap((step) => ['--only', step])
  const specs: SpecRun[] = []
  const failed: number[] = []
  for (let run = 1; run <= times; run += 1) {
    rmSync(REPORTS, { recursive: true, force: true })
    console.log(`\nRun ${run} of ${times}, with ${loops.length} busy loops`)
    const { status } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'test.ts'), ...only, '--', ...positionals],
      { cwd: ROOT, stdio: 'inherit' },
    )
    if (status !== 0) failed.push(run)
    specs.push(...newestReports())
  }
  const all = timesOf(specs)
  console.log(`\n${slowestText(all, SLOWEST)}\n`)
  if (failed.length > 0) console.log(failedText(all))
  console.log(
    failed.length === 0
      ? `✓ ${all.length} specs passed in ${times} of ${times} runs`
      : `✗ ${failed.length} of ${times} runs failed: ${failed.join(', ')}`,
  )
  return failed.length === 0
}

/** Returns the reports of the last run, or none if it ended before its specs. `npm test` removes older reports first. */
function newestReports(): readonly SpecRun[] {
  if (!existsSync(REPORTS)) return []
  const names = readdirSync(REPORTS).filter((name) => name.endsWith('.json'))
  return names.flatMap((name) => readReport(readFileSync(join(REPORTS, name), 'utf8'), ROOT))
}
