import { expect, it } from 'vitest'
import { createPanelTheme } from '../../../src/main/desktop/tray/panel-theme.ts'
import { createTheme } from '../../stand-in/electron/desktop.ts'

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
