import { expect, it } from 'vitest'
import { createTrayPresence } from '../../../src/main/desktop/tray/tray-presence.ts'
import type { TrayIcon, TrayView } from '../../../src/main/desktop/tray/tray-view.ts'
import { createTrays } from '../../stand-in/electron/tray.ts'
import type { RecordedTray } from '../../stand-in/recorded.ts'

const view = (icon: TrayIcon): TrayView => ({ icon, tooltip: icon, items: [] })

function setUp({ possible = true, mayShow = true } = {}) {
  const did: string[] = []
  const presence = createTrayPresence({
    make(first) {
      did.push(`make ${first}`)
      if (!possible) throw new Error('no status area')
      return {
        update: ({ icon }) => void did.push(`update ${icon}`),
        balloon: () => {},
        redraw: () => void did.push('redraw'),
        remove: () => void did.push('remove'),
      }
    },
    host: {
      mayShow: () => mayShow,
      refresh: () => void did.push('refresh'),
      shows: () => Promise.resolve(mayShow),
      onAppeared: () => {},
    },
    log: (message) => did.push(message),
  })
  return { presence, did }
}

it('creates one icon, and a new one after it was hidden', () => {
  const { presence, did } = setUp()
  presence.show(view('idle'))
  presence.show(view('busy'))
  presence.redraw()
  presence.hide()
  presence.hide()
  presence.redraw()
  presence.show(view('offline'))
  expect(did).toEqual([
    'make idle',
    'update idle',
    'update busy',
    'redraw',
    'remove',
    'make offline',
    'update offline',
  ])
})

it('is present while it has an icon and the desktop shows icons, which is checked again at every query', () => {
  const { presence, did } = setUp()
  expect(presence.isShown()).toBe(false)
  presence.show(view('idle'))
  expect(presence.isShown()).toBe(true)
  presence.hide()
  expect(presence.isShown()).toBe(false)
  expect(did.filter((word) => word === 'refresh')).toHaveLength(3)

  const unseen = setUp({ mayShow: false })
  unseen.presence.show(view('idle'))
  expect(unseen.presence.isShown()).toBe(false)
})

it('is expected to be shown if it has an icon and the desktop shows icons', async () => {
  for (const mayShow of [true, false]) {
    const { presence } = setUp({ mayShow })
    expect(await presence.willBeShown()).toBe(false)
    presence.show(view('idle'))
    expect(await presence.willBeShown()).toBe(mayShow)
  }
})

it('tries to create an icon only once if that fails, and logs the reason', () => {
  const { presence, did } = setUp({ possible: false })
  presence.show(view('idle'))
  presence.show(view('busy'))
  expect(did).toEqual(['make idle', 'could not create the tray icon: Error: no status area'])
  expect(presence.isShown()).toBe(false)
})

/** As in Electron, an icon that is created before the desktop shows icons stays invisible. */
it('creates a visible icon when the desktop begins to show icons', () => {
  let isShown = false
  let recorded: readonly RecordedTray[] = []
  const waiting: (() => void)[] = []
  const trays = createTrays({
    shown: () => isShown,
    platform: () => 'linux',
    onChange: (now) => (recorded = now),
  })
  const presence = createTrayPresence({
    make() {
      const tray = new trays.Tray('icon.png')
      return {
        update: ({ tooltip }) => tray.setToolTip(tooltip),
        balloon: () => {},
        redraw: () => {},
        remove: () => tray.destroy(),
      }
    },
    host: {
      mayShow: () => isShown,
      refresh: () => {},
      shows: () => Promise.resolve(isShown),
      onAppeared: (next) => void waiting.push(next),
    },
    log: () => {},
  })
  presence.show(view('idle'))
  isShown = true
  presence.show(view('busy'))
  expect(recorded).toEqual([])
  waiting[0]?.()
  expect(recorded.map(({ toolTip }) => toolTip)).toEqual(['busy'])
  presence.hide()
  waiting[0]?.()
  expect(recorded).toEqual([])
})
