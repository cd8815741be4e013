import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPanelTheme, createTrayHost } from '../../../src/main/desktop/tray/tray-host.ts'
import { createTheme } from '../../stand-in/electron/desktop.ts'

/** A bus with responses that the test provides. */
function bus() {
  let asks = 0
  let answer: boolean | undefined
  return {
    asks: () => asks,
    say: (next: boolean | undefined) => (answer = next),
    ask: () => {
      asks += 1
      return Promise.resolve(answer)
    },
  }
}

afterEach(() => void vi.useRealTimers())

const x11 = (desktop: string | undefined) => ({ desktop, isWayland: false })

describe('the presence of a tray', () => {
  it('is queried on GNOME, and in every Wayland session', async () => {
    const { ask, say, asks } = bus()
    say(false)
    const host = createTrayHost('linux', x11('ubuntu:GNOME'), ask)
    expect(host.mayShow()).toBe(true)
    await Promise.resolve()
    expect(host.mayShow()).toBe(false)
    say(true)
    host.refresh()
    await Promise.resolve()
    expect(host.mayShow()).toBe(true)
    expect(asks()).toBe(2)
    createTrayHost('linux', { desktop: 'sway', isWayland: true }, ask)
    expect(asks()).toBe(3)
  })

  it('is assumed if it can’t be queried', async () => {
    const { ask } = bus()
    const host = createTrayHost('linux', x11('GNOME'), ask)
    await Promise.resolve()
    expect(host.mayShow()).toBe(true)
  })

  it('is queried again if the desktop has only just started', async () => {
    vi.useFakeTimers()
    for (const second of [true, false]) {
      const { ask, say } = bus()
      say(false)
      const shows = createTrayHost('linux', x11('GNOME'), ask).shows()
      await vi.advanceTimersByTimeAsync(4_999)
      say(second)
      await vi.advanceTimersByTimeAsync(1)
      expect(await shows).toBe(second)
    }
  })

  it('is noticed when it appears later, also without a query', async () => {
    vi.useFakeTimers()
    const { ask, say } = bus()
    say(false)
    let appearances = 0
    createTrayHost('linux', x11('pantheon'), ask).onAppeared(() => (appearances += 1))
    await vi.advanceTimersByTimeAsync(34_999)
    say(true)
    expect(appearances).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(appearances).toBe(1)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([appearances, vi.getTimerCount()]).toEqual([1, 0])
  })

  it('is noticed once, even if it is queried twice at the same time', async () => {
    const { ask, say } = bus()
    say(false)
    let appearances = 0
    const host = createTrayHost('linux', x11('GNOME'), ask)
    host.onAppeared(() => (appearances += 1))
    await Promise.resolve()
    say(true)
    host.refresh()
    expect([await host.shows(), appearances]).toEqual([true, 1])
  })

  it('is not queried on other desktops of X11 and on other systems', () => {
    const { ask, asks } = bus()
    for (const [platform, desktop] of [
      ['linux', 'KDE'],
      ['linux', undefined],
      ['darwin', undefined],
      ['win32', undefined],
    ] as const) {
      expect(createTrayHost(platform, x11(desktop), ask).mayShow()).toBe(true)
    }
    expect(asks()).toBe(0)
  })
})

/** Creates the panel theme of a system, which follows the stand-in's theme. */
function setUp(platform: NodeJS.Platform, { desktop, dark }: { desktop?: string; dark: boolean }) {
  const { nativeTheme, setSystemDark } = createTheme({ platform: () => platform, onChange: () => {} })
  setSystemDark(dark)
  return {
    theme: nativeTheme,
    isDark: createPanelTheme({ platform, desktop, theme: nativeTheme }),
    setSystemDark,
  }
}

it('on Windows, the panel has the taskbar’s theme, not the window’s', () => {
  const { theme, isDark, setSystemDark } = setUp('win32', { dark: true })
  theme.themeSource = 'light'
  expect(isDark()).toBe(true)
  setSystemDark(false)
  theme.themeSource = 'dark'
  expect(isDark()).toBe(false)
})

it.each([true, false])('GNOME’s top bar is always dark, with a dark system theme: %s', (dark) => {
  const { theme, isDark } = setUp('linux', { desktop: 'ubuntu:GNOME', dark })
  expect(isDark()).toBe(true)
  theme.themeSource = 'light'
  expect(isDark()).toBe(true)
})

it('elsewhere on Linux, the panel has the system theme, as last seen while the window followed it', () => {
  const { theme, isDark, setSystemDark } = setUp('linux', { desktop: 'KDE', dark: false })
  theme.themeSource = 'dark'
  expect(isDark()).toBe(false)
  theme.themeSource = 'system'
  setSystemDark(true)
  expect(isDark()).toBe(true)
  theme.themeSource = 'light'
  expect(isDark()).toBe(true)
})
