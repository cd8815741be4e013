import { expect, it } from 'vitest'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { examineFile } from '../../../src/node/recognize-media.ts'
import { createActions } from '../../../src/main/desktop/actions.ts'
import { offlineCore, recordingWindow, recordEnded } from './offline-core.ts'

async function setUp({ paste = () => Promise.resolve() }: { paste?: () => Promise<void> } = {}) {
  const { core, photo } = await offlineCore()
  const { window, asked } = recordingWindow()
  const act = createActions({
    ...core,
    window,
    addMedia: {
      pasteFromClipboard: paste,
      chooseFiles: () => Promise.resolve(void asked.push('choose files')),
      chooseFolder: () => Promise.resolve(void asked.push('choose folder')),
      chooseToStart: (preset) => Promise.resolve(preset === 'Web' ? ['/photos/a.jpg'] : []),
    },
    clipboard: {
      process: () => void asked.push('process clipboard'),
      undo: (run) => Promise.resolve(void asked.push(`undo ${run}`)),
      saveAs: (run) => Promise.reject(new Error(`disk full, ${run}`)),
      show: ({ run }) => void asked.push(`show ${run}`),
    },
    startWith: (pick) => asked.push(pick),
    reveal: (path) => asked.push(`reveal ${path}`),
    openHelp: () => Promise.reject(new Error('no browser')),
    installCommand: () => Promise.resolve(void asked.push('command')),
    quit: () => asked.push('quit'),
    log: (message) => asked.push(message),
  })
  return { core, act, asked, photo }
}

/** A file as it is now. */
const now = async (path: string) => ({ path, identity: (await examineFile(path)).identity })

const FAILED = { kind: 'failed', reason: 'no' } as const

it('navigates to the page that the tray, menu or notification names', async () => {
  const { act, asked } = await setUp()
  act({ do: 'newJob' })
  act({ do: 'settings' })
  act({ do: 'newest' })
  act({ do: 'enterKey' })
  act({ do: 'open' })
  act({ do: 'quit' })
  expect(asked).toEqual([
    'show',
    ['show', { place: 'newJob' }],
    'show',
    ['show', { place: 'settings' }],
    'show',
    ['show', { place: 'newest' }],
    'show',
    ['show', { place: 'keyField' }],
    'show',
    'quit',
  ])
})

const PROBLEMS = { kind: 'problems', results: 1, problems: 1, uploaded: null } as const

it('shows the first result, or the folder if none is known, and marks the record as viewed', async () => {
  const { core, act, asked, photo } = await setUp()
  const [input, result] = [await photo('a.jpg'), await photo('made.jpg')]
  const folder = dirname(result)
  const made = recordEnded(core, [input], PROBLEMS, [result, join(folder, 'b.jpg')], folder)
  const nothing = recordEnded(core, [input], FAILED, [], folder)
  expect(core.state.get().unseen).toBe(2)
  act({ do: 'showResult', id: made })
  await expect.poll(() => asked).toEqual([`reveal ${result}`])
  act({ do: 'reveal', id: nothing })
  await expect.poll(() => asked.at(-1)).toBe(`reveal ${folder}`)
  expect(core.state.get().unseen).toBe(0)
})

it('shows the folder if a service names a file outside it, and the job if the folder doesn’t exist either', async () => {
  const { core, act, asked, photo } = await setUp()
  const input = await photo('a.jpg')
  const folder = join(dirname(input), 'out')
  await mkdir(folder)
  const astray = recordEnded(core, [await photo('b.jpg')], PROBLEMS, [input], folder)
  act({ do: 'reveal', id: astray })
  await expect.poll(() => asked).toEqual([`reveal ${folder}`])
  const gone = recordEnded(core, [input], PROBLEMS, [], join(folder, 'gone'))
  act({ do: 'reveal', id: gone })
  await expect.poll(() => asked.slice(1)).toEqual(['show', ['show', { place: 'details', id: gone }]])
})

it('doesn’t reveal anything for a missing record', async () => {
  const { core, act, asked, photo } = await setUp()
  const id = recordEnded(core, [await photo('a.jpg')], FAILED)
  core.history.forget(id)
  act({ do: 'reveal', id })
  expect(asked).toEqual([])
})

it('opens a draft of all files, or only of the failed files, as they are now, and marks the record as viewed', async () => {
  const { core, act, asked, photo } = await setUp()
  const [good, bad] = [await photo('good.jpg'), await photo('bad.jpg')]
  const problems = { kind: 'problems', results: 1, problems: 1, uploaded: null } as const
  const id = recordEnded(core, [good, bad], problems, ['/out/good.jpg'])
  core.history.recordResults(
    id,
    [{ file: good, outputPath: '/out/good.jpg', index: 0 }],
    [{ file: bad, error: 'no' }],
  )
  const files = () => {
    const { source } = core.state.get().draft
    return source.kind === 'files' ? source.items.map(({ path, identity }) => ({ path, identity })) : []
  }
  act({ do: 'retry', id })
  await expect.poll(files).toEqual([await now(bad)])
  expect(core.state.get().unseen).toBe(0)
  act({ do: 'runAgain', id })
  await expect.poll(files).toEqual([await now(good), await now(bad)])
  expect(asked.filter((one) => one === 'show')).toHaveLength(2)
})

it('shows the record, and resumes sending', async () => {
  const { core, act, asked, photo } = await setUp()
  const id = recordEnded(core, [await photo('a.jpg')], FAILED)
  act({ do: 'showRecord', id })
  expect(asked).toEqual(['show', ['show', { place: 'details', id }]])
  core.settings.update({ outboxPaused: true })
  act({ do: 'resume' })
  expect(core.settings.view().outboxPaused).toBe(false)
})

it('switches to the built-in service', async () => {
  const { core, act } = await setUp()
  act({ do: 'useBuiltIn' })
  expect(core.connection.view().kind).toBe('builtIn')
})

it('opens the draft to paste into, and logs the error if the clipboard is empty', async () => {
  const { act, asked } = await setUp({ paste: () => Promise.reject(new Error('no image')) })
  act({ do: 'pasteImage' })
  await expect.poll(() => asked.at(-1)).toBe('could not paste: Error: no image')
  expect(asked.slice(0, 2)).toEqual(['show', ['show', { place: 'newJob' }]])
})

it('starts chosen files with a starred preset, and nothing if the dialog is dismissed', async () => {
  const { act, asked } = await setUp()
  act({ do: 'startWith', preset: 'Mail' })
  act({ do: 'startWith', preset: 'Web' })
  await expect.poll(() => asked).toEqual([{ presets: ['Web'], paths: ['/photos/a.jpg'] }])
})

it('passes what concerns the clipboard on, and logs that a result couldn’t be saved', async () => {
  const { act, asked } = await setUp()
  const news = {
    kind: 'ready',
    run: 'r',
    id: asRecordId('i'),
    was: 2,
    now: 1,
    preset: null,
    results: 1,
    isConfirmed: true,
  } as const
  act({ do: 'processClipboard' })
  act({ do: 'undoClipboard', run: 'r' })
  act({ do: 'showClipboard', news })
  act({ do: 'saveClipboard', run: 'r' })
  await expect.poll(() => asked.length).toBe(4)
  expect(asked).toEqual([
    'process clipboard',
    'undo r',
    'show r',
    'could not save the result: Error: disk full, r',
  ])
})

it('takes back a start that can still be undone, or puts it into the draft', async () => {
  const { core, act, asked, photo } = await setUp()
  const start = async (name: string) => {
    const items = [{ path: await photo(name), name, kind: 'image', size: 1 }] as const
    const draft = { ...core.drafts.defaultDraft(), source: { kind: 'files', items } } as const
    const started = await core.drafts.startDraft(draft, { split: false, grace: 60_000 })
    return started.ok ? started.ids : []
  }
  act({ do: 'undoStart', ids: await start('a.jpg') })
  expect(core.state.get().outbox).toEqual([])
  act({ do: 'editStart', ids: await start('b.jpg') })
  expect(core.state.get().draft.source).toMatchObject({ items: [{ name: 'b.jpg' }] })
  expect(asked).toEqual(['show', ['show', { place: 'newJob' }]])
})

it('logs that the help page couldn’t be opened', async () => {
  const { act, asked } = await setUp()
  act({ do: 'help' })
  await expect.poll(() => asked).toEqual(['could not open the help page: Error: no browser'])
})
