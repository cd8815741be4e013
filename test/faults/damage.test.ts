/** A damaged file is reported and kept as a copy. Entries that another file also has are recovered (point 11). */
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportDamagedPresets, startWatching } from '../../src/main/core/index.ts'
import { createEvents, type CoreEvents } from '../../src/main/core/events.ts'
import { createPresetFiles } from '../../src/main/presets/presets.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { run } from '../main/cli/command.ts'
import { openUntilEnd, startDraft, timing } from '../main/core/open-core.ts'
import { acceptance, submissionOf } from '../main/history/sample-records.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const NONSENSE = 'no database, but long enough to have had a header '.repeat(100)
const damage = (folder: string, name: string) => writeFileSync(join(folder, name), NONSENSE)
const keptIn = (folder: string) => readdirSync(folder).filter((name) => /damaged-.*\.db$/.test(name))

test('submissions in a damaged outbox can be started again from the history', async () => {
  const folder = temporaryFolder()
  const before = await openUntilEnd(folder)
  const id = await startDraft(before, draftOfFiles(['/in/a.jpg']))
  await before.close()
  damage(folder, 'outbox.db')
  const core = await openUntilEnd(folder)
  expect(core.state.get().notices).toMatchObject([{ kind: 'memoryDamaged', what: 'outbox' }])
  expect(core.history.details(id)?.outcome).toEqual({ kind: 'cancelled', results: 0 })
  expect(core.history.draftFrom(id, 'failed')?.source).toMatchObject({ items: [{ path: '/in/a.jpg' }] })
  core.notices.dismissDamage('memoryDamaged')
  expect(core.state.get().notices).toEqual([])
})

test('jobs of a damaged outbox aren’t said to be in a history that was damaged, too', async () => {
  const folder = temporaryFolder()
  damage(folder, 'outbox.db')
  damage(folder, 'history.db')
  const core = await openUntilEnd(folder)
  expect(core.state.get().notices).toMatchObject([{ what: 'outbox', withHistory: true }, { what: 'history' }])
})

test('a damaged download list is rebuilt from the acceptances in the history', async () => {
  const folder = temporaryFolder()
  const before = await openUntilEnd(folder)
  const [id, local] = [asRecordId('remote'), asRecordId('local')]
  for (const one of [id, local]) {
    const accepted = { ...acceptance, remote: one === id }
    void before.history.recordAcceptedSubmission(submissionOf(one, ['/in/a.jpg']), accepted)
  }
  await before.close()
  damage(folder, 'state.db')
  const core = await openUntilEnd(folder)
  expect(core.state.get().notices).toMatchObject([{ kind: 'memoryDamaged', what: 'state' }])
  expect([id, local].map((one) => core.downloads.isExpected(one))).toEqual([true, false])
})

test('the app reports each of two damaged files, including the record of watched folders', async () => {
  const folder = temporaryFolder()
  damage(folder, 'state.db')
  damage(folder, 'history.db')
  const core = await openUntilEnd(folder)
  const watch = startWatching({ core, timing, onTrouble: () => undefined, log: () => undefined })
  const said = core.state.get().notices.map((notice) => (notice.kind === 'memoryDamaged' ? notice.what : ''))
  expect(said).toEqual(['history', 'state'])
  expect(keptIn(folder)).toHaveLength(2)
  await watch.close()
})

test('the app reports an unreadable preset until it is fixed', async () => {
  const folder = join(temporaryFolder(), 'presets')
  await mkdir(folder)
  await writeFile(join(folder, 'broken.json'), '{"name": "Broken", ')
  const events = createEvents<CoreEvents>(() => undefined)
  const said: (readonly string[])[] = []
  reportDamagedPresets(
    {
      lines: { to: () => true },
      events,
      notices: { reportDamagedPresets: (files) => said.push(files) },
    },
    createPresetFiles(folder),
    () => undefined,
  )
  await expect.poll(() => said.at(-1)).toEqual(['broken.json'])
  await writeFile(
    join(folder, 'broken.json'),
    JSON.stringify({ name: 'Repaired', image: { format: 'jpeg' } }),
  )
  events.tell('connectionChanged')(undefined as never)
  await expect.poll(() => said.at(-1)).toEqual([])
})

test('a command that finds a damaged database completes, reports where the copy is, and exits with a dedicated code', async () => {
  const data = temporaryFolder()
  damage(data, 'history.db')
  const command = () => run(['outbox', '--json'], { env: { MEDIATRAY_DATA_DIR: data } })
  const { code, events } = await command()
  expect(code).toBe(8)
  const [kept = ''] = keptIn(data)
  expect(events).toContainEqual({ event: 'notice', message: expect.stringContaining(kept) })
  expect(await command()).toMatchObject({ code: 0 })
})
