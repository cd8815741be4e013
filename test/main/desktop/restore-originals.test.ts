import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createActions } from '../../../src/main/desktop/actions.ts'
import { vaultHandlers } from '../../../src/main/desktop/ipc/job-handlers.ts'
import {
  finishedNotification,
  releasedNotification,
} from '../../../src/main/desktop/notifications/notification-view.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { settingsPatch } from '../../../src/shared/ipc/arguments.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import { NOTHING_HELD } from '../../../src/shared/model/replacement.ts'
import { offlineCore, recordingWindow } from './offline-core.ts'
import { replacedJob } from './replaced-originals.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const t = () => createTranslation('en-GB', 'UTC')

async function setUp(names: readonly string[]) {
  const { core, folder, photo } = await offlineCore()
  const paths = await Promise.all(names.map(photo))
  const original = readFileSync(paths[0] ?? '')
  const id = await replacedJob(core, folder, paths)
  let chosen: string[] = []
  const dialogs = { askToOpen: () => Promise.resolve(chosen) }
  return {
    core,
    folder,
    paths,
    id,
    handlers: vaultHandlers({ ...core, dialogs, t }),
    choose: (...folders: string[]) => void (chosen = folders),
    areOriginal: () => paths.map((path) => readFileSync(path).equals(original)),
    counts: () => core.history.details(id)?.replaced,
  }
}

it('restores and replaces again some or all originals of a job, and updates its record', async () => {
  const { handlers, id, paths, areOriginal, counts } = await setUp(['a.jpg', 'b.jpg'])
  const [first = ''] = paths
  expect(areOriginal()).toEqual([false, false])
  expect(await handlers.undo({ id, paths: [first] })).toEqual([
    { path: first, kind: 'restored', place: first },
  ])
  expect([areOriginal(), counts()]).toEqual([[true, false], { replaced: 1, kept: 0, restored: 1 }])
  expect(await handlers.undo({ id })).toHaveLength(1)
  expect([areOriginal(), counts()]).toEqual([[true, true], { replaced: 0, kept: 0, restored: 2 }])
  expect(await handlers.redo({ id })).toHaveLength(2)
  expect([areOriginal(), counts()]).toEqual([[false, false], { replaced: 2, kept: 0, restored: 0 }])
  const unknown = async () => handlers.undo({ id: asRecordId('r_gone') })
  await expect(unknown()).rejects.toMatchObject({ message: t().error.recordGone })
})

it('restores a folder that the user chooses, even after the history was cleared', async () => {
  const { core, handlers, choose, paths, areOriginal } = await setUp(['a.jpg', 'b.jpg'])
  expect(await handlers.undoFolder()).toBe(null)
  core.history.clear()
  const folder = dirname(paths[0] ?? '')
  choose(folder)
  expect(await handlers.undoFolder()).toMatchObject({ folder, restored: [{}, {}] })
  expect(areOriginal()).toEqual([true, true])
})

it('shows what the vaults hold, and empties them', async () => {
  const { handlers, id, paths, areOriginal } = await setUp(['a.jpg'])
  const { files, vaults } = await handlers.totals()
  expect([files, vaults.length]).toEqual([1, 1])
  expect(statSync(vaults[0] ?? '').mode & 0o777).toBe(0o700)
  await handlers.empty()
  expect(await handlers.totals()).toMatchObject({ files: 0, bytes: 0 })
  expect([await handlers.undo({ id }), areOriginal(), paths.length]).toEqual([[], [false], 1])
})

itInLongSuite(
  'tells the user where an original is that a program changed in the vault, instead of deleting it',
  async () => {
    const { core, handlers, id, paths } = await setUp(['a.jpg'])
    const [vault = ''] = (await handlers.totals()).vaults
    const all = readdirSync(vault, { withFileTypes: true, recursive: true })
    const original = all.find(({ parentPath }) => basename(parentPath) === 'originals')
    writeFileSync(join(original?.parentPath ?? '', 'a.jpg'), 'saved once more')
    const released: string[] = []
    core.events.on('originalsReleased', (places) => released.push(...places))
    await handlers.empty()
    const place = join(dirname(paths[0] ?? ''), 'a (original).jpg')
    expect(released).toEqual([place])
    expect(core.history.details(id)?.replaced).toEqual({ replaced: 0, kept: 0, restored: 1 })
    const context = { t: t(), homeFolder: dirname(place), settings: DEFAULT_SETTINGS }
    expect(releasedNotification(released, context)).toMatchObject({
      choice: null,
      title: '1 replaced original wasn’t deleted',
      body: 'Another program saved it after it was replaced: ~/a (original).jpg',
    })
  },
)

it('shows nothing while no originals were ever replaced', async () => {
  const { core } = await offlineCore()
  const dialogs = { askToOpen: () => Promise.resolve([]) }
  const handlers = vaultHandlers({ ...core, dialogs, t })
  expect(await handlers.totals()).toEqual(NOTHING_HELD)
  await expect(core.replacing.inFolder('/', 'replaced')).resolves.toEqual([])
})

it('accepts how long originals are kept from the page', () => {
  expect(settingsPatch.parse({ keepOriginalsDays: null })).toEqual({ keepOriginalsDays: null })
  expect(settingsPatch.safeParse({ keepOriginalsDays: 0 }).success).toBe(false)
})

it('reports replaced originals with a button that restores them, and kept ones without it', async () => {
  const { core, id, areOriginal } = await setUp(['a.jpg'])
  const context = { t: t(), homeFolder: '/home/ada', settings: DEFAULT_SETTINGS }
  const shown = finishedNotification(recordOf(id), context)
  expect(shown).toMatchObject({
    choice: 'done',
    title: '1 replaced',
    body: 'a.jpg. The originals are in the vault.',
    buttons: [{ label: 'Undo', action: { do: 'restoreOriginals', id } }],
  })
  const { window, asked } = recordingWindow()
  const act = createActions({
    ...core,
    window,
    addMedia: {
      pasteFromClipboard: () => Promise.resolve(),
      chooseFiles: () => Promise.resolve(),
      chooseFolder: () => Promise.resolve(),
      chooseToStart: () => Promise.resolve([]),
    },
    clipboard: {
      process: () => undefined,
      undo: () => Promise.resolve(),
      saveAs: () => Promise.resolve(),
      show: () => undefined,
    },
    startWith: () => undefined,
    reveal: () => undefined,
    openHelp: () => Promise.resolve(),
    installCommand: () => Promise.resolve(),
    quit: () => undefined,
    log: (message) => asked.push(message),
  })
  act({ do: 'restoreOriginals', id })
  await expect.poll(areOriginal).toEqual([true])
  await expect.poll(() => core.history.details(id)?.replaced?.restored).toBe(1)
  expect(asked).toEqual([])

  core.history.recordReplaced(id, {
    results: [],
    inVault: [],
    counts: { replaced: 0, kept: 1, restored: 0 },
  })
  expect(finishedNotification(recordOf(id), context)).toMatchObject({
    title: '1 kept',
    body: 'a.jpg',
    buttons: [],
  })

  function recordOf(one: RecordId) {
    const record = core.history.details(one)
    if (record === undefined) throw new Error('The record is gone')
    return record
  }
})
