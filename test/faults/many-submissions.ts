import { newFolder, removeFolder, startCompanion, until } from './companion.ts'
import { seededRandom } from './killed-runs.ts'
import { startScriptedService, type Fault } from './scripted-service.ts'

/** Faults that leave the service its memory, so that each submission has to be made exactly once in the end. */
const FAULTS: readonly Fault[] = [
  { kind: 'reset', afterwards: false },
  { kind: 'reset', afterwards: true },
  { kind: 'garbage', afterwards: true },
  { kind: 'truncated', afterwards: true },
  { kind: 'halfHeader', afterwards: false },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 500, afterwards: true },
]

export type ManySubmissions = {
  readonly submitted: readonly string[]
  /** File names in the order in which the service made jobs of them. */
  readonly made: readonly string[]
  readonly remembered: number
  readonly left: number
}

/** Sends `count` submissions while a seeded share of the requests goes wrong, never the same one three times. */
export async function sendMany(count: number, seed: number): Promise<ManySubmissions> {
  const random = seededRandom(seed)
  const folder = newFolder()
  const service = await startScriptedService()
  let ids = 0
  const companion = startCompanion({ baseUrl: service.baseUrl, folder, newId: () => `r${(ids += 1)}` })
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
    await until('all is settled', () => !companion.sender.busy(), 10 * 60_000)
    return {
      submitted,
      made: service.created.map(({ files }) => (files[0] ?? '').replace(/^.*[/]/, '')),
      remembered: new Set(companion.history.unfinished().map(({ jobId }) => jobId)).size,
      left: companion.outbox.list().length + companion.outbox.accepted().length,
    }
  } finally {
    await companion.stop()
    await service.close()
    removeFolder(folder)
  }
}
