/** A command that is stopped at an unusual moment: nothing is lost, nothing is made twice, and it reports what remains. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { ownerInApp } from '../../src/main/cli/index.ts'
import { ownerOf, serveInTest } from '../main/cli/command.ts'
import { openTestApp, openTestCore, useBuiltIn } from '../main/core/open-core.ts'
import { openGate, type Gate } from '../service/drive/gate.ts'
import { startRemotes, type Remotes } from '../service/drive/remotes.ts'
import { photoFolders, type PhotoFolders, resultsIn, SAMPLE, someResultsIn } from './photo-folders.ts'
import { seededRandom } from './seeded-random.ts'

const PHOTOS = 24

/** Waits until there are more results than before. */
const moreResultsIn = (folder: string, before = resultsIn(folder).length): Promise<void> =>
  expect.poll(() => resultsIn(folder).length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(before)

/** Expects that the next `outbox send` processes the rest, and that no unfinished file stays. */
async function expectRestSent({ command, out, onceEach }: PhotoFolders): Promise<void> {
  const sent = await command('outbox', 'send')
  expect(sent.code, sent.output).toBe(0)
  expect(readdirSync(out).toSorted()).toEqual(onceEach)
  expect((await command('outbox')).output).toContain('The outbox is empty.')
}

/** Only Ctrl-C cancels. */
const continuing = expect.arrayContaining([
  expect.objectContaining({ event: 'notice', message: expect.stringContaining('The jobs continue') }),
])

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

it.each(SIGNALS)(
  '“outbox send” stopped with %s leaves the rest to the owner, and the next one follows it',
  async (signal) => {
    const at = photoFolders(PHOTOS)
    await at.killSubmit(at.files, at.out)
    const sending = at.start('outbox', 'send')
    // Until then, new results may be those of the killed command.
    await sending.until((events) => events.some(({ event }) => event === 'accepted'))
    await moreResultsIn(at.out)
    const { code, events } = await sending.stop(signal)
    expect([code, events]).toEqual([130, continuing])
    await expectRestSent(at)
  },
)

/** Cancels a job with Ctrl-C. @returns its ID */
const canceled = async (at: PhotoFolders): Promise<string> => {
  const { stop } = at.startSubmit(at.files, at.out)
  await someResultsIn(at.out)
  const { events } = await stop('SIGINT')
  return String(events.find(({ event }) => event === 'finished')?.['id'])
}

it('“retry” stopped with SIGTERM leaves the rest to the owner, and “outbox send” follows it', async () => {
  const at = photoFolders(PHOTOS)
  const retrying = at.start('retry', await canceled(at))
  await moreResultsIn(at.out)
  const { code, events } = await retrying.stop('SIGTERM')
  expect([code, events]).toEqual([130, continuing])
  await expectRestSent(at)
})

it('“retry” canceled with Ctrl-C ends its job, and the next “retry” processes the other files', async () => {
  const at = photoFolders(PHOTOS)
  const retrying = at.start('retry', await canceled(at))
  await moreResultsIn(at.out)
  const { code, events } = await retrying.stop('SIGINT')
  const finished = events.find(({ event }) => event === 'finished')
  expect([code, finished]).toMatchObject([130, { outcome: { kind: 'cancelled' } }])
  const again = await at.command('retry', String(finished?.['id']))
  expect(again.code, again.output).toBe(0)
  expect(resultsIn(at.out)).toEqual(at.onceEach)
})

describe('“submit”', () => {
  it('stopped with SIGTERM while it starts has either kept its files or done nothing', async () => {
    const random = seededRandom(7)
    for (let round = 0; round < 40; round++) {
      const at = photoFolders(4)
      const { stop, ended } = at.startSubmit(at.files, at.out)
      await Promise.race([sleep(random() * 900), ended])
      const { code, signal, events } = await stop('SIGTERM')
      const done = events.some(({ event }) => event === 'finished')
      const isKept = events.some(({ event }) => event === 'kept')
      // Node ends the process itself until the program has loaded.
      expect(signal === 'SIGTERM' ? 'SIGTERM' : code, JSON.stringify(events)).toBe(
        done ? 0 : signal === 'SIGTERM' ? 'SIGTERM' : 130,
      )
      const sent = await at.command('outbox', 'send')
      expect(sent.code, sent.output).toBe(0)
      const made = resultsIn(at.out)
      expect(made).toEqual(made.length === 0 && !done && !isKept ? [] : at.onceEach)
    }
  })

  it('stopped with SIGTERM again ends at once, and “outbox send” processes the rest', async () => {
    if (process.platform !== 'linux') return
    const at = photoFolders(PHOTOS)
    const { stop, ended } = at.startSubmit(at.files, at.out)
    await someResultsIn(at.out)
    void stop('SIGTERM')
    // Signals within 200 ms count as one.
    await Promise.race([sleep(300), ended])
    const { code, signal } = await stop('SIGTERM')
    expect([code, signal]).toContainEqual(signal === null ? 130 : 'SIGTERM')
    await expectRestSent(at)
  })

  it.each(SIGNALS)('stopped with %s while it waits for the app leaves its job to the app', async (signal) => {
    const at = photoFolders(PHOTOS)
    const { core: app, ...parts } = openTestApp(at.data)
    await serveInTest(at.data, ownerInApp(app, parts))
    await useBuiltIn(app)
    const submitting = at.startSubmit(at.files, at.out, '--wait')
    await someResultsIn(at.out)
    const { code, events } = await submitting.stop(signal)
    expect(code).toBe(130)
    expect(JSON.stringify(events)).not.toContain('cancelled')
    await expect.poll(() => resultsIn(at.out), { timeout: 60_000 }).toEqual(at.onceEach)
    const outcomes = () => app.history.page({}, { offset: 0, limit: 9 }).records.map(({ outcome }) => outcome)
    await expect.poll(outcomes).toMatchObject([{ kind: 'done', results: PHOTOS }])
  })
})

describe('a job with a cloud drive', () => {
  let remotes: Remotes
  let gate: Gate
  beforeAll(async () => {
    remotes = await startRemotes()
    gate = await openGate(remotes.davPort)
    await remotes.add('gated', { type: 'webdav', url: gate.url, vendor: 'other' })
  })
  afterAll(async () => {
    await gate.close()
    await remotes.stop()
  })

  const inDrive = (folder: string) => readdirSync(join(remotes.davRoot, folder)).toSorted()

  async function driveFolders(count: number): Promise<PhotoFolders> {
    const at = photoFolders(count, { RCLONE_CONFIG: remotes.config })
    const { code, output } = await at.command('drive', 'use', 'gated:')
    expect(code, output).toBe(0)
    return at
  }

  /** Lets only two uploads reach the drive. */
  function holdUploads(folder: string): void {
    mkdirSync(join(remotes.davRoot, folder))
    let uploads = 0
    gate.rule((method) => (method === 'PUT' && ++uploads > 2 ? 'hold' : 'pass'))
  }
  const someArrived = (folder: string) =>
    expect.poll(() => inDrive(folder).length, { timeout: 60_000 }).toBeGreaterThan(0)

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'stopped with %s during the upload continues, and uploads nothing twice, even if it arrived unnoticed',
    async (signal) => {
      const at = await driveFolders(6)
      const made = await at.command('submit', ...at.files, '--output', at.out)
      expect(made.code, made.output).toBe(0)
      const folder = `up-${signal}`
      holdUploads(folder)
      const { stop } = at.startSubmit(at.files, null, '--drive-output', folder)
      await someArrived(folder)
      const { events } = await stop(signal)
      expect(events.some(({ event }) => event === 'finished')).toBe(false)
      const unnoticed = at.onceEach.find((name) => !inDrive(folder).includes(name)) ?? ''
      copyFileSync(join(at.out, unnoticed), join(remotes.davRoot, folder, unnoticed))
      gate.rule(() => 'pass')
      const sent = await at.command('outbox', 'send')
      expect([sent.code, inDrive(folder)], sent.output).toEqual([0, at.onceEach])
      expect((await at.command('outbox')).output).toContain('The outbox is empty.')
    },
  )

  it('continues its upload when the app has quit and starts again', async () => {
    const at = await driveFolders(6)
    vi.stubEnv('RCLONE_CONFIG', remotes.config)
    holdUploads('app')
    const app = await openTestCore(at.data)
    await useBuiltIn(app)
    const output = { kind: 'drive', folderId: 'app' } as const
    const draft = draftOfFiles(at.files, { presets: [], output })
    await app.drafts.startDraft(draft, { split: false, grace: 0 })
    await someArrived('app')
    await app.close()
    gate.rule(() => 'pass')
    const again = await openTestCore(at.data)
    onTestFinished(() => again.close())
    const records = () => again.history.page({}, { offset: 0, limit: 9 }).records
    expect(records()).toEqual([])
    await useBuiltIn(again)
    const outcomes = () => records().map(({ outcome }) => outcome)
    await expect
      .poll(outcomes, { timeout: 60_000 })
      .toMatchObject([{ kind: 'done', results: 6, uploaded: 6 }])
    expect(inDrive('app')).toEqual(at.onceEach)
  })

  it('whose command and host are stopped with SIGTERM during the download leaves it to the user whether to process the files again', async () => {
    const at = await driveFolders(1)
    mkdirSync(join(remotes.davRoot, 'in'))
    for (let n = 0; n < 12; n++) copyFileSync(SAMPLE, join(remotes.davRoot, 'in', `photo-${n}.jpg`))
    let fetches = 0
    gate.rule((method) => (method === 'GET' && ++fetches > 3 ? 'hold' : 'pass'))
    const { stop } = at.start('submit', '--drive-input', 'in', '--output', at.out)
    await expect.poll(() => fetches, { timeout: 60_000 }).toBeGreaterThan(3)
    expect((await stop('SIGTERM')).code).toBe(130)
    process.kill((await ownerOf(at.data)) ?? 0, 'SIGTERM')
    await expect.poll(() => ownerOf(at.data)).toBeUndefined()
    gate.rule(() => 'pass')
    const requests = gate.seen.length
    const sent = await at.command('outbox', 'send')
    expect([sent.code, sent.events.at(-1)], sent.output).toMatchObject([5, { event: 'unknown' }])
    expect(gate.seen.slice(requests).filter((line) => /^(?:GET|PUT) .*\.jpg$/.test(line))).toEqual([])
    // Nothing unfinished stays, neither here nor in the service's folder.
    expect(readdirSync(at.out)).toEqual(resultsIn(at.out))
    expect(readdirSync(join(at.data, 'service', 'drive-work'))).toEqual([])
  })
})
