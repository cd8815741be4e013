/** Twelve hours of automatic work in simulated time: nothing is lost, done twice or leaked. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import { DIRECT_ACTIONS, MOST_TRIES } from '../../src/shared/model/hook-state.ts'
import { QuietConditions } from '../../src/shared/model/settings.ts'
import { folderInMemory } from '../temporary-folder.ts'
import { itInLongSuite } from './long-suite.ts'
import { seededRandom } from './seeded-random.ts'
import { isDone, openAutomaticApp, type AutomaticApp } from './soak/automatic-app.ts'
import { MOODS } from './soak/hook-targets.ts'

const MINUTE = 60_000
const STEP_MS = 5 * MINUTE
const STEPS_PER_HOUR = 12
const STEPS = 12 * STEPS_PER_HOUR
/** When memory and descriptors are first measured, in steps. Caches have filled up by then. */
const WARM = 2 * STEPS_PER_HOUR
const MOST_GROWTH_BYTES = 1_000_000

const ALWAYS = QuietConditions.parse({})
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')
const END_OF_JPEG = Buffer.from('ffd9', 'hex')

type Random = () => number
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

/** The files that were added, by what the rules do with them. */
type Added = { processed: number; pairs: number; ignored: number }

function addFiles({ inbox }: AutomaticApp, step: number, random: Random, added: Added): void {
  for (const [kind, many] of [
    ['photo', 2],
    ['pair', 1],
    ['ignored', 1],
  ] as const) {
    const count = Math.round(random() * many)
    for (let n = 0; n < count; n += 1) {
      const name = `${kind}-${step}-${n}.jpg`
      writeFileSync(join(inbox, name), Buffer.concat([JPEG, Buffer.from(name), END_OF_JPEG]))
    }
    if (kind === 'ignored') added.ignored += count
    else added.processed += count
    if (kind === 'pair') added.pairs += count
  }
}

const timeAt = (hour: number): string => `${String((hour + 24) % 24).padStart(2, '0')}:00`

/** Changes when jobs may run, and what the computer is used for. */
function change({ core, computer, clock }: AutomaticApp, random: Random): void {
  const hour = new Date(clock()).getUTCHours()
  computer.set({ power: pick(random, ['mains', 'mains', 'battery']), idleMs: pick(random, [0, 20 * MINUTE]) })
  computer.reads.length = 0
  core.settings.update({
    quiet: {
      ...ALWAYS,
      plugged: random() < 0.5,
      idle: random() < 0.3,
      between: random() < 0.3,
      from: timeAt(hour + pick(random, [-2, 1])),
      until: timeAt(hour + 3),
    },
    leaveRoom: random() < 0.5,
  })
  if (random() < 0.15) core.quiet.pause(pick(random, ['hour', 'tomorrow', 'untilResumed']))
  else if (random() < 0.6) core.quiet.resume()
}

/** Returns whether quiet mode holds all jobs back for the whole next step. */
function holdsAll({ core, clock }: AutomaticApp): boolean {
  const { wait } = core.state.get().quiet
  return wait !== null && wait.reason !== 'idle' && (wait.until ?? Infinity) > clock() + STEP_MS
}

/** Lets all jobs run and end, and what follows them. */
async function drain(app: AutomaticApp): Promise<void> {
  for (const action of DIRECT_ACTIONS) app.hooks.setMood(action, 'accepts')
  app.computer.set({ power: 'mains', idleMs: 0 })
  app.core.settings.update({ quiet: ALWAYS })
  app.core.quiet.resume()
  for (let step = 0; !isDone(app); step += 1) {
    if (step === 4 * STEPS_PER_HOUR) throw new Error('The jobs don’t end.')
    await app.pass(STEP_MS)
  }
}

function expectAllDone({ core, ends, hooks, service }: AutomaticApp, { processed, pairs }: Added): void {
  expect(service.made).toHaveLength(processed + pairs)
  expect(new Set(service.made).size).toBe(processed)
  expect(ends.size).toBe(processed + pairs)
  expect(new Set(ends.values())).toEqual(new Set([1]))
  expect(core.history.unfinished()).toEqual([])
  for (const action of DIRECT_ACTIONS) {
    const tries = hooks.tries(action)
    expect(tries.size).toBe(processed)
    expect(Math.max(...tries.values())).toBeLessThanOrEqual(MOST_TRIES)
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function measure() {
  collectGarbage()
  collectGarbage()
  const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
  return { heap: process.memoryUsage().heapUsed, descriptors }
}

itInLongSuite('works for hours without losing, repeating or leaking anything', async () => {
  const app = await openAutomaticApp(folderInMemory())
  const random = seededRandom(31)
  const added: Added = { processed: 0, pairs: 0, ignored: 0 }
  let warm: ReturnType<typeof measure> | undefined
  let held = 0

  for (let step = 0; step < STEPS; step += 1) {
    addFiles(app, step, random, added)
    await app.pass(MINUTE)
    change(app, random)
    for (const action of DIRECT_ACTIONS) app.hooks.setMood(action, pick(random, MOODS))
    const startsAnyway = random() < 0.1
    if (startsAnyway) app.core.quiet.startAnyway(null)
    // What was being sent is accepted.
    await app.pass(MINUTE)
    const isHeld = !startsAnyway && holdsAll(app)
    const { length } = app.service.made
    await app.pass(STEP_MS - 2 * MINUTE)
    if (isHeld) {
      held += 1
      expect(app.service.made).toHaveLength(length)
    }
    if (step % STEPS_PER_HOUR === 0) app.service.cleanUp()
    if (step + 1 !== WARM) continue
    await drain(app)
    expectAllDone(app, added)
    warm = measure()
  }
  await drain(app)
  expectAllDone(app, added)
  expect(added.processed).toBeGreaterThan(STEPS / 2)
  if (warm === undefined) return
  expect(held).toBeGreaterThan(STEPS_PER_HOUR)
  const end = measure()
  expect(end.descriptors - warm.descriptors).toBeLessThanOrEqual(2)
  expect(end.heap - warm.heap).toBeLessThan(MOST_GROWTH_BYTES)
})
