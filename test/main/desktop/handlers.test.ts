import type { BrowserWindow, Clipboard, Dialog, Item, NativeImage } from 'electron'
import { chmod, lstat, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import { createAddMedia } from '../../../src/main/desktop/add-media.ts'
import { createDialogs as createAppDialogs } from '../../../src/main/desktop/dialogs.ts'
import { createDragIcon } from '../../../src/main/desktop/ipc/file-handlers.ts'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { examineFile } from '../../../src/node/recognize-media.ts'
import { createHandlers } from '../../../src/main/desktop/ipc/handlers.ts'
import type { Keeping } from '../../../src/shared/loss/foreseen.ts'
import type { EstimateOfPart } from '../../../src/main/estimate/estimate.ts'
import type { Previews } from '../../../src/main/preview/preview.ts'
import type { WatchFolders } from '../../../src/main/watch/index.ts'
import type { Handlers } from '../../../src/shared/ipc/contract.ts'
import type { FolderCheck } from '../../../src/shared/model/built-in-service.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { ComparisonRequest } from '../../../src/shared/ipc/arguments.ts'
import type { PreviewRequest } from '../../../src/shared/model/preview.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { createClipboard } from '../../stand-in/electron/clipboard.ts'
import { createShell } from '../../stand-in/electron/desktop.ts'
import { createDialogs } from '../../stand-in/electron/dialog.ts'
import { lacking } from '../../stand-in/electron/lacking.ts'
import { nativeImage } from '../../stand-in/electron/native-image.ts'
import { createRecord } from '../../stand-in/electron/record.ts'
import type { RecordedDialog } from '../../stand-in/recorded.ts'
import { offlineCore, recordEnded } from './offline-core.ts'
import { replacedJob } from './replaced-originals.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { watchFolder } from '../../watch-folder.ts'

const DONE = { kind: 'done', results: 1, uploaded: null } as const
const PROBLEMS = { kind: 'problems', results: 0, problems: 1, uploaded: null } as const
const GONE = asRecordId('r_gone')
const APP_ICON = join(import.meta.dirname, '../../../assets/icons/app/256x256.png')

const t = () => createTranslation('en-GB', 'UTC')

let core: Core
let folder: string
let photo: (name: string) => Promise<string>
let text: (name: string) => Promise<string>
let handlers: Handlers
let said: unknown[]
let dialogs: readonly RecordedDialog[]
let estimateOf: EstimateOfPart
let keeping: Keeping | undefined
let checkFolder: () => FolderCheck | Promise<FolderCheck>
let answering: ReturnType<typeof createDialogs>
let clipboard: ReturnType<typeof createClipboard>
const record = createRecord()
const shellCalls = () => record.now.shellCalls.map(({ call, target }) => `${call} ${target}`)

beforeEach(async () => {
  ;({ core, folder, photo, text } = await offlineCore())
  said = []
  record.change({ shellCalls: [] })
  answering = createDialogs(
    (now) => (dialogs = now),
    () => 'linux',
  )
  dialogs = []
  estimateOf = () => undefined
  keeping = undefined
  checkFolder = () => ({ ok: false, problem: { code: 'noSuchFolder', folderId: 'gone' } })
  clipboard = createClipboard()
  let reports = 0
  core.events.on('filesAdded', (added) => said.push(['added', added]))
  const window = { current: () => undefined, pageIsReady: () => said.push('page is ready') }
  const dragged = (files: readonly string[] | undefined, icon: NativeImage | string) =>
    typeof icon !== 'string' && said.push(['drag', files, icon.isEmpty(), icon.getSize()])
  const shownWindow = {
    webContents: { startDrag: ({ files, icon }: Item) => dragged(files, icon) },
  } as unknown as BrowserWindow
  const asking = createAppDialogs(answering.dialog as unknown as Dialog, window)
  handlers = createHandlers(
    {
      core,
      feed: { snapshot: () => ({ version: 1, state: core.state.get() }) },
      app: {
        getLocale: () => 'en-GB',
        getVersion: () => '1.2.3',
        getPath: (name: string) => `/home/ada/${name}`,
        quit: () => void said.push('quit'),
      },
      shell: createShell(record, () => 'linux'),
      clipboard: clipboard.clipboard,
      noticesFile: '/resources/THIRD-PARTY-NOTICES.txt',
      picturesFolder: '/home/ada/pictures',
      assistantCommand: 'mediatray-cli mcp',
      platform: 'linux',
      window: { ...window, current: () => shownWindow },
      tray: { isShown: () => true },
      integration: {
        stayOpen: () => said.push('stay open'),
        desktopBindsShortcuts: false,
        desktopMayRefuseShortcuts: false,
      },
      fileManagerMenu: 'supported',
      dialogs: asking,
      addMedia: createAddMedia({
        intake: core.intake,
        dialogs: asking,
        clipboard: clipboard.clipboard as unknown as Clipboard,
        picturesFolder: '/home/ada/pictures',
        pasteFolder: join(folder, 'pasted'),
        clock: Date.now,
        t,
        onExpected: () => said.push('files expected'),
      }),
      clipboardJobs: {
        undo: (run) => Promise.resolve(void said.push(`undo ${run}`)),
        canTellFrontApp: () => Promise.resolve(true),
      },
      watch: lacking('watch', {} as Handlers['watch']) as unknown as WatchFolders,
      dragIcon: createDragIcon((path) => nativeImage.createFromPath(path), APP_ICON),
      t,
    },
    {
      presets: createPresetFiles(join(folder, 'presets')),
      estimates: lacking('estimates', {
        setVisible: () => {},
        setUnsavedPreset: (preset) => void said.push(['estimate with', preset]),
        snapshot: () => (part) => estimateOf(part),
        keepingFormat: () => keeping,
      }),
      drive: lacking('drive', {
        checkFolder: () => checkFolder(),
      } as unknown as Handlers['drive']),
      updates: lacking('updates', {} as Handlers['updates']),
      previews: shownPreviews(said),
      diagnostics: () => Promise.resolve(`report ${(reports += 1)}`),
    },
  )
})

/** Records requests without creating previews, which have a separate test. */
const shownPreviews = (asked: unknown[]): Previews =>
  lacking('previews', {
    part(request: PreviewRequest) {
      asked.push(`part of ${basename(request.path)}`)
      return Promise.resolve({ kind: 'failed', reason: null })
    },
    compare({ original, result }: ComparisonRequest) {
      asked.push(`${basename(original)} against ${basename(result)}`)
      return Promise.resolve({ kind: 'failed', reason: null })
    },
  } as unknown as Previews)

const store = () => {
  const { source, rejected } = core.state.get().draft
  return {
    files: source.kind === 'files' ? source.items.map(({ path }) => path) : [],
    refused: rejected.length,
  }
}

describe('the page', () => {
  it('receives pending messages only after its initial state', async () => {
    const { state } = await handlers.app.snapshot()
    expect(state).toBe(core.state.get())
    expect(said).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(said).toEqual(['page is ready'])
  })

  it('can accept another version in addition to those accepted earlier', async () => {
    for (const version of ['1.0.80', '1.0.82', '1.0.80']) await handlers.connection.acceptVersion(version)
    expect(core.settings.view().acceptedVersions).toEqual(['1.0.80', '1.0.82'])
  })
})

describe('adding to the draft', () => {
  it('reports how many files were added and refused, and nothing if none were chosen', async () => {
    await handlers.draft.addPaths([])
    answering.answer({ kind: 'open', paths: [] })
    await handlers.draft.chooseFiles()
    expect(said.splice(0)).toEqual(['files expected'])
    const paths = [await photo('a.jpg'), await text('b.txt')]
    await handlers.draft.addPaths(paths)
    expect(said).toEqual([['added', { taken: 1, refused: 1 }]])
    answering.answer({ kind: 'open', paths: [await photo('c.jpg')] })
    await handlers.draft.chooseFolder()
    expect(store()).toEqual({ files: [paths[0], join(folder, 'photos/c.jpg')], refused: 1 })
  })

  it('prefers files to an image when pasting, and reports an empty clipboard', async () => {
    const path = await photo('a b.jpg')
    const picture = await readFile(path)
    await expect(handlers.draft.pasteFromClipboard()).rejects.toMatchObject({ code: 'noImage' })
    clipboard.set({ 'text/uri-list': `file://${path.replace(' ', '%20')}`, 'image/png': picture })
    await handlers.draft.pasteFromClipboard()
    expect(store().files).toEqual([path])
    clipboard.set({ 'image/png': picture })
    await handlers.draft.pasteFromClipboard()
    expect(store().files).toEqual([path, expect.stringContaining(join(folder, 'pasted'))])
    expect(said.at(-1)).toEqual(['added', { taken: 1, refused: 0 }])
    clipboard.set({ 'image/png': 'no picture' })
    await expect(handlers.draft.pasteFromClipboard()).rejects.toMatchObject({ code: 'noImage' })
    clipboard.set({ 'image/webp': 'no picture' })
    await handlers.draft.pasteFromClipboard()
    expect(said.at(-1)).toEqual(['added', { taken: 0, refused: 1 }])
    expect(store().refused).toBe(1)
  })
})

describe('assistants', () => {
  it('may use only folders that were chosen in the dialog, and again those that were removed', async () => {
    const allowed = () => core.settings.view().assistants.folders.map(({ path }) => path)
    await symlink(folder, join(folder, 'link'))
    answering.answer({ kind: 'open', paths: [join(folder, 'link')] })
    await handlers.assistants.addFolder()
    expect(core.settings.view().assistants).toEqual({
      enabled: false,
      folders: [{ path: join(folder, 'link'), realPath: folder }],
      usualOutput: '/home/ada/pictures/Mediatray',
    })
    await handlers.assistants.removeFolder(join(folder, 'link'))
    expect(allowed()).toEqual([])
    expect(() => handlers.assistants.restoreFolder('/etc')).toThrow(
      expect.objectContaining({ code: 'folderNotChosen' }),
    )
    await handlers.assistants.restoreFolder(join(folder, 'link'))
    expect(allowed()).toEqual([join(folder, 'link')])
    await handlers.assistants.switch(true)
    expect(core.settings.view().assistants.enabled).toBe(true)
  })

  it('are shown with what they were refused last', async () => {
    for (const [at, path] of ['/a', '/b', '/c', '/d'].entries())
      core.history.refusals.add({ path, reason: 'outside', at })
    const activity = await handlers.assistants.activity()
    expect(activity.map((entry) => (entry.kind === 'refused' ? entry.path : entry.job.id))).toEqual([
      '/d',
      '/c',
      '/b',
    ])
    await handlers.history.clear()
    expect(await handlers.assistants.activity()).toEqual([])
  })
})

describe('the output folder', () => {
  it('dialog opens in the current folder, or in the pictures folder if the current one doesn’t exist', async () => {
    await handlers.draft.update({ output: { kind: 'folder', path: folder } })
    answering.answer({ kind: 'open', paths: ['/chosen'] })
    expect(await handlers.draft.chooseOutput()).toEqual({ kind: 'folder', path: '/chosen' })
    expect(core.state.get().draft.output).toEqual({ kind: 'folder', path: '/chosen' })
    answering.answer({ kind: 'open' })
    expect(await handlers.draft.chooseOutput()).toBeNull()
    expect(dialogs.map(({ options }) => options['defaultPath'])).toEqual([folder, '/home/ada/pictures'])
    expect(core.state.get().draft.output).toEqual({ kind: 'folder', path: '/chosen' })
  })
})

it('shows the licenses of the package’s content', async () => {
  await handlers.app.showLicences()
  expect(shellCalls()).toEqual(['openPath /resources/THIRD-PARTY-NOTICES.txt'])
})

it('shows the presets folder', async () => {
  await handlers.presets.showFolder()
  expect(shellCalls()).toEqual([`openPath ${join(folder, 'presets')}`])
})

describe('starting a draft', () => {
  it('keeps the visible estimate with each submission', async () => {
    estimateOf = ({ source }) => {
      const likely = source.kind === 'files' ? source.items.length : 0
      return { bytes: { low: 0, likely, high: 9 }, milliseconds: null }
    }
    for (const grouping of ['together', 'separate'] as const) {
      await handlers.draft.addPaths([await photo('a.jpg'), await photo('b.jpg')])
      await handlers.draft.update({ grouping })
      await handlers.draft.start({ split: false })
    }
    const kept = core.outbox.list().map(({ id }) => core.history.details(id)?.forecast?.bytes.likely)
    expect(kept).toEqual([2, 1, 1])
  })

  it('gives files the format that keeps what they would lose, in one job, until the user takes that back', async () => {
    const [scan, photo1] = [await photo('scan.jpg'), await photo('a.jpg')]
    const text = presetText('Mail')
    await handlers.presets.save({ text, replaces: null })
    const { documents } = await handlers.presets.list()
    await handlers.draft.addPaths([scan, photo1])
    await handlers.draft.update({ presets: ['Mail'] })
    await handlers.draft.useKeepingFormat()
    expect(core.state.get().draft.otherFormat).toBe(undefined)

    keeping = { format: 'tiff', paths: [scan], others: 'JPEG' }
    await handlers.draft.useKeepingFormat()
    expect(core.state.get().draft).toMatchObject({
      presets: ['Mail'],
      otherFormat: { ...keeping, preset: 'Mail: TIFF' },
    })
    expect((await handlers.presets.list()).documents).toEqual(documents)
    await handlers.draft.usePresetFormat()
    expect(core.state.get().draft.otherFormat).toBe(undefined)

    await handlers.draft.useKeepingFormat()
    await handlers.draft.removeItems([scan])
    expect(core.state.get().draft.otherFormat).toBe(undefined)
    await handlers.draft.undo()
    const later = await photo('later.jpg')
    await handlers.draft.addPaths([later])
    expect(await handlers.draft.start({ split: false })).toMatchObject({ ok: true })
    const parts = core.outbox.list().map(({ plan }) => [plan.preset, plan.items.map(({ path }) => path)])
    expect(parts).toEqual([
      ['Mail', [photo1, later]],
      ['Mail: TIFF', [scan]],
    ])
    expect(new Set(core.outbox.list().map(({ plan }) => JSON.stringify(plan.output))).size).toBe(1)
  })

  it('checks the Drive folder only if a drive is connected', async () => {
    await handlers.draft.addPaths([await photo('a.jpg')])
    await handlers.draft.update({ output: { kind: 'drive', folderId: 'somewhere' } })
    expect(core.connection.view().drive).toBeNull()
    expect(await handlers.draft.start({ split: false })).toMatchObject({ ok: true })
  })

  it('starts one job if the user clicks again while the Drive folder is being checked', async () => {
    const [first, later] = [await photo('a.jpg'), await photo('b.jpg')]
    await handlers.draft.addPaths([first])
    await handlers.draft.update({ output: { kind: 'drive', folderId: 'somewhere' } })
    const drive = { clientConfigured: true, connected: true, email: null, scope: null }
    core.state.set({ connection: { ...core.state.get().connection, drive } })
    const checks = [Promise.withResolvers<FolderCheck>(), Promise.withResolvers<FolderCheck>()]
    let asked = 0
    checkFolder = () => checks[asked++]?.promise ?? expect.fail('A third check')
    const presses = ['first', 'second'].map(async () => handlers.draft.start({ split: false }))
    checks[0]?.resolve({ ok: true })
    await presses[0]
    // These files weren't in the draft when the user clicked.
    await handlers.draft.addPaths([later])
    checks[1]?.resolve({ ok: true })
    expect(await Promise.all(presses)).toMatchObject([{ ok: true }, { ok: true }])
    expect(core.outbox.list().map(({ plan }) => plan.items.map(({ path }) => path))).toEqual([[first]])
    expect(store().files).toEqual([later])
  })
})

describe('a job', () => {
  it('can be turned into a draft again and is then marked as viewed; a missing job is reported', async () => {
    const input = await photo('a.jpg')
    const id = recordEnded(core, [input], PROBLEMS)
    await handlers.jobs.runAgain({ id, scope: 'job' })
    expect(store().files).toEqual([input])
    expect(core.state.get().unseen).toBe(0)
    await expect(handlers.jobs.retryFailed({ id: GONE, scope: 'job' })).rejects.toThrow(
      expect.objectContaining({ code: 'recordGone' }),
    )
  })

  it('is repeated with the files that are at their paths now', async () => {
    const input = await photo('a.jpg')
    const id = recordEnded(core, [input], { kind: 'failed', reason: 'no' })
    const { preset } = core.history.details(id) ?? {}
    await handlers.presets.save({ text: presetText(preset ?? ''), replaces: null })
    const now = (await examineFile(input)).identity
    const accepted = () => {
      const { source } = core.state.get().draft
      return source.kind === 'files' ? source.items.map(({ identity }) => identity) : []
    }
    await handlers.jobs.runAgain({ id, scope: 'job' })
    expect(accepted()).toEqual([now])
    core.drafts.openDraft(core.drafts.defaultDraft())
    await handlers.jobs.retryFailed({ id, scope: 'part' })
    expect(accepted()).toEqual([now])
    core.drafts.openDraft(core.drafts.defaultDraft())
    await handlers.jobs.useFormat({ id, paths: [input], format: 'tiff' })
    expect(accepted()).toEqual([now])
  })

  it('whose results lost something becomes a draft of these files, with the preset in a format that keeps it', async () => {
    const [scan, photo1] = [await photo('scan.jpg'), await photo('a.jpg')]
    const id = recordEnded(core, [scan, photo1], DONE)
    const preset = core.history.details(id)?.preset ?? ''
    await handlers.presets.save({ text: presetText(preset), replaces: null })
    const { documents } = await handlers.presets.list()
    await handlers.jobs.useFormat({ id, paths: [scan], format: 'tiff' })
    expect(store().files).toEqual([scan])
    expect(core.state.get().draft.presets).toEqual([`${preset}: TIFF`])
    expect((await handlers.presets.list()).documents).toEqual(documents)
  })

  it('that is shown gives the page access to its own files only', async () => {
    const [input, result] = [await photo('a.jpg'), await photo('result.jpg')]
    const id = recordEnded(core, [input], DONE, [result], join(folder, 'photos'))
    await expect(handlers.files.reveal(result)).rejects.toMatchObject({ code: 'fileForeign' })
    expect(await handlers.files.exist([input, result])).toEqual([false, false])
    await handlers.jobs.details(id)
    await handlers.files.reveal(result)
    await handlers.files.open(input)
    expect(shellCalls()).toEqual([`showItemInFolder ${result}`, `openPath ${input}`])
    await handlers.files.startDrag([input, result])
    expect(said).toEqual([['drag', [input, result], false, { width: 64, height: 64 }]])
    await rm(result)
    await expect(handlers.files.open(result)).rejects.toMatchObject({ code: 'fileGone' })
    expect(await handlers.files.exist([input, result])).toEqual([true, false])
    const { size } = await stat(input)
    expect(await handlers.files.sizes([input, result, '/etc/passwd'])).toEqual([size, null, null])
    await expect(handlers.files.startDrag([input, result])).rejects.toMatchObject({ code: 'fileGone' })
    expect(await handlers.jobs.details(GONE)).toBeNull()
  })

  it('that replaced originals in several parts is shown with the files of all parts, which the page may use', async () => {
    const id = asRecordId('r_first')
    const paths = [await photo('a.jpg'), await photo('b.jpg'), await photo('c.jpg')]
    const { size } = await stat(paths[2] ?? '')
    const place = { id, part: 0, parts: 2, photos: 3, videos: 0, presets: 2, folders: 1 }
    await replacedJob(core, folder, paths.slice(0, 1), { id, place })
    const other = await replacedJob(core, folder, paths.slice(1), { place: { ...place, part: 1 } })
    const details = await handlers.jobs.details(id)
    expect(details?.replacements.map(({ path }) => path)).toEqual(paths)
    expect(details?.otherReplacing).toMatchObject([
      {
        id: other,
        preset: 'Web 2048',
        inputs: [{ path: paths[1] }, { path: paths[2] }],
        results: [{ outputPath: paths[1] }, { outputPath: paths[2] }],
      },
    ])
    expect(await handlers.files.sizes(paths)).toEqual(paths.map(() => Math.floor(size / 2)))
  })

  it('gives the page no access to a file outside its folder, even if the service names it as a result', async () => {
    const [input, secret] = [await photo('a.jpg'), await photo('secret.jpg')]
    const given = join(folder, 'given')
    await mkdir(given)
    await symlink(secret, join(given, 'link.jpg'))
    const named = [secret, `${given}/../photos/secret.jpg`, join(given, 'link.jpg'), '/etc/passwd']
    await handlers.jobs.details(recordEnded(core, [input], DONE, named, given))
    for (const path of named) {
      await expect(handlers.files.open(path)).rejects.toMatchObject({ code: 'fileForeign' })
      await expect(handlers.files.reveal(path)).rejects.toMatchObject({ code: 'fileForeign' })
      await expect(handlers.files.startDrag([path])).rejects.toMatchObject({ code: 'fileForeign' })
    }
    expect(await handlers.files.sizes(named)).toEqual([null, null, null, null])
    expect(shellCalls()).toEqual([])
  })

  it('doesn’t open a result that isn’t a photo or video, despite its name', async () => {
    const given = join(folder, 'given')
    const named = ['run.jpg', 'run.sh', 'run.desktop', 'folder.jpg'].map((name) => join(given, name))
    await mkdir(join(given, 'folder.jpg'), { recursive: true })
    for (const path of named.slice(0, 3)) {
      await writeFile(path, '#!/bin/sh\n')
      await chmod(path, 0o755)
    }
    await handlers.jobs.details(recordEnded(core, [await photo('a.jpg')], DONE, named, given))
    for (const path of named)
      await expect(handlers.files.open(path)).rejects.toMatchObject({ code: 'notMedia' })
    expect(shellCalls()).toEqual([])
  })

  it('gives the page no access to a file that its draft names as the output folder; only a folder can be shown', async () => {
    const [result, program] = [await photo('a.jpg'), await text('program')]
    for (const path of [result, program]) {
      await handlers.draft.update({ output: { kind: 'folder', path } })
      await expect(handlers.files.open(path)).rejects.toMatchObject({ code: 'fileForeign' })
      await expect(handlers.files.reveal(path)).rejects.toMatchObject({ code: 'notMedia' })
      expect(await handlers.files.exist([path])).toEqual([false])
    }
    await handlers.draft.update({ output: { kind: 'folder', path: folder } })
    await handlers.files.reveal(folder)
    expect(shellCalls()).toEqual([`showItemInFolder ${folder}`])
  })

  it('that is removed disappears from the list, and can be restored', async () => {
    const id = recordEnded(core, [await photo('a.jpg')], PROBLEMS)
    const version = () => core.state.get().historyVersion
    const before = version()
    await handlers.jobs.remove(id)
    expect(core.state.get().unseen).toBe(0)
    expect(version()).toBeGreaterThan(before)
    await handlers.jobs.restore(id)
    expect(core.state.get().unseen).toBe(1)
  })

  it('can’t have a result saved while no service is connected', async () => {
    const id = recordEnded(core, [await photo('a.jpg')], DONE, ['/out/a.jpg'])
    await expect(handlers.jobs.saveResult({ id, index: 0 })).rejects.toMatchObject({ code: 'otherService' })
    await expect(handlers.jobs.saveResult({ id: GONE, index: 0 })).rejects.toMatchObject({
      code: 'notReachable',
    })
    expect(dialogs).toEqual([])
  })
})

describe('saving', () => {
  it('a report writes exactly the text that was shown, and the next time a new report', async () => {
    const file = join(folder, 'report.txt')
    const saved = async () => {
      answering.answer({ kind: 'save', paths: [file] })
      expect(await handlers.diagnostics.save()).toEqual({ savedAs: file })
      return readFile(file, 'utf8')
    }
    expect(await handlers.diagnostics.preview()).toBe('report 1')
    answering.answer({ kind: 'save' })
    expect(await handlers.diagnostics.save()).toBeNull()
    expect(await saved()).toBe('report 1')
    expect(await saved()).toBe('report 2')
  })

  it('replaces a link that another user has placed under the chosen name, not the file it points to', async () => {
    const mine = join(folder, 'mine.txt')
    await writeFile(mine, 'precious')
    for (const name of ['report.txt', 'history.json']) {
      const file = join(folder, name)
      await symlink(mine, file)
      answering.answer({ kind: 'save', paths: [file] })
      await (name === 'report.txt' ? handlers.diagnostics.save() : handlers.history.save('json'))
      expect((await lstat(file)).isFile()).toBe(true)
    }
    expect(await readFile(mine, 'utf8')).toBe('precious')
  })

  it('the history writes the requested format', async () => {
    recordEnded(core, [await photo('a.jpg')], DONE)
    const saved = async (format: 'json' | 'csv') => {
      const file = join(folder, `history.${format}`)
      answering.answer({ kind: 'save', paths: [file] })
      expect(await handlers.history.save(format)).toEqual({ savedAs: file })
      return readFile(file, 'utf8')
    }
    expect(JSON.parse(await saved('json'))).toBeTypeOf('object')
    expect((await saved('csv')).split('\r\n', 1)[0]).toContain(',')
    answering.answer({ kind: 'save' })
    expect(await handlers.history.save('csv')).toBeNull()
    await handlers.history.clear()
    expect((await handlers.history.page({ query: {}, offset: 0, limit: 10 })).total).toBe(0)
  })
})

describe('the outbox', () => {
  it('lets the user send an entry next, edit it, remove it and restore it', async () => {
    for (const name of ['a.jpg', 'b.jpg']) {
      await handlers.draft.addPaths([await photo(name)])
      await handlers.draft.start({ split: false })
    }
    const waiting = () => core.state.get().outbox.map(({ name }) => name)
    const b = core.state.get().outbox[1]?.id ?? GONE
    await handlers.outbox.runNext(b)
    expect(waiting()).toEqual(['b.jpg', 'a.jpg'])
    await handlers.outbox.remove(b)
    expect(waiting()).toEqual(['a.jpg'])
    await handlers.outbox.restore(b)
    expect(waiting()).toContain('b.jpg')
    await handlers.outbox.edit(b)
    expect(store().files).toEqual([join(folder, 'photos/b.jpg')])
    await handlers.draft.clear()
    expect(store().files).toEqual([])
    expect(waiting()).toContain('b.jpg')
    await handlers.outbox.pause('untilResumed')
    expect(core.settings.view().outboxPaused).toBe(true)
    await handlers.outbox.resume()
    expect(core.settings.view().outboxPaused).toBe(false)
  })
})

const presetText = (name: string) => JSON.stringify({ name, image: {} })

const starred = () => core.settings.view().starredPresets

describe('a preset', () => {
  const watched = watchFolder('/home/ada/in', '/home/ada/out', { enabled: false, presets: ['Mail'] })

  it('that is renamed is updated in the settings, the draft and the outbox', async () => {
    await handlers.presets.save({ text: presetText('Mail'), replaces: null })
    core.settings.update({
      defaultPresets: ['Mail'],
      fineLosses: { Mail: ['pages'] },
      watchFolders: [
        watched,
        { ...watched, id: 'x', service: 'builtIn', presets: ['Web', 'Mail'] },
        { ...watched, id: 'y', service: 'http://nas:3847/api' },
      ],
    })
    await handlers.draft.update({ presets: ['Mail'] })
    await handlers.draft.addPaths([await photo('a.jpg')])
    await handlers.draft.start({ split: false })
    await handlers.draft.update({ presets: ['Mail'] })
    expect(await handlers.presets.save({ text: presetText('Post'), replaces: 'Mail' })).toEqual({ ok: true })
    expect(core.settings.view()).toMatchObject({ defaultPresets: ['Post'], fineLosses: { Post: ['pages'] } })
    expect(core.settings.view().watchFolders.map(({ presets }) => presets)).toEqual([
      ['Post'],
      ['Web', 'Post'],
      ['Mail'],
    ])
    expect(core.state.get().draft.presets).toEqual(['Post'])
    expect(core.state.get().outbox.map(({ preset }) => preset)).toEqual(['Post'])
  })

  it('keeps the number of variations that its last job had, until it no longer makes any', async () => {
    const ranges = { brightness: 0.1 }
    const making = (name: string) => JSON.stringify({ ...JSON.parse(presetText(name)), variations: ranges })
    await handlers.presets.save({ text: making('Training'), replaces: null })
    const variations = () => core.drafts.store.view().variations
    await handlers.draft.update({ presets: ['Training'] })
    await handlers.draft.update({ variations: 5 })
    await handlers.draft.update({ presets: ['Web 2048'] })
    expect(variations()).toBe(1)
    await handlers.draft.update({ presets: ['Web 2048', 'Training'] })
    expect(variations()).toBe(1)
    await handlers.draft.update({ presets: ['Training'] })
    expect(variations()).toBe(5)
    await handlers.presets.save({ text: making('Data'), replaces: 'Training' })
    expect(core.settings.view().variations).toEqual({ Data: 5 })
    await handlers.presets.save({ text: presetText('Data'), replaces: 'Data' })
    expect([core.settings.view().variations, variations()]).toEqual([{}, 1])
  })

  it('that is starred keeps its star when it is renamed, reset or restored, and loses it when it is deleted', async () => {
    await handlers.presets.restoreDefaults()
    await handlers.presets.save({ text: presetText('Mail'), replaces: null })
    expect(await handlers.presets.star({ name: 'Mail', isStarred: true })).toEqual({
      isStarred: true,
      count: 1,
    })
    await handlers.presets.star({ name: 'Thumbnail', isStarred: true })
    await handlers.presets.save({ text: presetText('Post'), replaces: 'Mail' })
    await handlers.presets.save({ text: presetText('Net'), replaces: 'Thumbnail' })
    expect(starred()).toEqual(['Post', 'Net'])
    await handlers.presets.reset('Net')
    expect(starred()).toEqual(['Post', 'Thumbnail'])
    await handlers.presets.undo()
    expect(starred()).toEqual(['Post', 'Net'])
    await handlers.presets.remove('Post')
    expect(starred()).toEqual(['Net'])
    await handlers.presets.undo()
    expect(starred()).toEqual(['Post', 'Net'])
    // Undoing another change must not bring a star back.
    await handlers.presets.remove('Post')
    await handlers.presets.import([{ file: 'a.json', text: presetText('Post') }])
    await handlers.presets.undo()
    expect(starred()).toEqual(['Net'])
  })

  it('is turned on in Finder in the system settings of macOS', async () => {
    await handlers.presets.turnOnInFinder()
    expect(shellCalls()).toEqual(['openExternal x-apple.systempreferences:com.apple.ExtensionsPreferences'])
  })

  it('is exported and imported at the path from the dialog', async () => {
    await handlers.presets.save({ text: presetText('Mail'), replaces: null })
    const path = join(folder, 'mail.json')
    answering.answer({ kind: 'save', paths: [path] })
    expect(await handlers.presets.export('Mail')).toEqual({ savedAs: path })
    answering.answer({ kind: 'open', paths: [path] })
    expect(await handlers.presets.importFiles()).toEqual({
      taken: [{ name: 'Mail 2', was: 'Mail' }],
      leftOut: [],
    })
    answering.answer({ kind: 'open', paths: [] })
    expect(await handlers.presets.importFiles()).toBeNull()
  })
})

const request = (path: string): PreviewRequest => ({
  path,
  preset: { name: 'Mine', image: {} },
  part: 'image',
  view: { width: 300, height: 200, middle: null },
  start: null,
})

describe('a preview', () => {
  it('is created only for files that the page lists', async () => {
    const path = await photo('a.jpg')
    const foreign = { kind: 'failed', failure: failure('fileUnreadable', { reason: reason('missing') }) }
    expect(await handlers.preview.part(request(path))).toEqual(foreign)
    expect(await handlers.preview.whole(request(path))).toEqual(foreign)
    expect(await handlers.preview.compare({ original: path, result: path, start: null })).toEqual(foreign)
    expect(said).toEqual([])

    expect(await handlers.preview.bring([await text('b.txt'), path])).toMatchObject({ path, kind: 'image' })
    expect(await handlers.preview.part(request(path))).toEqual({ kind: 'failed', reason: null })
    expect(said).toEqual(['part of a.jpg'])
  })

  it('starts with the most recently chosen file, or else the first file of the draft', async () => {
    expect(await handlers.preview.files('image')).toEqual({ current: null, recent: [] })
    const [first, second] = [await photo('a.jpg'), await photo('b.jpg')]
    await handlers.draft.addPaths([first, second])
    expect((await handlers.preview.files('image')).current?.path).toBe(first)
    expect((await handlers.preview.files('video')).current).toBeNull()
    await handlers.preview.part(request(second))
    expect((await handlers.preview.files('image')).current?.path).toBe(second)
  })

  it('accepts a photo or video from a dialog, and nothing else', async () => {
    answering.answer({ kind: 'open', paths: [await text('b.txt')] })
    expect(await handlers.preview.choose('image')).toBeNull()
    answering.answer({ kind: 'open', paths: [] })
    expect(await handlers.preview.choose('image')).toBeNull()
    const path = await photo('c.jpg')
    answering.answer({ kind: 'open', paths: [path] })
    expect(await handlers.preview.choose('image')).toMatchObject({ path, name: 'c.jpg' })
    expect((await handlers.preview.files('image')).current?.path).toBe(path)
  })

  it('for an older request is superseded even while its file is being looked up', async () => {
    const path = await photo('a.jpg')
    await handlers.preview.bring([path])
    const answers = await Promise.all([
      handlers.preview.part(request(path)),
      handlers.preview.part(request(path)),
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(['overtaken', 'failed'])
    expect(said).toEqual(['part of a.jpg'])
  })
})
