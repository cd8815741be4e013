/** If the built-in service is killed mid-job, the remaining files are processed afterwards and none is processed twice. */
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { WAITING } from '../../src/main/outbox/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { attempt, draftOfFiles, openOutboxIn, planOfFiles } from '../main/outbox/drafts.ts'
import { startDraft, stateWhen } from '../main/core/open-core.ts'
import { openApp } from './built-in-app.ts'
import { itInLongSuite } from './long-suite.ts'
import { photoFolders, type PhotoFolders, resultsIn, someResultsIn } from './photo-folders.ts'

const PHOTOS = 24

/** Creates folders with photos of which a killed command has processed some. */
async function killedSubmit(): Promise<PhotoFolders> {
  const at = photoFolders(PHOTOS)
  await at.killSubmit(at.files, at.out)
  return at
}

/** Leaves the outbox of a command that was killed while waiting for its own service. */
async function leaveSendingOutbox({ data, files, out }: PhotoFolders): Promise<void> {
  const outbox = openOutboxIn(data)
  const [id, createdAt] = [asRecordId('r1'), Date.now()]
  const plan = planOfFiles(files, { preset: null, output: { kind: 'folder', path: out }, target: 'builtIn' })
  outbox.putBack({ id, createdAt, plan, state: WAITING })
  const sent = { ...attempt, at: createdAt, service: 'builtIn', connection: 'builtIn' } as const
  expect(outbox.beginSending(id, sent)).toBe(true)
  await outbox.onDisk()
  expect(outbox.get(id)?.state.kind).toBe('sending')
  outbox.close()
}

itInLongSuite(
  'the rest of a killed command’s submission waits in the outbox, and “outbox send” processes it',
  async () => {
    const { command, out, onceEach } = await killedSubmit()
    const history = await command('history')
    const before = resultsIn(out).length
    expect(before).toBeLessThan(PHOTOS)
    expect(history.events).toMatchObject([
      {
        event: 'record',
        outbox: 'waiting',
        record: {
          outcome: null,
          files: PHOTOS - before,
          parts: [{ outcome: null }, { outcome: { kind: 'done', results: before } }],
        },
      },
      { event: 'found' },
    ])
    const { code, output } = await command('outbox', 'send')
    expect(code, output).toBe(0)
    // The host of “history” continues the job too, and may have ended it before the last command. Either way, the job has all of its results.
    const [ended] = (await command('history')).events
    expect(ended).toMatchObject({ outbox: null, record: { outcome: { kind: 'done', results: PHOTOS } } })
    expect(resultsIn(out)).toEqual(onceEach)
  },
)

itInLongSuite.each([{ first: ['outbox'] }, { first: [] }])(
  'a killed command’s submission is found without reading the history first ($first)',
  async ({ first }) => {
    const { command, out, onceEach } = await killedSubmit()
    if (first.length > 0)
      expect((await command(...first)).events).toMatchObject([{ event: 'entry', state: 'waiting' }])
    const { events, output } = await command('outbox', 'send')
    expect(events.at(-1), output).toMatchObject({ event: 'group', outcome: { kind: 'done' } })
    expect(resultsIn(out)).toEqual(onceEach)
  },
)

itInLongSuite(
  'a killed command’s notes are read during any next command, however old they are, and notes don’t pile up',
  async () => {
    const { command, data, out, onceEach } = await killedSubmit()
    const notes = join(data, 'service', 'placed')
    const [name = ''] = await readdir(notes)
    await utimes(join(notes, name), 0, 0)
    for (let n = 0; n < 3; n++) expect((await command('presets')).code).toBe(0)
    // Services that had no job don't leave their notes behind for long.
    expect((await readdir(notes)).length).toBeLessThanOrEqual(2)
    await command('outbox', 'send')
    expect(resultsIn(out)).toEqual(onceEach)
  },
)

itInLongSuite(
  'a submission that a killed command was sending to its own service is sent again immediately',
  async () => {
    const at = photoFolders(3)
    await leaveSendingOutbox(at)
    const { code, events, output } = await at.command('outbox', 'send')
    expect(events.at(-1), output).toMatchObject({ event: 'finished', outcome: { kind: 'done' } })
    expect(output).not.toContain('"checking"')
    expect(code).toBe(0)
    expect(resultsIn(at.out)).toEqual(at.onceEach)
  },
)

itInLongSuite(
  'commands ask before processing the rest of a killed command’s submission if the settings require it',
  async () => {
    const { command, data, files, out, onceEach, killSubmit } = photoFolders(PHOTOS)
    await writeFile(join(data, 'settings.json'), JSON.stringify({ settings: { interrupted: 'ask' } }))
    await killSubmit(files, out)
    await command('history')
    const before = resultsIn(out).length
    const sent = await command('outbox', 'send')
    expect(sent).toMatchObject({ code: 5, events: [{ event: 'unknown' }] })
    const [entry] = (await command('outbox')).events
    expect(entry).toMatchObject({ state: 'unknown', lookAlikes: [] })
    expect(entry?.['inputs']).toHaveProperty('files.length', PHOTOS - before)
    const resolved = await command('outbox', 'resolve', String(entry?.['id']), 'send')
    expect(resolved.events, resolved.output).toMatchObject([{ event: 'resolved', how: 'waits' }])
    expect((await command('outbox', 'send')).code).toBe(0)
    expect(resultsIn(out)).toEqual(onceEach)
  },
)

itInLongSuite(
  'a killed command’s variations are left to the user if only some are done, and the history lists those',
  async () => {
    const { command, files, out, killSubmit } = photoFolders(1)
    await killSubmit(files, out, '--count', '60')
    const [known] = (await command('history')).events
    expect(known).toHaveProperty('record.results.length', resultsIn(out).length)
    expect((await command('outbox')).events).toMatchObject([{ state: 'unknown' }])
  },
)

itInLongSuite(
  'a killed command’s job with two presets and the same photos ends with each part once',
  async () => {
    const { command, files, out, startSubmit } = photoFolders(12)
    const presets = ['Web 2048', 'Thumbnail']
    const { kill } = startSubmit(files, out, ...presets.flatMap((preset) => ['--preset', preset]))
    await someResultsIn(join(out, 'Web 2048'))
    await kill()
    const { code, output } = await command('outbox', 'send')
    expect(code, output).toBe(0)
    for (const preset of presets) {
      const made = resultsIn(join(out, preset)).map((name) => name.match(/^photo-\d+/)?.[0] ?? name)
      expect(made.toSorted(), preset).toEqual(files.map((file) => basename(file, '.jpg')).toSorted())
    }
  },
)

/** Opens an app, and starts a job whose results are on their way. */
async function appAtWork({ data, files, out }: PhotoFolders) {
  const { core, killService } = openApp(data)
  onTestFinished(() => core.close())
  await stateWhen(core, ({ connection }) => connection.state.status === 'online')
  const output = { kind: 'folder', path: out } as const
  const id = await startDraft(core, draftOfFiles(files, { presets: [], output }))
  await someResultsIn(out)
  return { core, killService, id }
}

it('the app processes the rest without asking when its service was killed', async () => {
  const at = photoFolders(PHOTOS)
  const { core, killService, id } = await appAtWork(at)
  killService()
  await expect.poll(() => core.history.details(id)?.outcome?.kind, { timeout: 90_000 }).toBe('done')
  expect(resultsIn(at.out)).toEqual(at.onceEach)
  const { records } = core.history.page({}, { offset: 0, limit: 9 })
  expect(records).toMatchObject([{ place: { photos: PHOTOS }, outcome: { kind: 'done', results: PHOTOS } }])
})

itInLongSuite(
  'a job that the user has canceled stays canceled if its service ends at once, and its results are kept',
  async () => {
    const at = photoFolders(PHOTOS)
    const { core, killService, id } = await appAtWork(at)
    void core.cancelParts(id, 'job')
    killService()
    await expect.poll(() => core.history.details(id)?.outcome?.kind, { timeout: 30_000 }).toBe('cancelled')
    expect(core.outbox.list()).toEqual([])
    expect(core.history.details(id)?.results.length).toBe(resultsIn(at.out).length)
    expect(core.outbox.cancelRequests.all()).toEqual([])
  },
)

itInLongSuite('the app processes the rest of a killed command’s submission', async () => {
  const { data, out, onceEach } = await killedSubmit()
  const { core } = openApp(data)
  onTestFinished(() => core.close())
  await expect.poll(() => resultsIn(out).length, { timeout: 90_000 }).toBe(PHOTOS)
  await expect.poll(() => core.busy() || core.tracker.jobs().length > 0, { timeout: 10_000 }).toBe(false)
  expect(resultsIn(out)).toEqual(onceEach)
})
