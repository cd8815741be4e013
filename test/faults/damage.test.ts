/** Damaged files: each is kept beside, said, and what another file knows is offered again (point 11). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sayDamagedPresets } from '../../src/main/core/index.ts'
import { createEvents, type CoreEvents } from '../../src/main/core/events.ts'
import { openDatabase } from '../../src/main/database/database.ts'
import { createPresetFiles } from '../../src/main/presets/presets.ts'
import { startWatching } from '../../src/main/core/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { run, temporaryFolder as commandFolder } from '../main/cli/command.ts'
import { openTestCore, temporaryFolder, timing } from '../main/core/open-core.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'

const NONSENSE = 'no database, but long enough to have had a header '.repeat(100)
const damage = (folder: string, name: string) => writeFileSync(join(folder, name), NONSENSE)
const keptIn = (folder: string) => readdirSync(folder).filter((name) => /damaged-.*\.db$/.test(name))

const REMOTE = {
  jobId: 'job-1',
  baseUrl: 'http://elsewhere/api',
  connection: 'external',
  acceptedAt: 1,
  skipped: [],
  adopted: false,
  remote: true,
} as const

test('what waited in a damaged outbox is offered again by the history', async () => {
  const folder = await temporaryFolder()
  const before = await openTestCore(folder)
  const started = await before.drafts.startDraft(draftOfFiles(['/in/a.jpg']), { split: false, grace: 0 })
  await before.close()
  damage(folder, 'outbox.db')
  const core = await openTestCore(folder)
  const id = started.ok ? started.ids[0] : undefined
  if (id === undefined) throw new Error('it was started')
  expect(core.state.get().notices).toMatchObject([{ kind: 'memoryDamaged', what: 'outbox' }])
  expect(core.history.details(id)?.outcome).toEqual({ kind: 'cancelled', results: 0 })
  expect(core.history.draftFrom(id, 'failed')?.source).toMatchObject({ items: [{ path: '/in/a.jpg' }] })
  core.notices.dismissDamage('memoryDamaged')
  expect(core.state.get().notices).toEqual([])
  await core.close()
})

test('results whose list was damaged are expected again, as the acceptances say', async () => {
  const folder = await temporaryFolder()
  const before = await openTestCore(folder)
  const [id, local] = [asRecordId('remote'), asRecordId('local')]
  for (const one of [id, local]) {
    before.history.recordSubmission({
      title: {
        id: one,
        name: 'a.jpg',
        firstPath: '/in/a.jpg',
        photos: 1,
        videos: 0,
        files: 1,
        preset: null,
        variations: 1,
        output: { kind: 'folder', path: '/out' },
        driveInput: null,
        origin: 'ours',
        createdAt: 1,
      },
      inputs: [],
      grouping: 'together',
    })
    before.history.recordAccepted(one, { ...REMOTE, remote: one === id })
  }
  await before.close()
  damage(folder, 'downloads.db')
  const core = await openTestCore(folder)
  expect(core.state.get().notices).toMatchObject([{ kind: 'memoryDamaged', what: 'downloads' }])
  expect([id, local].map((one) => core.downloads.isExpected(one))).toEqual([true, false])
  await core.close()
})

test('a damaged memory of watched folders is said, and of two damaged files both', async () => {
  const folder = await temporaryFolder()
  damage(folder, 'watched.db')
  damage(folder, 'history.db')
  const core = await openTestCore(folder)
  const watch = startWatching({
    core,
    dataFolder: folder,
    timing,
    onTrouble: () => undefined,
    log: () => undefined,
  })
  const said = core.state.get().notices.map((notice) => (notice.kind === 'memoryDamaged' ? notice.what : ''))
  expect(said).toEqual(['history', 'watched'])
  expect(keptIn(folder)).toHaveLength(2)
  await watch.close()
  await core.close()
})

test('a preset that can’t be understood is said, and no longer when it was mended', async () => {
  const folder = join(await temporaryFolder(), 'presets')
  await mkdir(folder)
  await writeFile(join(folder, 'broken.json'), '{"name": "Broken", ')
  const events = createEvents<CoreEvents>(() => undefined)
  const said: (readonly string[])[] = []
  sayDamagedPresets(
    {
      connection: { view: () => ({ kind: 'builtIn' }) },
      events,
      notices: { sayDamagedPresets: (files) => said.push(files) },
    },
    createPresetFiles({ folder }),
    () => undefined,
  )
  await expect.poll(() => said.at(-1)).toEqual(['broken.json'])
  await writeFile(join(folder, 'broken.json'), JSON.stringify({ name: 'Mended', image: { format: 'jpeg' } }))
  events.tell('connectionChanged')(undefined as never)
  await expect.poll(() => said.at(-1)).toEqual([])
})

test('a command that meets a damaged database does its work, says where it is kept, and ends with a code of its own', async () => {
  const data = commandFolder()
  damage(data, 'history.db')
  const command = () => run(['outbox', '--json'], { env: { MEDIATRAY_DATA_DIR: data } })
  const { code, events } = await command()
  expect(code).toBe(8)
  const [kept = ''] = keptIn(data)
  expect(events).toContainEqual({ event: 'notice', message: expect.stringContaining(kept) })
  expect(await command()).toMatchObject({ code: 0 })
})

const kept = {
  migrations: [(made: { exec(sql: string): void }) => made.exec('CREATE TABLE kept (id INTEGER)')],
  synchronous: 'full',
  checkWhole: true,
  clock: Date.now,
} as const

test('of two processes that find the same file damaged in use, one sets it aside and the other takes the new one', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'kept.db')
  const [one, other] = [openDatabase({ ...kept, file }), openDatabase({ ...kept, file })]
  for (const { connection } of [one, other]) connection.close()
  const first = openDatabase({ ...kept, file, damaged: one.identity })
  const second = openDatabase({ ...kept, file, damaged: other.identity })
  onTestFinished(() => [first, second].forEach(({ connection }) => connection.close()))
  expect([first.setAside === null, second.setAside]).toEqual([false, null])
  first.connection.exec('INSERT INTO kept VALUES (1)')
  expect(second.connection.prepare('SELECT count(*) AS n FROM kept').get()).toEqual({ n: 1 })
})

/** Opens the file at a moment that all of them wait for, and writes a row. */
const OPENER = `
  import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, '../../src/main/database/database.ts'))}
  const [file, at] = process.argv.slice(-2)
  while (Date.now() < Number(at)) {}
  const { connection } = openDatabase({ file, migrations: [(made) => made.exec('CREATE TABLE kept (id INTEGER)')],
    synchronous: 'full', checkWhole: true, clock: Date.now })
  connection.exec('INSERT INTO kept VALUES (1)')
  connection.close()`

test('of several processes that open the same damaged file at once, one sets it aside', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'kept.db')
  damage(folder, 'kept.db')
  const at = String(Date.now() + 1_500)
  const processes = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', OPENER, file, at], { stdio: 'ignore' }),
  )
  const codes = await Promise.all(processes.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual([0, 0, 0, 0])
  expect(keptIn(folder)).toHaveLength(1)
  const { connection } = openDatabase({ ...kept, file })
  onTestFinished(() => connection.close())
  expect(connection.prepare('SELECT count(*) AS n FROM kept').get()).toEqual({ n: 4 })
})
