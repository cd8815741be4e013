import { expect, it, vi } from 'vitest'
import {
  watchClipboard,
  type ClipboardWatch,
} from '../../../../src/main/desktop/clipboard/watch-clipboard.ts'
import { isLongSuite, itInLongSuite } from '../../../faults/long-suite.ts'
import { MARK, openBoard, type Board, screenshot } from './open-board.ts'

type Watched = {
  readonly watch: ClipboardWatch
  /** Lets the watch look once more; resolves when it has acted on what it found. */
  readonly look: () => Promise<void>
  readonly seen: () => number
  readonly pass: (ms: number) => void
  readonly log: string[]
}

function watched(board: Board, onImage: (print: string) => Promise<void> = () => Promise.resolve()): Watched {
  let next: (() => void) | undefined
  let now = 0
  let seen = 0
  const log: string[] = []
  const watch = watchClipboard({
    clipboard: board.clipboard,
    after: (_ms, run) => {
      next = run
      return () => {
        next = undefined
      }
    },
    elapsed: () => now,
    onImage: async (print) => {
      seen += 1
      await onImage(print)
    },
    log: (message) => void log.push(message),
  })
  watch.setOn(true)
  const rested = () => vi.waitFor(() => expect(next).toBeDefined(), { timeout: 60_000, interval: 5 })
  return {
    watch,
    log,
    seen: () => seen,
    pass: (ms) => {
      now += ms
    },
    async look() {
      await rested()
      const run = next
      next = undefined
      run?.()
      await rested()
    },
  }
}

const offline = () => openBoard({ isOnline: false })

it('notices each copied image once, but not what was there before', async () => {
  const board = await offline()
  board.copy({ 'image/png': await screenshot(1) })
  const { look, seen } = watched(board)
  await look()
  expect(seen()).toBe(0)
  board.copy({ 'image/png': await screenshot(2) })
  await look()
  await look()
  expect(seen()).toBe(1)
  board.copy({ 'text/plain': 'text' })
  await look()
  // The same image, copied again.
  board.copy({ 'image/png': await screenshot(2), 'text/html': '<img>' })
  await look()
  expect(seen()).toBe(2)
})

it.each([
  ['a password on macOS', { 'org.nspasteboard.ConcealedType': '' }],
  ['content that will soon be gone', { 'org.nspasteboard.TransientType': '' }],
  ['a password on Windows', { ExcludeClipboardContentFromMonitorProcessing: '' }],
  ['a password of an older app', { 'Clipboard Viewer Ignore': '' }],
  ['a password on KDE', { 'x-kde-passwordManagerHint': 'secret' }],
  ['cells of a spreadsheet', { 'text/plain': '1\t2' }],
  ['copied files', { 'text/uri-list': 'file:///a.png' }],
  ['what Mediatray has put there', { [MARK]: '{}' }],
])('never reads %s', async (_what, more) => {
  const board = await offline()
  const { look, seen } = watched(board)
  await look()
  const reads = board.reads()
  board.copy({ 'image/png': await screenshot(3), ...more })
  await look()
  await board.jobs.process('print')
  expect(seen()).toBe(0)
  expect(board.reads()).toBe(reads)
  expect(board.core.state.get().outbox).toEqual([])
})

it('processes each copy as one job, without a loop', async () => {
  const copies = isLongSuite ? 20 : 2
  const board = await openBoard()
  board.core.settings.update({ clipboardPreset: 'Thumbnail' })
  const { look, seen } = watched(board, board.jobs.process)
  await look()
  for (let copy = 1; copy <= copies; copy++) {
    board.copy({ 'image/png': await screenshot(copy, 48, 32) })
    await look()
    await look()
  }
  expect(seen()).toBe(copies)
  expect(board.core.history.page({}, { offset: 0, limit: 1 }).total).toBe(copies)
  expect(new Set(board.news.map(({ kind }) => kind))).not.toContain('failed')
})

itInLongSuite('ignores a result whose mark was dropped, and content that was put back', async () => {
  const board = await openBoard()
  const { look, seen } = watched(board, board.jobs.process)
  await look()
  board.copy({ 'image/png': await screenshot(1) })
  await look()
  expect(board.news).toMatchObject([{ kind: 'ready' }])
  const { 'image/png': image } = board.content()
  board.copy({ 'image/png': image ?? '' })
  await look()
  expect(seen()).toBe(1)

  board.copy({ 'image/png': await screenshot(2) })
  await look()
  const news = board.news.at(-1)
  await board.jobs.undo(news?.kind === 'ready' ? news.run : '')
  expect(board.news.at(-1)).toEqual({ kind: 'restored' })
  await look()
  expect(seen()).toBe(2)
})

it('reads an image that stays only once in a while, but every new kind of content at once', async () => {
  const board = await offline()
  const png = await screenshot(1)
  const { look, pass } = watched({
    ...board,
    clipboard: {
      ...board.clipboard,
      // Each read of an image takes 20 ms.
      read: async () => {
        const items = await board.clipboard.read()
        return items.map((item) => ({
          types: item.types,
          getType: async (type: string) => {
            passing(20)
            return item.getType(type)
          },
        })) as unknown as typeof items
      },
    },
  })
  const passing = pass
  await look()
  board.copy({ 'image/png': png })
  await look()
  const reads = board.reads()
  for (let tick = 0; tick < 5; tick++) await look()
  expect(board.reads()).toBe(reads)
  pass(1_001)
  await look()
  expect(board.reads()).toBe(reads + 1)
  board.copy({ 'image/png': png, 'text/html': '<img>' })
  await look()
  expect(board.reads()).toBe(reads + 2)
})

it('can be switched off, and outlives a clipboard that can’t be read', async () => {
  const board = await offline()
  let fails = true
  const read = () => (fails ? Promise.reject(new Error('busy')) : board.clipboard.read())
  const { look, seen, log, watch } = watched({ ...board, clipboard: { ...board.clipboard, read } })
  await look()
  expect(log).toContain('could not read the clipboard: busy')
  fails = false
  await look()
  board.copy({ 'image/png': await screenshot(1) })
  await look()
  expect(seen()).toBe(1)
  watch.setOn(false)
  watch.close()
  board.copy({ 'image/png': await screenshot(2) })
  watch.setOn(true)
  await look()
  expect(seen()).toBe(1)
})
