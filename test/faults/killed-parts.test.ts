/** The app is killed while it sends the parts of a job: afterwards, the service has each part exactly once, and the job ends as one. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openHistory } from '../../src/main/history/index.ts'
import { openOutbox } from '../../src/main/outbox/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { newFolder, removeFolder } from './companion.ts'
import { faultFixture } from './fault-fixture.ts'
import { isLongSuite } from './long-suite.ts'
import { startScriptedService, type Fault } from './scripted-service.ts'
import { startDoomed } from './start-doomed.ts'

const FOLDERS = ['2023', '2024'] as const
const PRESETS = ['Web 2048', 'Mail'] as const
const GROUP = FOLDERS.join('+')

/** Parts with the same preset, file name and number of files. */
const SIMILAR = FOLDERS.map((name) => `Web 2048 ${name}`)

/** "Web 2048 2023", for each job that the service has ever created */
const partsAt = (
  created: readonly { readonly preset: string | undefined; readonly files: readonly string[] }[],
) =>
  created
    .map(({ preset, files }) => `${preset} ${files.map((file) => file.split('/').at(-2)).join()}`)
    .toSorted()

type Death = { readonly step: number } | { readonly request: number }

/** Kills a process at the given point, then runs a second one that finishes the work. */
async function killedJob(death: Death) {
  const folder = newFolder()
  let requests = 'request' in death ? death.request : 0
  let victim: ReturnType<typeof startDoomed> | undefined
  const service = await startScriptedService({
    onRequest() {
      requests -= 1
      if (requests === 0) victim?.kill()
    },
  })
  try {
    victim = startDoomed(folder, service.baseUrl, 'step' in death ? death.step : 0, [GROUP])
    const { killed } = await victim.ended
    victim = startDoomed(folder, service.baseUrl, 0, [])
    const { lines } = await victim.ended
    return {
      death,
      killed,
      settled: lines.includes('settled'),
      left: leftToUser(folder),
      made: partsAt(service.created),
      ...ended(folder),
    }
  } finally {
    await service.close()
    removeFolder(folder)
  }
}

/** Returns the parts of which only the user knows whether they should be sent again, as `partsAt` does. */
function leftToUser(folder: string): readonly string[] {
  const outbox = openOutbox({
    file: join(folder, 'outbox.db'),
    clock: Date.now,
    ids: () => asRecordId('unused'),
  })
  try {
    const left = outbox.list().flatMap(({ id, state }) => {
      const isLeft = state.kind === 'unknown' && state.leftToUser
      return isLeft ? (outbox.get(id)?.plan ?? []) : []
    })
    return partsAt(
      left.map(({ preset, items }) => ({
        preset: preset ?? undefined,
        files: items.map(({ path }) => path),
      })),
    )
  } finally {
    outbox.close()
  }
}

/** Returns what the history lists, and the ends of the parts. */
function ended(folder: string) {
  const history = openHistory({ file: join(folder, 'history.db'), clock: Date.now, log: () => undefined })
  try {
    const { records } = history.page({}, { offset: 0, limit: 10 })
    return {
      listed: records.map(({ outcome }) => outcome),
      parts: records.flatMap(
        ({ id }) => history.details(id)?.parts.map(({ outcome }) => outcome?.kind) ?? [],
      ),
    }
  } finally {
    history.close()
  }
}

const WHOLE = {
  settled: true,
  left: [] as readonly string[],
  made: SIMILAR,
  listed: [{ kind: 'done', results: 2, uploaded: null }],
  parts: ['done', 'done'],
}

/** Until the job is in the outbox (step 1), nothing has been promised. */
const STEPS = 18
const STRIDE = isLongSuite ? 1 : 9
const deaths: readonly Death[] = [
  ...Array.from({ length: STEPS }, (_, index) => ({ step: index + 1 })).filter(
    ({ step }) => step % STRIDE === 0,
  ),
  // The list and the job of each part.
  ...[1, 2, 3, 4].slice(isLongSuite ? 0 : 3).map((request) => ({ request })),
]

it('killed before or after any step of any part, the service has each part at most once, and the job ends as one unless a part is left to the user', async () => {
  let kills = 0
  let unsure = 0
  for (let next = 0; next < deaths.length; next += 2) {
    for (const run of await Promise.all(deaths.slice(next, next + 2).map(killedJob))) {
      const { death, killed, ...outcome } = run
      const { left } = outcome
      // Killed just before a request, no process knows that the service never got it. The other parts are sent.
      const made = SIMILAR.filter((part) => !left.includes(part))
      const expected = left.length === 0 ? WHOLE : { settled: true, left, made, listed: [], parts: [] }
      expect.soft({ death, ...outcome }).toEqual({ death, ...expected })
      unsure += left.length
      kills += killed ? 1 : 0
    }
  }
  expect(kills).toBeGreaterThan(deaths.length / 2)
  // One step per part.
  expect(unsure).toBeLessThanOrEqual(SIMILAR.length)
})

const LOST: readonly Fault[] = [
  { kind: 'reset', afterwards: true },
  { kind: 'reset', afterwards: false },
  { kind: 'garbage', afterwards: true },
  { kind: 'truncated', afterwards: false },
  { kind: 'late', ms: 40 },
]

describe('a lost response between similar parts', () => {
  const at = faultFixture()

  it.each(LOST.map((fault) => [Object.values(fault).join(' '), fault] as const))(
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
        expect(partsAt(created)).toEqual(
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
