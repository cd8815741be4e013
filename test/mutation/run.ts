/**
 * `npm run test:mutation`: puts small faults into the sources, one at a time, and counts those that no test notices. The rooms
 * and their tests stand in rooms.ts, survivors that are no faults in equivalent.json; test-results/mutation/ keeps the verdicts.
 *
 *   --only FOLDER    of the sample, the mutants below one folder or file; may be given again
 *   --sample N       this many mutants of all rooms together, at least one a file; `all` for every one
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
import { DEFAULT_SAMPLE, LEAST_SCORE, ROOMS, type Room } from './rooms.ts'
import { sampleOf } from './sample.ts'
import { scoreOf, survivorText, tableOf } from './table.ts'
import { createDesk, measurePlain, stillHolds, tryMutant, type Desk, type Trial } from './try-mutants.ts'
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
const rooms = ROOMS.map((room) => ({ room, mutants: mutantsOf(room) }))
const mutants = rooms.flatMap((room) => room.mutants)
const { isEquivalent, outdated } = compareWithList(mutants, readEquivalents())
const size = options.sample === 'all' ? Infinity : Number(options.sample)
const chosen = sampleOf(mutants, size, options.seed).filter(({ file }) =>
  options.only.some((path) => file.startsWith(path)),
)
const trials = rooms.flatMap(({ room }) => trialsIn(room))

const { durations, verdicts } = earlier()
const waiting = trials.filter((trial) => !isDecided(trial))
console.log(`${trials.length} of ${mutants.length} mutants, ${waiting.length} to try`)

/** Test files that fail without a mutant, so that they can't tell anything. */
const broken: string[] = []
await tryAll()
conclude()

function mutantsOf(room: Room): readonly Mutant[] {
  return globSync(`${room.source}/**/*.ts`)
    .toSorted()
    .flatMap((file) => findMutants(file))
}

function reaching(files: readonly string[], { file }: Mutant): readonly string[] {
  return files.filter((test) => reach(test).has(file))
}

function trialsIn(room: Room): readonly Trial[] {
  const [tests, beyond] = [testsBelow(room.tests), testsBelow(room.beyond)]
  return chosen
    .filter((mutant) => mutant.file.startsWith(`${room.source}/`) && !isEquivalent(mutant))
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
  const desks = Array.from({ length: Number(options.parallel) }, () => createDesk(process.cwd()))
  try {
    const tests = new Set(waiting.flatMap((trial) => [...trial.tests, ...trial.beyond]))
    await shareOut(desks, [...tests], ends, async (desk, test) => {
      const took = durations[test] ?? (await measurePlain(desk, test))
      if (took === undefined) broken.push(test)
      else durations[test] = took
      keep()
    })
    let done = 0
    await shareOut(desks, waiting, ends, async (desk, trial) => {
      const verdict = await tryMutant(desk, trial, durations)
      verdicts.set(verdict.id, verdict)
      keep()
      done += 1
      console.log(
        `${done}/${waiting.length} ${verdict.file}:${verdict.line} ${verdict.outcome}, ${verdict.seconds} s`,
      )
    })
  } finally {
    await Promise.all(desks.map((desk) => desk.close()))
  }
}

/** After each step, so that a run that is stopped can be gone on with. */
function keep(): void {
  const known = new Set(mutants.map(({ id }) => id))
  writeReport({ durations, verdicts: [...verdicts.values()].filter(({ id }) => known.has(id)) })
}

/** Every desk takes the next item until none is left or the time is over. */
async function shareOut<T>(
  desks: readonly Desk[],
  items: readonly T[],
  ends: number,
  work: (desk: Desk, item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].values()
  await Promise.all(
    desks.map(async (desk) => {
      for (const item of left) {
        if (performance.now() > ends) return
        await work(desk, item)
      }
    }),
  )
}

function conclude(): void {
  const decided = trials.flatMap(({ mutant }) => verdicts.get(mutant.id) ?? [])
  const survivors = decided.filter(({ outcome }) => outcome === 'survived')
  for (const survivor of survivors) console.log(survivorText(survivor))
  const folders = ROOMS.map(({ source }) => ({
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
