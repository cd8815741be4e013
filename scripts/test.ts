/**
 * `npm test`: every check and test, with those that fail fastest first. A passing step prints one line. A failing step prints its
 * output, and no further step starts.
 *
 *   --only STEP  only this step, such as `end-to-end`; repeatable
 *   FILTER …     only spec files with one of these in their path
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createMemoryDisk } from './memory-disk.ts'
import { failedText, readReport, timesOf } from './spec-times.ts'
import { ensureSystemPackages } from './system-packages.ts'

const RESULTS = join('test-results', 'counts')

/** Ends a run that hangs, and names the tests that were running. */
const WATCHDOG = './test/watchdog/watchdog.ts'

type Step = {
  readonly name: string
  readonly run: readonly string[]
  readonly loud?: true
  /** Puts its temporary files in memory. */
  readonly inMemory?: true
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

/** Quick checks first. Then the slow ones run while the tests wait for processes, timers and pages. Lanes run in parallel. */
const PHASES: readonly (readonly (readonly Step[])[])[] = [
  [
    [
      { name: 'format', run: npmRun('format:check') },
      { name: 'prose', run: npmRun('prose') },
      { name: 'layers', run: npmRun('layers') },
      { name: 'dead code', run: npmRun('dead-code') },
    ],
    [{ name: 'build', run: npmRun('build') }],
  ],
  [
    [
      // Each additional checker would analyze most types again, and the tests need the other core.
      { name: 'types', run: npmRun('types', '--', '--checkers', '1'), env: KEEP_GARBAGE },
      { name: 'lint', run: npmRun('lint'), env: KEEP_GARBAGE },
      { name: 'packages', run: npmRun('package:check') },
    ],
    [testsOf('tests'), testsOf('end-to-end', '--config', 'vitest.e2e.config.ts')],
  ],
]

function testsOf(name: string, ...options: readonly string[]): Step {
  return {
    name,
    run: ['vitest', 'run', ...options, ...counted(name), ...filtered()],
    loud: true,
    inMemory: true,
  }
}

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
async function pass(step: Step): Promise<boolean> {
  const started = Date.now()
  const disk = step.inMemory ? memory : null
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
async function passAll(lanes: readonly (readonly Step[])[]): Promise<boolean> {
  let passed = true
  const inTurn = async (lane: readonly Step[]): Promise<void> => {
    for (const step of lane) if (passed && isChosen(step) && !(await pass(step))) passed = false
  }
  await Promise.all(lanes.map(inTurn))
  return passed
}

try {
  ensureSystemPackages()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
const names = PHASES.flat(2).map(({ name }) => name)
const unknown = chosen.only?.filter((wanted) => !names.includes(wanted)) ?? []
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(', ')}. Steps: ${names.join(', ')}`)
  process.exit(2)
}
rmSync(RESULTS, { recursive: true, force: true })
const memory = createMemoryDisk()
try {
  let passed = true
  for (const lanes of PHASES) passed &&= await passAll(lanes)
  process.exitCode = passed ? 0 : 1
} finally {
  memory?.remove()
}
printCounts()
