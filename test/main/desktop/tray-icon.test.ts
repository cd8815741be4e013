import type { Menu, Tray } from 'electron'
import { basename } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTrayIcon, escapeLabel } from '../../../src/main/desktop/tray/tray-icon.ts'
import type { TrayIcon, TrayItem, TrayView } from '../../../src/main/desktop/tray/tray-view.ts'
import { createMenus, type StandInMenu } from '../../stand-in/electron/menu.ts'
import { nativeImage } from '../../stand-in/electron/native-image.ts'
import { createRecord } from '../../stand-in/electron/record.ts'
import { createTrays } from '../../stand-in/electron/tray.ts'
import type { RecordedTray } from '../../stand-in/recorded.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const OPEN: TrayItem = { kind: 'action', label: 'Open', action: { do: 'open' } }
const view = (icon: TrayIcon, tooltip = icon as string, items: readonly TrayItem[] = [OPEN]): TrayView => ({
  icon,
  tooltip,
  items,
})

/** The stand-in's tray and menu, with an icon that is idle at first. */
function setUp({ platform = 'linux', still = false }: { platform?: NodeJS.Platform; still?: boolean } = {}) {
  let shown: readonly RecordedTray[] = []
  let isDark = true
  const did: unknown[] = []
  let areImagesBroken = false
  const trays = createTrays({ shown: () => true, platform: () => platform, onChange: (now) => (shown = now) })
  const { Menu: Menus, popup } = createMenus(createRecord())
  const builtMenus: StandInMenu[] = []
  const icon = createTrayIcon({
    createTray: (image) => new trays.Tray(image) as unknown as Tray,
    buildMenu(template) {
      const menu = Menus.buildFromTemplate(template)
      builtMenus.push(menu)
      return menu as unknown as Menu
    },
    loadImage: (path) => (areImagesBroken ? expect.fail('no such image') : nativeImage.createFromPath(path)),
    iconFolder: '/icons',
    platform,
    first: 'idle',
    isDark: () => isDark,
    reduceMotion: () => still,
    onAction: (action) => did.push(action),
    onOpen: () => did.push('open'),
    onFiles: (paths) => did.push(paths),
    log: (message) => did.push(message),
  })
  return {
    icon,
    did,
    builtMenus,
    popup,
    restartTaskbar: () => trays.shown(0).restartTaskbar(),
    act: (event: string, details: readonly unknown[] = []) => trays.shown(0).act(event, details),
    tray: () => shown[0],
    picture: () => basename(shown[0]?.icon ?? ''),
    becomeLight: () => (isDark = false),
    breakImages: () => void (areImagesBroken = true),
  }
}

it.each([
  ['linux', 'idle-white-24.png', 'idle-black-24.png'],
  ['win32', 'idle-white.ico', 'idle-black.ico'],
  ['darwin', 'idleTemplate.png', 'idleTemplate.png'],
] as const)('on %s, has the color that its panel requires', (platform, onDark, onLight) => {
  const { icon, picture, becomeLight } = setUp({ platform })
  expect(picture()).toBe(onDark)
  becomeLight()
  icon.redraw()
  expect(picture()).toBe(onLight)
})

it('sets its menu and tooltip immediately, and then at most five times a second, with the latest state', () => {
  const { icon, tray, picture } = setUp()
  icon.update(view('idle', 'nothing to do'))
  expect(tray()?.toolTip).toBe('nothing to do')
  expect(tray()?.menu?.map(({ label }) => label)).toEqual(['Open'])
  icon.update(view('offline', 'first'))
  icon.update(view('attention', 'second'))
  vi.advanceTimersByTime(199)
  expect(tray()?.toolTip).toBe('nothing to do')
  vi.advanceTimersByTime(1)
  expect([tray()?.toolTip, picture(), tray()?.iconChanges]).toEqual(['second', 'attention-white-24.png', 1])
})

it('delays its first change if it was created with another image', () => {
  const { icon, picture } = setUp()
  icon.update(view('offline'))
  expect(picture()).toBe('idle-white-24.png')
  vi.advanceTimersByTime(200)
  expect(picture()).toBe('offline-white-24.png')
})

it('doesn’t set properties that have not changed', () => {
  const { icon, tray, builtMenus } = setUp()
  icon.update(view('idle', 'the same'))
  icon.update(view('idle', 'the same'))
  vi.advanceTimersByTime(1_000)
  expect(builtMenus).toHaveLength(1)
  expect(tray()?.iconChanges).toBe(0)
  icon.update(view('idle', 'the same', [OPEN, { kind: 'divider' }]))
  vi.advanceTimersByTime(1_000)
  expect(builtMenus).toHaveLength(2)
})

it('animates in three steps, one a second, while a job runs, and stops afterward', () => {
  const { icon, picture, tray } = setUp()
  icon.update(view('busy'))
  vi.advanceTimersByTime(200)
  const seen = [picture()]
  for (let second = 0; second < 3; second += 1) {
    vi.advanceTimersByTime(1_000)
    seen.push(picture())
  }
  expect(seen).toEqual([1, 2, 3, 1].map((step) => `busy-${step}-white-24.png`))
  icon.update(view('idle'))
  vi.advanceTimersByTime(200)
  const { iconChanges } = tray() ?? {}
  vi.advanceTimersByTime(10_000)
  expect([picture(), tray()?.iconChanges]).toEqual(['idle-white-24.png', iconChanges])
})

it('restarts its animation with the next job', () => {
  const { icon, picture } = setUp()
  icon.update(view('busy'))
  vi.advanceTimersByTime(1_200)
  expect(picture()).toBe('busy-2-white-24.png')
  icon.update(view('idle'))
  vi.advanceTimersByTime(200)
  icon.update(view('busy'))
  vi.advanceTimersByTime(200)
  expect(picture()).toBe('busy-1-white-24.png')
})

it('does not animate with reduced motion', () => {
  const { icon, picture } = setUp({ still: true })
  icon.update(view('busy'))
  vi.advanceTimersByTime(5_000)
  expect(picture()).toBe('busy-1-white-24.png')
})

it('shows its menu on right-click on macOS, where assigning a menu would open it on left-click', () => {
  const { icon, tray, act, popup, did } = setUp({ platform: 'darwin' })
  icon.update(view('idle'))
  expect(tray()?.menu).toBeNull()
  act('right-click')
  expect(popup()?.items.map(({ label }) => label)).toEqual(['Open'])
  act('drop-files', [['/a.jpg', '/b.jpg']])
  expect(did).toEqual([['/a.jpg', '/b.jpg']])
})

it('shows its tooltip even after Explorer has restarted, and never a part of a character', () => {
  const { icon, tray, act, restartTaskbar } = setUp({ platform: 'win32' })
  icon.update(view('idle', 'nothing to do'))
  restartTaskbar()
  act('mouse-enter')
  expect(tray()?.toolTip).toBe('nothing to do')
  icon.update(view('idle', `${'a'.repeat(126)}🎞️ failed`))
  vi.advanceTimersByTime(200)
  expect(tray()?.toolTip).toBe(`${'a'.repeat(126)}…`)
})

it('ends long texts of balloons with an ellipsis, because Electron cuts them off', () => {
  const { icon, tray } = setUp({ platform: 'win32' })
  icon.balloon({ title: 'a'.repeat(64), content: 'b'.repeat(256), onClick: () => {} })
  expect(tray()?.balloon).toEqual({ title: `${'a'.repeat(62)}…`, content: `${'b'.repeat(254)}…` })
})

it('opens the window on a click and performs the actions of its menu items', () => {
  const { icon, act, did, builtMenus } = setUp()
  icon.update(
    view('idle', 'x', [
      { kind: 'text', label: 'R&D.jpg' },
      { kind: 'divider' },
      { kind: 'action', label: 'Quit', action: { do: 'quit' } },
    ]),
  )
  act('click')
  builtMenus[0]?.items[2]?.click()
  expect(did).toEqual(['open', { do: 'quit' }])
  expect(builtMenus[0]?.items.map(({ type, label, enabled }) => [type, label, enabled])).toEqual([
    ['normal', 'R&&D.jpg', false],
    ['separator', '', true],
    ['normal', 'Quit', true],
  ])
  expect(escapeLabel('a & b && c')).toBe('a && b &&&& c')
})

it('does nothing once it is removed', () => {
  const { icon, tray } = setUp()
  icon.update(view('busy'))
  vi.advanceTimersByTime(200)
  icon.update(view('offline'))
  icon.remove()
  vi.advanceTimersByTime(10_000)
  expect(tray()).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

it('shows its menu and tooltip even if its image can’t be loaded', () => {
  const { icon, tray, did, breakImages } = setUp()
  icon.update(view('idle'))
  breakImages()
  icon.update(view('attention', 'a job failed', []))
  vi.advanceTimersByTime(200)
  expect(tray()).toMatchObject({ toolTip: 'a job failed', menu: [] })
  expect(did).toEqual([expect.stringContaining('no such image')])
})
