/** A client, the owner or both are killed at any moment. What was submitted is processed once, and nothing is left running. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connectOwner } from '../../src/node/owner-link/connect-owner.ts'
import { readAddress } from '../../src/node/owner-link/proof.ts'
import { childrenOf } from '../child-processes.ts'
import { isLongSuite } from '../faults/long-suite.ts'
import { photoFolders, resultsIn } from '../faults/photo-folders.ts'
import { seededRandom } from '../faults/seeded-random.ts'
import { ownerOf } from '../main/cli/command.ts'

const PHOTOS = 3
const ROUNDS = isLongSuite ? 200 : 1
/** Longer than a start and a job take on a quiet computer, in ms. */
const LONGEST = 2_500
/** How long a host takes to end its commands, in ms. */
const TAKEOVER = 600

const VICTIMS = ['client', 'owner', 'both'] as const
type Victim = (typeof VICTIMS)[number]

/** Asks the owner to end, as another one does that takes over. */
async function takeOver(data: string): Promise<void> {
  const owner = await connectOwner(data, { hear: () => undefined, closed: () => undefined })
  owner?.link.send({ type: 'yield' })
}

/** Also kills an owner that a client has just started, and that doesn't listen yet. */
function killOwners(data: string, client: number): void {
  const listening = Number(readAddress(data)?.pid)
  for (const pid of new Set([...childrenOf(client), ...(listening > 0 ? [listening] : [])])) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/** Whether the client has ended with a code that it may have. */
const CODES: Readonly<Record<Victim, readonly (number | null)[]>> = {
  client: [null, 0],
  owner: [0, 4],
  both: [null, 0, 4],
}

async function round(victim: Victim, takesOver: boolean, seed: number): Promise<void> {
  const random = seededRandom(seed)
  const at = photoFolders(PHOTOS)
  const submitting = at.startSubmit(at.files, at.out)
  await Promise.race([sleep(random() * LONGEST), submitting.ended])
  if (takesOver) {
    await takeOver(at.data)
    await sleep(random() * TAKEOVER)
  }
  if (victim !== 'client') killOwners(at.data, submitting.pid)
  if (victim !== 'owner') await submitting.kill()
  const story = `seed ${seed}`
  expect(CODES[victim], story).toContain((await submitting.ended).code)

  const sent = await at.command('outbox', 'send')
  expect(sent.code, `${story}: ${sent.output}`).toBe(0)
  // It processes only what wasn't submitted before the kill.
  const again = await at.command('submit', ...at.files, '--output', at.out, '--skip-done')
  expect(again.code, `${story}: ${again.output}`).toBe(0)
  expect(resultsIn(at.out), story).toEqual(at.onceEach)
  await expect.poll(() => ownerOf(at.data)).toBeUndefined()
}

it.skipIf(process.platform === 'win32').each(VICTIMS)(
  'each input is processed once if a kill hits the %s',
  async (victim) => {
    for (let seed = 1; seed <= ROUNDS; seed++) await round(victim, false, seed)
  },
)

it.skipIf(process.platform === 'win32')(
  'each input is processed once if a kill hits anyone while another owner takes over',
  async () => {
    for (let seed = 1; seed <= ROUNDS; seed++)
      await round(VICTIMS[seed % VICTIMS.length] ?? 'both', true, seed)
  },
)
