import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  createMainWindow,
  quitsWithLastWindow,
  whatClosingDoes,
} from '../../../src/main/desktop/windows/main-window.ts'
import type { WindowBounds } from '../../../src/main/desktop/windows/window-bounds.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A simulated window that records the calls in order. */
class FakeWindow extends EventEmitter {
  readonly webContents = Object.assign(new EventEmitter(), { send: () => {} })
  readonly did: string[] = []
  #visible = false
  #destroyed = false

  show = () => {
    this.did.push('show')
    if (this.#visible) return
    this.#visible = true
    this.emit('show')
  }
  hide = () => {
    this.did.push('hide')
    this.#visible = false
    this.emit('hide')
  }
  /** Also shows the window, as Electron's does. */
  maximize = () => {
    this.did.push('maximize')
    this.#visible = true
    this.emit('show')
  }
  destroy = () => {
    this.did.push('destroy')
    this.#destroyed = true
    this.emit('closed')
  }
  reload = () => void this.did.push('reload')
  restore = () => this.emit('restore')
  focus = () => {}
  loadURL = () => Promise.resolve()
  isVisible = () => this.#visible
  isDestroyed = () => this.#destroyed
  isMinimized = () => false
  isMaximized = () => false
  isFullScreen = () => false
  isFocused = () => this.#visible
  getNormalBounds = () => ({ x: 0, y: 0, width: 880, height: 640 })

  /** Closes the window like the title bar's close button. */
  close() {
    const event = { defaultPrevented: false, preventDefault: () => (event.defaultPrevented = true) }
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }
  die() {
    this.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 139 })
  }
}

function setUp({ saved }: { saved?: WindowBounds } = {}) {
  const made: FakeWindow[] = []
  const told: string[] = []
  const kept: WindowBounds[] = []
  const window = createMainWindow({
    create() {
      const next = new FakeWindow()
      made.push(next)
      return next as unknown as BrowserWindow
    },
    preloadPath: '/preload.cjs',
    iconPath: '/icon.png',
    platform: 'linux',
    devTools: false,
    background: () => '#fff',
    workAreas: () => [{ x: 0, y: 0, width: 1920, height: 1080 }],
    savedBounds: () => saved,
    saveBounds: (bounds) => void kept.push(bounds),
    onClose: () => 'hide',
    onHidden: () => {},
    onVisibility: () => {},
    onShown: () => told.push('shown'),
    onEnding: () => told.push(`ending, destroyed: ${made.at(-1)?.isDestroyed()}`),
    lingerMs: 1_000,
    log: () => {},
  })
  const newest = (): FakeWindow => {
    const found = made.at(-1)
    if (found === undefined) throw new Error('No window was created')
    return found
  }
  /** Shows the window, with content. */
  function open(): void {
    window.show()
    newest().emit('ready-to-show')
  }
  return { window, told, kept, newest, open }
}

it.each([
  ['it is painted', (made: FakeWindow) => made.emit('ready-to-show')],
  ['its page was loaded', (made: FakeWindow) => made.webContents.emit('did-finish-load')],
  ['two seconds have passed', () => void vi.advanceTimersByTime(2_000)],
])('a new window is shown once %s, and only once', (_what, happen) => {
  const { window, newest } = setUp()
  window.show()
  window.show()
  vi.advanceTimersByTime(1_999)
  expect(newest().did).toEqual([])
  happen(newest())
  newest().hide()
  newest().emit('ready-to-show')
  newest().webContents.emit('did-finish-load')
  vi.advanceTimersByTime(900)
  expect(newest().did).toEqual(['show', 'hide'])
})

it('a window that was maximized is maximized again after it has content, because maximizing shows it', () => {
  const { window, newest } = setUp({ saved: { x: 0, y: 0, width: 900, height: 700, maximized: true } })
  window.show()
  expect(newest().did).toEqual([])
  newest().emit('ready-to-show')
  expect(newest().did).toEqual(['maximize', 'show'])
})

it('reports that a window is closing while it can still receive messages, and reports when the next one is shown', () => {
  const { window, newest, told, open } = setUp()
  open()
  window.hide()
  vi.advanceTimersByTime(1_000)
  expect(newest().did.at(-1)).toBe('destroy')
  open()
  expect(told).toEqual(['shown', 'ending, destroyed: false', 'shown'])
})

it('a page that crashes again and again isn’t reloaded forever, but is when the window is shown again', () => {
  const { window, newest, open } = setUp()
  const reloads = () => newest().did.filter((act) => act === 'reload').length
  open()
  for (let crash = 0; crash < 10; crash++) newest().die()
  expect(reloads()).toBe(3)
  window.hide()
  window.show()
  expect(reloads()).toBe(4)
  window.hide()
  window.show()
  vi.advanceTimersByTime(60_000)
  newest().die()
  expect(reloads()).toBe(5)
})

it('once closing is allowed, the window closes instead of hiding', () => {
  const { window, newest, open } = setUp()
  open()
  newest().close()
  expect(newest().isDestroyed()).toBe(false)
  window.allowClose()
  newest().close()
  expect(newest().isDestroyed()).toBe(true)
})

it('a logoff from Windows, which closes no window, saves the position of a visible one', () => {
  const { window, kept, newest, open } = setUp()
  open()
  newest().emit('session-end')
  expect(kept).toEqual([{ x: 0, y: 0, width: 880, height: 640, maximized: false }])
  window.hide()
  newest().emit('session-end')
  expect(kept).toHaveLength(1)
})

const usual = { isQuitting: false, isTrayShown: true, closeToTray: true }

it('closing hides the window if the user can find it again in the tray', () => {
  expect(whatClosingDoes(usual)).toBe('hide')
  expect(quitsWithLastWindow(usual)).toBe(false)
})

it.each([{ isTrayShown: false }, { closeToTray: false }])('closing quits the app with %o', (others) => {
  expect(whatClosingDoes({ ...usual, ...others })).toBe('quit')
  expect(quitsWithLastWindow({ ...usual, ...others })).toBe(true)
})

it('closing doesn’t hide the window of an app that is quitting, and doesn’t quit the app again', () => {
  expect(whatClosingDoes({ ...usual, isQuitting: true })).toBe('quit')
  expect(quitsWithLastWindow({ ...usual, isTrayShown: false, isQuitting: true })).toBe(false)
})
