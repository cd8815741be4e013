import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPanelTheme, createTrayHost } from '../../../src/main/desktop/tray/tray-host.ts'
import { createTheme } from '../../stand-in/electron/desktop.ts'

/** A bus whose answers a test gives. */
function bus() {
  const asked: string[] = []
  let answer: boolean | undefined
  return {
    asked,
    say: (next: boolean | undefined) => (answer = next),
    ask: (name: string) => {
      asked.push(name)
      return Promise.resolve(answer)
    },
  }
}

afterEach(() => void vi.useRealTimers())

describe('whether somebody shows tray icons', () => {
  it('is asked on GNOME, and believed', async () => {
    const { ask, say, asked } = bus()
    say(false)
    const host = createTrayHost('linux', 'ubuntu:GNOME', ask)
    expect(host.mayShow()).toBe(true)
    await Promise.resolve()
    expect(host.mayShow()).toBe(false)
    say(true)
    host.refresh()
    await Promise.resolve()
    expect(host.mayShow()).toBe(true)
    expect(asked).toEqual(['org.kde.StatusNotifierWatcher', 'org.kde.StatusNotifierWatcher'])
  })

  it('is taken for granted where it can’t be asked', async () => {
    const { ask } = bus()
    const host = createTrayHost('linux', 'GNOME', ask)
    await Promise.resolve()
    expect(host.mayShow()).toBe(true)
  })

  it('is asked once more where the desktop has only just begun', async () => {
    vi.useFakeTimers()
    for (const second of [true, false]) {
      const { ask, say } = bus()
      say(false)
      const shows = createTrayHost('linux', 'GNOME', ask).shows()
      await vi.advanceTimersByTimeAsync(4_999)
      say(second)
      await vi.advanceTimersByTimeAsync(1)
      expect(await shows).toBe(second)
    }
  })

  it('is not asked elsewhere', () => {
    const { ask, asked } = bus()
    for (const [platform, desktop] of [
      ['linux', 'KDE'],
      ['linux', undefined],
      ['darwin', undefined],
      ['win32', undefined],
    ] as const) {
      expect(createTrayHost(platform, desktop, ask).mayShow()).toBe(true)
    }
    expect(asked).toEqual([])
  })
})

/** A system with its theme, as the stand-in has it. */
function setUp(platform: NodeJS.Platform, { desktop, dark }: { desktop?: string; dark: boolean }) {
  const { nativeTheme, setSystemDark } = createTheme({ platform: () => platform, onChange: () => {} })
  setSystemDark(dark)
  return {
    theme: nativeTheme,
    isDark: createPanelTheme({ platform, desktop, theme: nativeTheme }),
    setSystemDark,
  }
}

it('On Windows it is the taskbar’s own theme, whatever the window’s is', () => {
  const { theme, isDark, setSystemDark } = setUp('win32', { dark: true })
  theme.themeSource = 'light'
  expect(isDark()).toBe(true)
  setSystemDark(false)
  theme.themeSource = 'dark'
  expect(isDark()).toBe(false)
})

it.each([true, false])('GNOME’s bar is dark where the system is dark: %s', (dark) => {
  const { theme, isDark } = setUp('linux', { desktop: 'ubuntu:GNOME', dark })
  expect(isDark()).toBe(true)
  theme.themeSource = 'light'
  expect(isDark()).toBe(true)
})

it('Elsewhere on Linux it is the system’s theme, as it was when the window last followed it', () => {
  const { theme, isDark, setSystemDark } = setUp('linux', { desktop: 'KDE', dark: false })
  theme.themeSource = 'dark'
  expect(isDark()).toBe(false)
  theme.themeSource = 'system'
  setSystemDark(true)
  expect(isDark()).toBe(true)
  theme.themeSource = 'light'
  expect(isDark()).toBe(true)
})
