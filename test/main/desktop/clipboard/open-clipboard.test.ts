import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clipboard, ClipboardItem } from 'electron'
import { onTestFinished, expect, it } from 'vitest'
import type { NotificationView } from '../../../../src/main/desktop/notifications/notification-view.ts'
import { openClipboard } from '../../../../src/main/desktop/open-clipboard.ts'
import { createTranslation } from '../../../../src/node/translation.ts'
import { itInLongSuite } from '../../../faults/long-suite.ts'
import { createClipboard } from '../../../stand-in/electron/clipboard.ts'
import { openUntilEnd, timing, useBuiltIn } from '../../core/open-core.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'
import { screenshot } from './open-board.ts'
import { FRONT_FROM_FILE, ownXprop } from './own-xprop.ts'
import { DEFAULT_SETTINGS } from '../../../default-settings.ts'

type Setting = { readonly isInFront?: boolean; readonly saveAs?: string; readonly env?: NodeJS.ProcessEnv }

/** @param isInFront whether the window is in front */
async function setUp({ isInFront = false, saveAs = '', env = {} }: Setting = {}) {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder)
  core.settings.update({ clipboardPreset: 'Web 2048' })
  const board = createClipboard()
  const shown: NotificationView[] = []
  const sent: unknown[] = []
  const log: string[] = []
  const control = openClipboard({
    core,
    clipboard: board.clipboard as unknown as Clipboard,
    ClipboardItem: board.ClipboardItem as unknown as typeof ClipboardItem,
    window: {
      isInFront: () => isInFront,
      send: (name: string, event: unknown) => void sent.push([name, event]),
      showAnd: (name: string, event: unknown) => void sent.push([name, event]),
    } as never,
    notifier: { notify: (view: NotificationView) => void shown.push(view) } as never,
    dialogs: { askToSave: () => Promise.resolve(saveAs === '' ? null : join(folder, saveAs)) } as never,
    platform: 'linux',
    paths: { clipboard: join(folder, 'clipboard'), output: join(folder, 'out') },
    picturesFolder: folder,
    canWatch: true,
    context: () => ({ t: createTranslation('en-GB', 'UTC'), homeFolder: folder, settings: DEFAULT_SETTINGS }),
    timing,
    env,
    log: (message) => void log.push(message),
  })
  onTestFinished(() => control.close())
  core.events.on('jobFinished', control.jobFinished)
  core.events.on('outboxChanged', control.outboxChanged)
  return { core, board, control, shown, sent, log, folder }
}

it('notifies while the window isn’t in front, and the notification leads to Undo and to a copy', async () => {
  const { core, board, control, shown, sent, folder } = await setUp({ saveAs: 'copy.jpg' })
  await useBuiltIn(core)
  board.set({ 'text/plain': 'text' })
  control.process()
  await expect.poll(() => shown).toHaveLength(1)
  expect(shown[0]).toMatchObject({
    choice: null,
    title: 'There’s no image or file on the clipboard.',
    click: { do: 'open' },
    buttons: [],
  })
  board.set({ 'image/png': await screenshot() })
  control.process()
  await expect.poll(() => shown, { timeout: 60_000 }).toHaveLength(2)
  const [undo, save] = shown[1]?.buttons ?? []
  const run = undo?.action.do === 'undoClipboard' ? undo.action.run : ''
  expect(shown[1]).toMatchObject({ choice: null, title: expect.stringMatching(/^Ready to paste: /) })
  expect(save).toEqual({ label: 'Save as…', action: { do: 'saveClipboard', run } })
  await control.saveAs('another run')
  await control.saveAs(run)
  const copy = await readFile(join(folder, 'copy.jpg'))
  expect(copy.equals(Buffer.from(board.get()['image/jpeg'] as Uint8Array))).toBe(true)

  const { click } = shown[1] ?? {}
  if (click?.do !== 'showClipboard') throw new Error('the notification doesn’t lead to the window')
  control.show(click.news)
  expect(sent).toEqual([
    ['show', { place: 'details', id: click.news.id }],
    ['toast', { kind: 'clipboard', news: click.news }],
  ])
  await control.undo(run)
  expect(shown[2]?.title).toBe('The earlier clipboard content is back.')
})

it('shows toasts while the window is in front', async () => {
  const { control, sent, shown } = await setUp({ isInFront: true })
  control.process()
  await expect.poll(() => sent).toEqual([['toast', { kind: 'clipboard', news: { kind: 'nothing' } }]])
  expect(shown).toEqual([])
})

itInLongSuite(
  'processes copied images automatically once that is switched on, and reports only results',
  async () => {
    const { core, board, shown } = await setUp()
    await useBuiltIn(core)
    board.set({ 'image/png': await screenshot(1) })
    core.settings.update({ clipboardAutomatic: true })
    await expect.poll(() => board.reads(), { timeout: 60_000 }).toBeGreaterThan(0)
    const png = await screenshot(2)
    board.set({ 'image/png': png })
    await expect.poll(() => shown, { timeout: 60_000 }).toHaveLength(1)
    expect(shown[0]).toMatchObject({ choice: 'done', title: expect.stringMatching(/^Ready to paste: /) })
    core.settings.update({ clipboardAutomatic: false })
    expect(core.history.page({}, { offset: 0, limit: 9 }).total).toBe(1)
  },
)

itInLongSuite.runIf(process.platform === 'linux')(
  'leaves images of listed and unknown apps alone, and asks only once for each image',
  async () => {
    const env = await ownXprop(FRONT_FROM_FILE)
    const { core, board, shown, log } = await setUp({ env })
    await useBuiltIn(core)
    core.settings.update({ clipboardAutomatic: true, clipboardIgnoredApps: ['signal', 'KeePassXC.exe'] })
    let copies = 0
    const copyIn = async (app: string): Promise<void> => {
      await writeFile(`${env.OWN}.front`, app)
      copies += 1
      board.set({ 'image/png': await screenshot(copies) })
    }
    const LEFT = 'ignored a copied image: the app in front is '
    board.set({ 'text/plain': 'what was there before' })
    await copyIn('keepassxc')
    await expect.poll(() => log, { timeout: 60_000 }).toEqual([`${LEFT}in the list`])
    await copyIn('')
    await expect.poll(() => log).toEqual([`${LEFT}in the list`, `${LEFT}unknown`])
    await copyIn('gimp')
    await expect.poll(() => shown, { timeout: 60_000 }).toHaveLength(1)
    expect(core.history.page({}, { offset: 0, limit: 9 }).total).toBe(1)
    expect((await readFile(`${env.OWN}.asked`, 'utf8')).split('\n')).toHaveLength(3 + 1)

    core.settings.update({ clipboardIgnoredApps: [] })
    await copyIn('signal')
    await expect.poll(() => shown, { timeout: 60_000 }).toHaveLength(2)
    expect((await readFile(`${env.OWN}.asked`, 'utf8')).split('\n')).toHaveLength(3 + 1)
  },
)

it('reports that a copied image couldn’t be saved, and keeps the clipboard', async () => {
  const { core, board, control, shown, log, folder } = await setUp()
  await writeFile(join(folder, 'clipboard'), 'not a folder')
  board.set({ 'image/png': await screenshot() })
  control.process()
  await expect.poll(() => shown).toHaveLength(1)
  expect(shown[0]?.title).toMatch(/^Couldn’t process the clipboard\./)
  expect(log[0]).toMatch(/^could not process the clipboard: couldn’t save the image \((EEXIST|ENOTDIR)\)/)
  expect(Object.keys(board.get())).toEqual(['image/png'])
  expect(core.state.get().outbox).toEqual([])
})
