import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applied, type Mutant } from './find-mutants.ts'
import { createRunner, type Runner } from './runner.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { evidenceOf, type Verdict } from './verdicts.ts'

/** A mutant with the test files that may kill it: those of its module, and others for what survives them. */
export type Trial = {
  readonly mutant: Mutant
  readonly tests: readonly string[]
  readonly beyond: readonly string[]
}

/** A mutated run may take so many times what the plain one took, and this much more, before it counts as endless. */
const PATIENCE = 4
const PATIENCE_MS = 20_000

/** A test file may fail once on a busy machine; twice, and nothing can be said with it. */
const PLAIN_TRIES = 2
const PLAIN_LIMIT_MS = 5 * 60_000

/** A verdict is worth what the runner was worth that gave it. */
const JUDGE = 'test/mutation/runner-process.ts'

export type Workplace = {
  readonly sandbox: Sandbox
  readonly runner: Runner
  readonly close: () => Promise<void>
}

export function createWorkplace(project: string): Workplace {
  const sandbox = createSandbox(project)
  const runner = createRunner(sandbox.root, sandbox.temporary)
  return {
    sandbox,
    runner,
    async close() {
      await runner.stop()
      sandbox.remove()
    },
  }
}

/** @returns how long the file takes without a mutant, in ms; nothing if it fails then */
export async function measurePlain({ runner }: Workplace, test: string): Promise<number | undefined> {
  for (let tries = 0; tries < PLAIN_TRIES; tries++) {
    const started = performance.now()
    const answer = await runner.run({ test }, PLAIN_LIMIT_MS)
    if (answer !== 'timed out' && answer.failure === undefined) return performance.now() - started
    console.log(`${test}: ${answer === 'timed out' ? 'it did not end' : answer.failure}`)
  }
  return undefined
}

/** Puts a mutant into the copy of the project, asks the tests, and takes it out again. */
export async function tryMutant(
  { sandbox, runner }: Workplace,
  { mutant, tests, beyond }: Trial,
  durations: Readonly<Record<string, number>>,
): Promise<Verdict> {
  const { fault, ...rest } = mutant
  const asked = [...quickFirst(tests, durations), ...quickFirst(beyond, durations)]
  const path = join(sandbox.root, mutant.file)
  const original = readFileSync(path, 'utf8')
  const started = performance.now()
  writeFileSync(path, applied(fault, original))
  const end = await firstKill(runner, mutant.file, asked, durations).finally(() =>
    writeFileSync(path, original),
  )
  return {
    ...rest,
    mutator: fault.mutator,
    ...end,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    // The copy holds what was tested, even if the project has been edited since.
    evidence: evidenceOf(sandbox.root, [JUDGE, mutant.file, ...witnessesOf(end, [...tests, ...beyond])]),
  }
}

/** One test file after the other until one notices. Each has its own limit, so that an endless one costs little more than itself. */
async function firstKill(
  runner: Runner,
  changed: string,
  tests: readonly string[],
  durations: Readonly<Record<string, number>>,
): Promise<Pick<Verdict, 'outcome' | 'killedBy'>> {
  for (const test of tests) {
    const limitMs = (durations[test] ?? 0) * PATIENCE + PATIENCE_MS
    const answer = await runner.run({ changed, test }, limitMs)
    if (answer === 'timed out') return { outcome: 'timed out', killedBy: `${test}: it did not end` }
    if (answer.failure !== undefined) return { outcome: 'killed', killedBy: `${test}: ${answer.failure}` }
  }
  return { outcome: 'survived' }
}

/** Whether an earlier verdict still stands: its file and the tests on which it rests are as they were. */
export function stillHolds(verdict: Verdict, { mutant, tests, beyond }: Trial): boolean {
  const files = [JUDGE, mutant.file, ...witnessesOf(verdict, [...tests, ...beyond])]
  return verdict.evidence === evidenceOf(process.cwd(), files)
}

/** Those that could be measured, the quickest first. */
const quickFirst = (
  tests: readonly string[],
  durations: Readonly<Record<string, number>>,
): readonly string[] =>
  tests
    .filter((test) => durations[test] !== undefined)
    .toSorted((one, other) => (durations[one] ?? 0) - (durations[other] ?? 0))

/** The one that killed, or all that didn't. */
function witnessesOf({ killedBy }: Pick<Verdict, 'killedBy'>, tests: readonly string[]): readonly string[] {
  const killers = tests.filter((test) => killedBy?.startsWith(`${test}: `))
  return (killers.length > 0 ? killers : tests).toSorted()
}
