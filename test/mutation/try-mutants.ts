import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applied, type Mutant } from './find-mutants.ts'
import { createRunner, type RunAnswer, type Runner, type RunOutcome } from './runner.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { evidenceOf, type Verdict } from './verdicts.ts'

/** A mutant with the test files that may kill it: those of its room, and others for what survives them. */
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

export type Desk = { readonly sandbox: Sandbox; readonly runner: Runner; readonly close: () => Promise<void> }

export function createDesk(project: string): Desk {
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
export async function measurePlain({ runner }: Desk, test: string): Promise<number | undefined> {
  for (let tries = 0; tries < PLAIN_TRIES; tries++) {
    const outcome = await runner.run({ changed: [], tests: [test] }, PLAIN_LIMIT_MS)
    if (outcome === 'timed out') console.log(`${test} does not end`)
    else if (outcome.passed) return outcome.durations[test]
    else console.log(whyOf(outcome))
  }
  return undefined
}

/** Puts a mutant into the copy of the project, asks the tests, and takes it out again. */
export async function tryMutant(
  { sandbox, runner }: Desk,
  { mutant, tests, beyond }: Trial,
  durations: Readonly<Record<string, number>>,
): Promise<Verdict> {
  const { fault, ...rest } = mutant
  const asked = [...quickFirst(tests, durations), ...quickFirst(beyond, durations)]
  const path = join(sandbox.root, mutant.file)
  const original = readFileSync(path, 'utf8')
  const plain = asked.reduce((sum, test) => sum + (durations[test] ?? 0), 0)
  const started = performance.now()
  writeFileSync(path, applied(fault, original))
  const outcome = await runner
    .run({ changed: [mutant.file], tests: asked }, plain * PATIENCE + PATIENCE_MS)
    .finally(() => writeFileSync(path, original))
  return {
    ...rest,
    mutator: fault.mutator,
    outcome: outcome === 'timed out' ? 'timed out' : outcome.passed ? 'survived' : 'killed',
    ...(outcome !== 'timed out' && !outcome.passed && { killedBy: whyOf(outcome) }),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    // The copy holds what was tested, even if the project has been edited since.
    evidence: evidenceOf(sandbox.root, [mutant.file, ...witnessesOf(outcome, [...tests, ...beyond])]),
  }
}

/** Whether an earlier verdict still stands: its file and the tests on which it rests are as they were. */
export function stillHolds(verdict: Verdict, { mutant, tests, beyond }: Trial): boolean {
  const all = [...tests, ...beyond]
  const killer = all.filter((test) => verdict.killedBy?.startsWith(`${test}: `))
  return verdict.evidence === evidenceOf(process.cwd(), [mutant.file, ...(killer.length > 0 ? killer : all)])
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
const witnessesOf = (outcome: RunOutcome, tests: readonly string[]): readonly string[] =>
  outcome !== 'timed out' && !outcome.passed ? [outcome.test] : tests

const whyOf = (outcome: Extract<RunAnswer, { passed: false }>): string =>
  `${outcome.test}: ${outcome.failure}`
