import { expect, it } from 'vitest'
import { newFolder, removeFolder, startCompanion, until } from './companion.ts'
import { seededRandom } from './seeded-random.ts'
import { startScriptedService, type Fault } from './scripted-service.ts'

/** Faults after which the service still has its jobs, so that each submission must become exactly one job. */
const FAULTS: readonly Fault[] = [
  { kind: 'reset', afterwards: false },
  { kind: 'reset', afterwards: true },
  { kind: 'garbage', afterwards: true },
  { kind: 'truncated', afterwards: true },
  { kind: 'halfHeader', afterwards: false },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 500, afterwards: true },
]

it.each([
  [60, 1],
  [60, 2],
  [1_000, 3],
] as const)('%i submissions arrive exactly once, in order, despite faults (seed %i)', async (count, seed) => {
  const random = seededRandom(seed)
  const folder = newFolder()
  const service = await startScriptedService()
  let ids = 0
  const companion = startCompanion({ baseUrl: service.baseUrl, folder, newId: () => `r${(ids += 1)}` })
  // A seeded fraction of the requests fails, none more than twice.
  let inARow = 0
  service.script(
    'POST /jobs',
    Array.from({ length: count * 2 }, () => {
      inARow = random() < 0.1 && inARow < 2 ? inARow + 1 : 0
      return inARow === 0 ? null : (FAULTS[Math.floor(random() * FAULTS.length)] ?? null)
    }),
  )
  try {
    const submitted = Array.from({ length: count }, (_, n) => `${n}.jpg`)
    for (const name of submitted) companion.submit(name)
    await until('everything is idle', () => companion.isIdle(), 10 * 60_000)
    expect(service.created.map(({ files }) => (files[0] ?? '').replace(/^.*[/]/, ''))).toEqual(submitted)
    expect(new Set(companion.history.unfinished().map(({ jobId }) => jobId)).size).toBe(count)
    expect(companion.outbox.list().length + companion.outbox.accepted().length).toBe(0)
  } finally {
    await companion.stop()
    await service.close()
    removeFolder(folder)
  }
})
