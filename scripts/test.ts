/**
 * `npm test`: everything that has to hold, what fails fastest first. A step that passes is one line; a step that fails shows what
 * it said, and no other is begun.
 *
 *   --only STEP  only this step, such as `end-to-end`; may be given again
 *   FILTER …     only spec files with one of these in their path
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureSystemPackages } from './system-packages.ts'

/** What the runner says of each spec. */
const REPORT = join('test-results', 'counts', 'tests.json')

type Step = { readonly name: string; readonly run: readonly string[]; readonly loud?: true }

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

/** Two lines of steps beside each other, because most of them keep no more than one core busy. */
const CHECKS: readonly (readonly Step[])[] = [
  [
    { name: 'format', run: npmRun('format:check') },
    { name: 'layers', run: npmRun('layers') },
    { name: 'dead code', run: npmRun('dead-code') },
    // Each further checker learns most types anew, and the other line has use for the core.
    { name: 'types', run: npmRun('types', '--', '--checkers', '1') },
    { name: 'lint', run: npmRun('lint') },
  ],
  [
    { name: 'build', run: npmRun('build') },
    { name: 'packages', run: npmRun('package:check') },
  ],
]

/** The runner's projects: run at once, because those from end to end wait for most of their time. */
const PROJECTS = ['tests', 'end-to-end'] as const

function testRun(projects: readonly string[]): Step {
  const shown = process.env['CI'] === undefined ? 'default' : 'dot'
  const named = projects.flatMap((name) => ['--project', name])
  const reported = [`--reporter=${shown}`, '--reporter=json', `--outputFile.json=${REPORT}`]
  // A filter that fits the specs of one project fits none of the other's.
  const filtered = filters.length === 0 ? [] : ['--passWithNoTests', ...filters]
  return {
    name: projects.join(' and '),
    run: ['vitest', 'run', ...named, ...reported, ...filtered],
    loud: true,
  }
}

/** As far as the run came. */
function printCounts(): void {
  if (!existsSync(REPORT)) return
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(REPORT, 'utf8'))
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}

const isChosen = (name: string): boolean => chosen.only?.includes(name) ?? true

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`

/** @returns whether it passed */
async function pass(step: Step): Promise<boolean> {
  const started = Date.now()
  const [command = '', ...args] = step.run
  const child = spawn(command, args, {
    env: { ...process.env, MEDIATRAY_BUILT: '1' },
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

/** @returns whether all passed; where one fails, what has not begun in this line or another one is left out */
async function passAll(lines: readonly (readonly Step[])[]): Promise<boolean> {
  let passed = true
  const inTurn = async (line: readonly Step[]): Promise<void> => {
    for (const step of line) if (passed && !(await pass(step))) passed = false
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
const names = [...CHECKS.flat().map(({ name }) => name), ...PROJECTS]
const unknown = chosen.only?.filter((wanted) => !names.includes(wanted)) ?? []
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(', ')}; there are ${names.join(', ')}`)
  process.exit(2)
}
rmSync(REPORT, { force: true })
const checks = CHECKS.map((line) => line.filter(({ name }) => isChosen(name)))
const projects = PROJECTS.filter(isChosen)
const passed = (await passAll(checks)) && (projects.length === 0 || (await pass(testRun(projects))))
process.exitCode = passed ? 0 : 1
printCounts()
