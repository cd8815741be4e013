/** The app is killed while it sends: afterwards, the service has each submission once, and the app knows what became of it. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openHistory } from '../../src/main/history/index.ts'
import { openOutboxIn } from '../main/outbox/drafts.ts'
import { startDoomed } from '../doomed.ts'
import { newFolder, removeFolder } from './companion.ts'
import { faultFixture } from './fault-fixture.ts'
import { describeInLongSuite, firstOf } from './long-suite.ts'
import { startScriptedService, type Fault } from './scripted-service.ts'
import { seededRandom } from './seeded-random.ts'

const ENTRY = join(import.meta.dirname, 'doomed-submissions.ts')

/** When a process is killed: at one of its steps, or when the service gets one of its requests. */
type Death = { readonly step: number } | { readonly request: number }

/** Submits in a process that is killed, finishes the work in further ones, and returns what became of it. */
async function killedAt(deaths: readonly Death[], names: readonly string[]) {
  const folder = newFolder()
  let requests = 0
  let victim: ReturnType<typeof startDoomed> | undefined
  const service = await startScriptedService({
    onRequest() {
      requests -= 1
      if (requests === 0) victim?.kill()
    },
  })
  const promised: string[] = []
  let kills = 0
  async function run(death: Death | undefined, submitted: readonly string[]): Promise<boolean> {
    requests = death !== undefined && 'request' in death ? death.request : 0
    const step = death !== undefined && 'step' in death ? death.step : 0
    victim = startDoomed(ENTRY, folder, service.baseUrl, step, ...submitted)
    const { lines, killed } = await victim.ended
    promised.push(...lines.filter((line) => line !== 'settled'))
    kills += killed ? 1 : 0
    return lines.includes('settled')
  }
  try {
    for (const [n, death] of deaths.entries()) await run(death, n === 0 ? names : [])
    const settled = await run(undefined, [])
    return { settled, kills, promised, created: service.created, ...remainingIn(folder) }
  } finally {
    await service.close()
    removeFolder(folder)
  }
}

/** Reads what the app still knows. */
function remainingIn(folder: string) {
  const history = openHistory({ file: join(folder, 'history.db'), clock: Date.now, log: () => undefined })
  const outbox = openOutboxIn(folder)
  try {
    if (history.setAside !== null || outbox.setAside !== null) throw new Error('a database was damaged')
    const plans = outbox.list().flatMap(({ id, state }) => {
      const isLeft = state.kind === 'unknown' && state.leftToUser
      return isLeft ? (outbox.get(id)?.plan ?? []) : []
    })
    const { records } = history.page({}, { offset: 0, limit: 10 })
    return {
      /** Submissions left to the user, because it is unknown whether they arrived. */
      asked: plans.map(({ preset, items }) => ({
        preset: preset ?? undefined,
        files: items.map(({ path }) => path),
      })),
      inOutbox: outbox.list().length + outbox.accepted().length - plans.length,
      unfinished: history.unfinished().map(({ jobId }) => jobId),
      ended: records.map(({ outcome }) => outcome),
      endedParts: records.flatMap(
        ({ id }) => history.details(id)?.parts.map(({ outcome }) => outcome?.kind) ?? [],
      ),
    }
  } finally {
    history.close()
    outbox.close()
  }
}

type Sent = { readonly preset: string | undefined; readonly files: readonly string[] }

const isOf = (name: string, { files }: Sent): boolean => files.some((file) => file.endsWith(`/${name}`))

describeInLongSuite('three submissions', () => {
  const NAMES = ['one.jpg', 'two.jpg', 'three.jpg']
  /** A few more steps than three undisturbed submissions take, so that some processes aren't killed at all. */
  const STEPS = 28
  const REQUESTS = 7
  const RUNS = 240

  /** One to three kills. The same seed repeats them as far as the timing of two processes allows. */
  function deathsOf(seed: number): readonly Death[] {
    const random = seededRandom(seed)
    return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const bySelf = random() < 0.7
      const at = 1 + Math.floor(random() * (bySelf ? STEPS : REQUESTS))
      return bySelf ? { step: at } : { request: at }
    })
  }

  /** Checks that no submission became more than one job, and that each promised one became a job or is left to the user. */
  async function killedRun(seed: number): Promise<number> {
    const deaths = deathsOf(seed)
    const { kills, promised, settled, asked, created, unfinished, inOutbox } = await killedAt(deaths, NAMES)
    const story = `seed ${seed}: ${JSON.stringify(deaths)}`
    const jobsOf = (name: string) => created.filter((job) => isOf(name, job)).length
    const isAsked = (name: string) => asked.some((plan) => isOf(name, plan))
    expect.soft(settled, story).toBe(true)
    const twice = NAMES.filter((name) => jobsOf(name) > 1)
    expect.soft(twice, `was made too often, ${story}`).toEqual([])
    const lost = promised.filter((name) => jobsOf(name) !== 1 && !isAsked(name))
    expect.soft(lost, `promised and not made, ${story}`).toEqual([])
    const known = created.filter((job) => !NAMES.some((name) => isAsked(name) && isOf(name, job)))
    const ids = known.map(({ jobId }) => jobId).toSorted()
    expect.soft(unfinished.toSorted(), `what the history knows, ${story}`).toEqual(ids)
    expect.soft(inOutbox, `submissions left in the outbox, ${story}`).toBe(0)
    return kills
  }

  it('of a process killed at any step are neither lost nor duplicated', async () => {
    let kills = 0
    for (let seed = 1; seed <= RUNS; seed += 2)
      for (const count of await Promise.all([killedRun(seed), killedRun(seed + 1)])) kills += count
    expect(kills).toBeGreaterThan(RUNS / 2)
  })
})

const FOLDERS = ['2023', '2024'] as const

/** "Web 2048 2023", for each submission */
const partsOf = (sent: readonly Sent[]) =>
  sent
    .map(({ preset, files }) => `${preset} ${files.map((file) => file.split('/').at(-2)).join()}`)
    .toSorted()

describeInLongSuite('parts with the same preset, file name and number of files', () => {
  const SIMILAR = FOLDERS.map((name) => `Web 2048 ${name}`)
  /** Until the job is in the outbox (step 1), nothing has been promised. */
  const STEPS = 18
  const DEATHS: readonly Death[] = [
    ...Array.from({ length: STEPS }, (_, index) => ({ step: index + 1 })),
    // The list and the job of each part.
    ...[1, 2, 3, 4].map((request) => ({ request })),
  ]

  /** @returns the number of kills, and of parts of which only the user knows whether they should be sent again */
  async function killedRun(death: Death) {
    const { kills, settled, asked, created, ended, endedParts } = await killedAt([death], [FOLDERS.join('+')])
    const left = partsOf(asked)
    const isWhole = left.length === 0
    expect.soft({ death, settled, made: partsOf(created), ended, endedParts }).toEqual({
      death,
      settled: true,
      // Killed just before a request, no process knows that the service never got it. The other parts are sent.
      made: SIMILAR.filter((part) => !left.includes(part)),
      ended: isWhole ? [{ kind: 'done', results: 2, uploaded: null }] : [],
      endedParts: isWhole ? ['done', 'done'] : [],
    })
    return { kills, unsure: left.length }
  }

  it('killed before or after any step, are at the service at most once, and the job ends as one unless a part is left to the user', async () => {
    const runs: Awaited<ReturnType<typeof killedRun>>[] = []
    for (let next = 0; next < DEATHS.length; next += 2)
      runs.push(...(await Promise.all(DEATHS.slice(next, next + 2).map(killedRun))))
    expect(runs.filter(({ kills }) => kills > 0).length).toBeGreaterThan(DEATHS.length / 2)
    // One step per part.
    expect(runs.reduce((sum, { unsure }) => sum + unsure, 0)).toBeLessThanOrEqual(SIMILAR.length)
  })
})

const PRESETS = ['Web 2048', 'Mail'] as const

const LOST: readonly Fault[] = [
  { kind: 'reset', afterwards: true },
  { kind: 'reset', afterwards: false },
  { kind: 'garbage', afterwards: true },
  { kind: 'truncated', afterwards: false },
  { kind: 'late', ms: 40 },
]

describe('a lost response between similar parts', () => {
  const at = faultFixture()

  it.each(firstOf(LOST).map((fault) => [Object.values(fault).join(' '), fault] as const))(
    '(%s, for any part) never gives one part the job of another',
    async (_, fault) => {
      at.start()
      for (const part of [0, 1, 2, 3]) {
        at.service.script('POST /jobs', [...Array.from({ length: part }, () => null), fault])
        const before = at.service.created.length
        const id = at.companion.submitParts(
          FOLDERS.map((name) => `${part}-${name}`),
          PRESETS,
        )
        await at.settled()
        const created = at.service.created.slice(before)
        expect(partsOf(created)).toEqual(
          PRESETS.flatMap((preset) => FOLDERS.map((name) => `${preset} ${part}-${name}`)).toSorted(),
        )
        const known = at.companion.history.wholeJob(id).map((one) => at.companion.history.details(one))
        expect(known.map((one) => [one?.facts.jobId, one?.preset, one?.firstPath])).toEqual(
          created.map(({ jobId, preset, files }) => [jobId, preset, files[0]]),
        )
      }
    },
  )
})
