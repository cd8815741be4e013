/**
 * `npm test`: everything that has to hold, in the order in which it fails fastest. A step that passes is one line; a step that
 * fails shows what it said and ends the run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ensureSystemPackages } from './system-packages.ts'

type Step = { readonly name: string; readonly run: readonly string[]; readonly loud?: true }

const STEPS: readonly Step[] = [
  { name: 'types', run: ['npm', 'run', '--silent', 'types'] },
  { name: 'lint', run: ['npm', 'run', '--silent', 'lint'] },
  { name: 'format', run: ['npm', 'run', '--silent', 'format:check'] },
  { name: 'layers', run: ['npm', 'run', '--silent', 'layers'] },
  { name: 'build', run: ['npm', 'run', '--silent', 'build'] },
  { name: 'packages', run: ['npm', 'run', '--silent', 'package:check'] },
  { name: 'tests', run: ['vitest', 'run'], loud: true },
  { name: 'end to end', run: ['vitest', 'run', '--config', 'vitest.e2e.config.ts'], loud: true },
]

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
const steps = STEPS.filter((step) => step.name !== 'end to end' || existsSync('vitest.e2e.config.ts'))
process.exitCode = steps.every(pass) ? 0 : 1
