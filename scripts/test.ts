/**
 * `npm test`: every check and test, with those that fail fastest first. A passing step prints one line. A failing step prints its
 * output and stops the run.
 *
 *   --only STEP  only this step, such as `end-to-end`; repeatable
 *   FILTER …     only spec files with one of these in their path
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts'
import { failedText, readReport, timesOf } from './spec-times.ts'
import { ensureSystemPackages } from './system-packages.ts'

const RESULTS = join('test-results', 'counts')

/** Ends a run that hangs, and names its tests. */
const WATCHDOG = './test/watchdog/watchdog.ts'

type Step = {
  readonly name: string
  readonly run: readonly string[]
  readonly loud?: true
  readonly env?: Readonly<Record<string, string>>
}

const { values: chosen, positionals: filters } = parseArgs({
  options: { only: { type: 'string', multiple: true } },
  allowPositionals: true,
})

const npmRun = (script: string, ...more: string[]): readonly string[] => [
  'npm',
  'run',
  '--silent',
  script,
  ...more,
]

/**
 * Disables garbage collection in the type checkers (written in Go) up to the memory that the linter needs anyway. Collecting would be
 * a fifth of their time, and they run only briefly.
 */
const KEEP_GARBAGE = { GOGC: 'off', GOMEMLIMIT: '2GiB' }

/** Two lanes of steps run in parallel, because most steps use a single core. */
const CHECKS: readonly (readonly Step[])[] = [
  [
    { name: 'format', run: npmRun('format:check') },
    { name: 'prose', run: npmRun('prose') },
    { name: 'layers', run: npmRun('layers') },
    { name: 'dead code', run: npmRun('dead-code') },
    // Each additional checker would analyze most types again, and the other lane needs the core.
    { name: 'types', run: npmRun('types', '--', '--checkers', '1'), env: KEEP_GARBAGE },
    { name: 'lint', run: npmRun('lint'), env: KEEP_GARBAGE },
  ],
  [
    { name: 'build', run: npmRun('build') },
    { name: 'packages', run: npmRun('package:check') },
  ],
]

const TESTS: readonly Step[] = [
  { name: 'tests', run: ['vitest', 'run', ...counted('tests'), ...filtered()], loud: true },
  {
    name: 'end-to-end',
    run: ['vitest', 'run', '--config', 'vitest.e2e.config.ts', ...counted('end-to-end'), ...filtered()],
    loud: true,
  },
]

/** Returns the options that make the runner also write its counts to a file. */
function counted(name: string): readonly string[] {
  const shown = process.env['CI'] === undefined ? 'default' : 'dot'
  return [
    `--reporter=${shown}`,
    `--reporter=${WATCHDOG}`,
    '--reporter=json',
    `--outputFile.json=${join(RESULTS, `${name}.json`)}`,
  ]
}

/** A filter may match only specs of one step, so the other step must accept that nothing matches. */
function filtered(): readonly string[] {
  return filters.length === 0 ? [] : ['--passWithNoTests', ...filters]
}

/** Prints the failed tests and the totals of both test steps, or of those that ran. */
function printCounts(): void {
  const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
  const files = existsSync(RESULTS) ? readdirSync(RESULTS).filter((file) => file.endsWith('.json')) : []
  const reports = files.map((file) => readFileSync(join(RESULTS, file), 'utf8'))
  for (const report of reports) {
    const run: unknown = JSON.parse(report)
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
      counts[name] += Number(Object(run)[name] ?? 0)
    }
  }
  const failed = failedText(timesOf(reports.flatMap((report) => readReport(report, process.cwd()))))
  if (failed !== '') console.log(failed)
  const { numPassedTests, numFailedTests, numPendingTests } = counts
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}

const isChosen = ({ name }: Step): boolean => chosen.only?.includes(name) ?? true

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`

/** @returns whether it passed */
async function pass(step: Step, disk: MemoryDisk | null): Promise<boolean> {
  const started = Date.now()
  const [command = '', ...args] = disk?.run(step.run) ?? step.run
  const child = spawn(command, args, {
    env: { ...process.env, ...disk?.env, ...step.env, MEDIATRAY_BUILT: '1' },
    stdio: step.loud ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const passed = await new Promise<boolean>((resolve) => {
    child.once('error', ({ message }) => {
      said.push(message)
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
  console.log(`${passed ? '✓' : '✗'} ${step.name} (${seconds(started)})`)
  if (!passed) console.log(said.join(''))
  return passed
}

/** @returns whether all passed. After a failure, no lane starts another step. */
async function passAll(
  lines: readonly (readonly Step[])[],
  disk: MemoryDisk | null = null,
): Promise<boolean> {
  let passed = true
  const inTurn = async (line: readonly Step[]): Promise<void> => {
    for (const step of line) if (passed && isChosen(step) && !(await pass(step, disk))) passed = false
  }
  await Promise.all(lines.map(inTurn))
  return passed
}

try {
  ensureSystemPackages()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
const names = [...CHECKS.flat(), ...TESTS].map(({ name }) => name)
const unknown = chosen.only?.filter((wanted) => !names.includes(wanted)) ?? []
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(', ')}. Steps: ${names.join(', ')}`)
  process.exit(2)
}
rmSync(RESULTS, { recursive: true, force: true })
const disk = createMemoryDisk()
try {
  process.exitCode = (await passAll(CHECKS)) && (await passAll([TESTS], disk)) ? 0 : 1
} finally {
  disk?.remove()
}
printCounts()
