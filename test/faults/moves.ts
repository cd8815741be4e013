/** Jobs in an outbox, and random moves of them that any process can repeat. */
import { join } from 'node:path'
import { openOutbox, planDraft, type Outbox } from '../../src/main/outbox/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { seededRandom } from './seeded-random.ts'

const PRESETS = { image: ['Web', 'Mail', 'Print'], video: [] }
const JOBS = 5

export function openIn(folder: string): Outbox {
  let ids = 0
  return openOutbox({
    file: join(folder, 'outbox.db'),
    clock: () => 1_000,
    ids: () => asRecordId(`single ${(ids += 1)}`),
  })
}

/** Adds the jobs of the photos `0.jpg` to `4.jpg`, of which the second and the fourth have three parts. */
export async function fill(outbox: Outbox): Promise<void> {
  for (let job = 0; job < JOBS; job += 1) {
    const draft = draftOfFiles([`/in/${job}.jpg`], { presets: job % 2 === 0 ? ['Web'] : PRESETS.image })
    const plan = planDraft(draft, { presets: PRESETS, drive: null, seesFiles: true }, () =>
      asRecordId(`job ${job}`),
    )
    if (!plan.ok) throw new Error('The draft can’t be planned.')
    await outbox.enqueue(plan.submissions)
  }
}

export const namesIn = (outbox: Outbox): readonly string[] =>
  outbox.list().map(({ title }) => `${title.name} ${title.preset}`)

/** Moves a job ahead of another one, or to the end. The number decides which. */
export function move(outbox: Outbox, n: number): void {
  const random = seededRandom(n)
  const [moved, before] = [random(), random()].map((share) => Math.floor(share * JOBS))
  const idOf = (job: number | undefined) => outbox.list().find(({ title }) => title.name === `${job}.jpg`)?.id
  const id = idOf(moved)
  if (id !== undefined) outbox.moveBefore(id, moved === before ? null : (idOf(before) ?? null))
}
