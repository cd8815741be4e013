/**
 * `npm test`: everything that has to hold, in the order in which it fails fastest. A step that passes is one line; a step that
 * fails shows what it said and ends the run.
 *
 *   --only STEP  only this step, such as `end-to-end`; may be given again
 *   FILTER …     only spec files with one of these in their path
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureSystemPackages } from './system-packages.ts'

const RESULTS = join('test-results', 'counts')

type Step = { readonly name: string; readonly run: readonly string[]; readonly loud?: true }

const { values: chosen, positionals: filters } = parseArgs({
  options: { only: { type: 'string', multiple: true } },
  allowPositionals: true,
})

const STEPS: readonly Step[] = [
  { name: 'types', run: ['npm', 'run', '--silent', 'types'] },
  { name: 'lint', run: ['npm', 'run', '--silent', 'lint'] },
  { name: 'format', run: ['npm', 'run', '--silent', 'format:check'] },
  { name: 'layers', run: ['npm', 'run', '--silent', 'layers'] },
  { name: 'dead code', run: ['npm', 'run', '--silent', 'dead-code'] },
  { name: 'build', run: ['npm', 'run', '--silent', 'build'] },
  { name: 'packages', run: ['npm', 'run', '--silent', 'package:check'] },
  { name: 'tests', run: ['vitest', 'run', ...counted('tests'), ...filtered()], loud: true },
  {
    name: 'end-to-end',
    run: ['vitest', 'run', '--config', 'vitest.e2e.config.ts', ...counted('end-to-end'), ...filtered()],
    loud: true,
  },
]

/** Beside what it shows, the runner writes down its counts. */
function counted(name: string): readonly string[] {
  const shown = process.env['CI'] === undefined ? 'default' : 'dot'
  return [`--reporter=${shown}`, '--reporter=json', `--outputFile.json=${join(RESULTS, `${name}.json`)}`]
}

/** A filter that fits the specs of one step fits none of the other's. */
function filtered(): readonly string[] {
  return filters.length === 0 ? [] : ['--passWithNoTests', ...filters]
}

/** Of both runs, so far as they came. */
function printCounts(): void {
  const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
  const files = existsSync(RESULTS) ? readdirSync(RESULTS).filter((file) => file.endsWith('.json')) : []
  for (const file of files) {
    const run: unknown = JSON.parse(readFileSync(join(RESULTS, file), 'utf8'))
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
      counts[name] += Number(Object(run)[name] ?? 0)
    }
  }
  const { numPassedTests, numFailedTests, numPendingTests } = counts
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`

/** @returns whether it passed */
function pass(step: Step): boolean {
  const started = Date.now()
  const [command = '', ...args] = step.run
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, MEDIATRAY_BUILT: '1' },
    stdio: step.loud ? 'inherit' : 'pipe',
  })
  const passed = result.status === 0
  console.log(`${passed ? '✓' : '✗'} ${step.name} (${seconds(started)})`)
  if (!passed && !step.loud) console.log(`${result.stdout}${result.stderr}`)
  return passed
}

try {
  ensureSystemPackages()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
const steps = STEPS.filter(({ name }) => chosen.only?.includes(name) ?? true)
const unknown = chosen.only?.filter((wanted) => !steps.some(({ name }) => name === wanted)) ?? []
if (unknown.length > 0) {
  console.error(
    `There is no step ${unknown.join(', ')}; there are ${STEPS.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}
rmSync(RESULTS, { recursive: true, force: true })
process.exitCode = steps.every(pass) ? 0 : 1
printCounts()
