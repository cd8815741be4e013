/** A client, the owner or both are killed at any moment. What was submitted is processed once, and nothing is left running. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { connectOwner } from '../../src/node/owner-link/connect-owner.ts'
import { readAddress } from '../../src/node/owner-link/proof.ts'
import { takeOwnership } from '../../src/main/database/index.ts'
import { childrenOf, signalUnlessEnded, treeOf } from '../child-processes.ts'
import { openApp } from '../faults/built-in-app.ts'
import { firstOf, itInLongSuite, roundsOf } from '../faults/long-suite.ts'
import { photoFolders, resultsIn } from '../faults/photo-folders.ts'
import { seededRandom } from '../faults/seeded-random.ts'
import { jsonLines, killOwner, ownerOf, serviceOf } from '../main/cli/command.ts'
import { stateWhen } from '../main/core/open-core.ts'

const PHOTOS = 3
const ROUNDS = roundsOf(200, 1)
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
  // The work of a killed client continues, and may have been submitted after `outbox send`.
  await expect.poll(() => ownerOf(at.data)).toBeUndefined()
  expect(resultsIn(at.out), story).toEqual(at.onceEach)
}

it.skipIf(process.platform === 'win32').each(firstOf(VICTIMS))(
  'each input is processed once if a kill hits the %s',
  async (victim) => {
    for (const seed of ROUNDS) await round(victim, false, seed)
  },
)

itInLongSuite.skipIf(process.platform === 'win32')(
  'each input is processed once if a kill hits anyone while another owner takes over',
  async () => {
    for (const seed of ROUNDS) await round(VICTIMS[seed % VICTIMS.length] ?? 'both', true, seed)
  },
)

const VIDEO = join(import.meta.dirname, '../../assets/samples/sunrise.mp4')
const RESULTS = 6

type Event = Readonly<Record<string, unknown>>
const named = (events: readonly Event[], name: string) => events.filter(({ event }) => event === name)

/**
 * Submits a video of which the built-in service makes several results. Resolves while it works on them. They don't all get done before
 * the test calls `resume`, except on Windows, which can't suspend processes.
 */
async function longJob() {
  const at = photoFolders(0)
  const submitting = at.startSubmit([VIDEO], at.out, '--count', String(RESULTS))
  await expect.poll(() => resultsIn(at.out).length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0)
  const service = serviceOf(at.data)
  expect(service).toBeDefined()
  const workers = process.platform === 'win32' ? [] : treeOf(service ?? 0).slice(1)
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => workers.forEach((pid) => signalUnlessEnded(pid, name))
  signal('SIGSTOP')
  /** The job wasn't interrupted, and no one else has begun it. */
  function expectOnce(events: readonly Event[], jobId: unknown): void {
    expect(named(events, 'finished')).toMatchObject([{ jobId, outcome: { kind: 'done', results: RESULTS } }])
    expect(resultsIn(at.out)).toHaveLength(RESULTS)
  }
  return { ...at, submitting, service, resume: () => signal('SIGCONT'), expectOnce }
}

/** Whether a command waits for the job. */
const isFollowing = (events: readonly Event[]): boolean => named(events, 'progress').length > 0

itInLongSuite(
  'a job continues in the same service while a host takes over from another one, and its command shows it once',
  async () => {
    const { data, submitting, service, resume, expectOnce } = await longJob()
    const first = await ownerOf(data)
    await takeOver(data)
    await expect.poll(async () => [undefined, first].includes(await ownerOf(data))).toBe(false)
    expect(serviceOf(data)).toBe(service)
    resume()
    const { code, stdout } = await submitting.ended
    expect(code).toBe(0)
    const accepted = named(jsonLines(stdout), 'accepted')
    expect(accepted).toHaveLength(1)
    expectOnce(jsonLines(stdout), accepted[0]?.['jobId'])
    await expect.poll(() => serviceOf(data)).toBeUndefined()
  },
)

itInLongSuite(
  'a job continues in the same service after a kill -9 of the owner, and isn’t sent again',
  async () => {
    const { data, start, submitting, service, resume, expectOnce } = await longJob()
    await killOwner(data)
    const { stdout } = await submitting.ended
    const { ended, until } = start('outbox', 'send')
    await until(isFollowing)
    expect(serviceOf(data)).toBe(service)
    resume()
    const { code, events } = await ended
    expect(code).toBe(0)
    expectOnce(events, named(jsonLines(stdout), 'accepted')[0]?.['jobId'])
    await expect.poll(() => serviceOf(data)).toBeUndefined()
  },
)

itInLongSuite(
  'a job continues in the same service while the app takes over, and when it ends while a command waits',
  async () => {
    const { data, start, submitting, service, resume, expectOnce } = await longJob()
    await submitting.kill()
    await takeOver(data)
    const lock = await vi.waitFor(() => takeOwnership(data) ?? expect.fail('the host hasn’t ended'), 10_000)
    const { core } = openApp(data)
    const { jobs } = await stateWhen(core, ({ jobs: found }) => found.length > 0)
    expect([jobs.length, serviceOf(data)]).toEqual([1, service])
    await core.close('leave')
    lock.release()
    const { ended, until } = start('outbox', 'send')
    await until(isFollowing)
    resume()
    const { events } = await ended
    expectOnce(events, jobs[0]?.jobId)
  },
)
