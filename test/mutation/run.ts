/**
 * `npm run test:mutation`: puts small faults into the sources, one at a time, and counts those that no test notices. The modules
 * and their tests stand in modules.ts, survivors that are no faults in equivalent.json; test-results/mutation/ keeps the verdicts.
 *
 *   --only FOLDER    of the sample, the mutants below one folder or file; may be given again
 *   --sample N       this many mutants of all modules together, at least one a file; `all` for every one
 *   --seed S         chooses another sample
 *   --resume         verdicts stand whose file and tests are as they were
 *   --minutes M      ends after that time; `--resume` goes on
 *   --parallel N     mutants at a time
 */
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compareWithList, readEquivalents } from './equivalent.ts'
import { findMutants, type Mutant } from './find-mutants.ts'
import { createReach, testsBelow } from './reach.ts'
import { DEFAULT_SAMPLE, LEAST_SCORE, MODULES, type MutatedModule } from './modules.ts'
import { sampleOf } from './sample.ts'
import { scoreOf, survivorText, tableOf } from './table.ts'
import {
  createWorkplace,
  measurePlain,
  stillHolds,
  tryMutant,
  type Workplace,
  type Trial,
} from './try-mutants.ts'
import { readReport, VERDICTS_FILE, writeReport, type Verdict } from './verdicts.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    sample: { type: 'string', default: String(DEFAULT_SAMPLE) },
    seed: { type: 'string', default: '1' },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
    parallel: { type: 'string', default: '2' },
  },
})

const reach = createReach()
const modules = MODULES.map((module) => ({ module, mutants: mutantsOf(module) }))
const mutants = modules.flatMap((module) => module.mutants)
const { isEquivalent, outdated } = compareWithList(mutants, readEquivalents())
const size = options.sample === 'all' ? Infinity : Number(options.sample)
const chosen = sampleOf(mutants, size, options.seed).filter(({ file }) =>
  options.only.some((path) => file.startsWith(path)),
)
const trials = modules.flatMap(({ module }) => trialsIn(module))

const { durations, verdicts } = earlier()
const waiting = trials.filter((trial) => !isDecided(trial))
console.log(`${trials.length} of ${mutants.length} mutants, ${waiting.length} to try`)

/** Test files that fail without a mutant, so that they can't tell anything. */
const broken: string[] = []
await tryAll()
conclude()

function mutantsOf(module: MutatedModule): readonly Mutant[] {
  return globSync(`${module.source}/**/*.ts`)
    .toSorted()
    .flatMap((file) => findMutants(file))
}

function reaching(files: readonly string[], { file }: Mutant): readonly string[] {
  return files.filter((test) => reach(test).has(file))
}

function trialsIn(module: MutatedModule): readonly Trial[] {
  const [tests, beyond] = [testsBelow(module.tests), testsBelow(module.beyond)]
  return chosen
    .filter((mutant) => mutant.file.startsWith(`${module.source}/`) && !isEquivalent(mutant))
    .map((mutant) => ({ mutant, tests: reaching(tests, mutant), beyond: reaching(beyond, mutant) }))
}

/** What the last run found, as far as this one may use it. */
function earlier(): { readonly durations: Record<string, number>; readonly verdicts: Map<string, Verdict> } {
  const report = options.resume ? readReport() : { durations: {}, verdicts: [] }
  return {
    durations: { ...report.durations },
    verdicts: new Map(report.verdicts.map((verdict) => [verdict.id, verdict])),
  }
}

function isDecided(trial: Trial): boolean {
  const verdict = verdicts.get(trial.mutant.id)
  if (verdict === undefined) return false
  if (stillHolds(verdict, trial)) return true
  verdicts.delete(trial.mutant.id)
  return false
}

async function tryAll(): Promise<void> {
  if (waiting.length === 0) return
  const ends = performance.now() + Number(options.minutes) * 60_000
  const workplaces = Array.from({ length: Number(options.parallel) }, () => createWorkplace(process.cwd()))
  try {
    const tests = new Set(waiting.flatMap((trial) => [...trial.tests, ...trial.beyond]))
    await shareOut(workplaces, [...tests], ends, async (workplace, test) => {
      const took = durations[test] ?? (await measurePlain(workplace, test))
      if (took === undefined) broken.push(test)
      else durations[test] = took
      keep()
    })
    let done = 0
    await shareOut(workplaces, waiting, ends, async (workplace, trial) => {
      const verdict = await tryMutant(workplace, trial, durations)
      verdicts.set(verdict.id, verdict)
      keep()
      done += 1
      console.log(
        `${done}/${waiting.length} ${verdict.file}:${verdict.line} ${verdict.outcome}, ${verdict.seconds} s`,
      )
    })
  } finally {
    await Promise.all(workplaces.map((workplace) => workplace.close()))
  }
}

/** After each step, so that a run that is stopped can be gone on with. */
function keep(): void {
  const known = new Set(mutants.map(({ id }) => id))
  writeReport({ durations, verdicts: [...verdicts.values()].filter(({ id }) => known.has(id)) })
}

/** Every workplace takes the next item until none is left or the time is over. */
async function shareOut<T>(
  workplaces: readonly Workplace[],
  items: readonly T[],
  ends: number,
  work: (workplace: Workplace, item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].values()
  await Promise.all(
    workplaces.map(async (workplace) => {
      for (const item of left) {
        if (performance.now() > ends) return
        await work(workplace, item)
      }
    }),
  )
}

function conclude(): void {
  const decided = trials.flatMap(({ mutant }) => verdicts.get(mutant.id) ?? [])
  const survivors = decided.filter(({ outcome }) => outcome === 'survived')
  for (const survivor of survivors) console.log(survivorText(survivor))
  const folders = MODULES.map(({ source }) => ({
    name: source,
    verdicts: decided.filter(({ file }) => file.startsWith(`${source}/`)),
    equivalent: chosen.filter((mutant) => mutant.file.startsWith(`${source}/`) && isEquivalent(mutant))
      .length,
  }))
  console.log(`\n${tableOf(folders.filter(({ verdicts }) => verdicts.length > 0))}\n`)
  for (const test of broken) console.log(`${test} fails without a mutant and was left out.`)
  for (const { file, was } of outdated)
    console.log(`equivalent.json names what ${file} no longer holds: ${was}`)
  const left = trials.length - decided.length
  if (left > 0) console.log(`${left} mutants were not tried; --resume goes on.`)
  const isGood = scoreOf(decided) >= LEAST_SCORE && broken.length === 0 && outdated.length === 0
  console.log(`All verdicts are in ${VERDICTS_FILE}.`)
  process.exitCode = isGood ? 0 : 1
}
