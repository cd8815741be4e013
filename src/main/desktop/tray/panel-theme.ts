/**
 * Whether the panel behind the tray icon is dark. It is the system's and does not follow the theme that was chosen for the
 * window: Windows tells of its own, GNOME's bar is always dark, and elsewhere the system's theme is known only while the
 * window follows it. On macOS the icon is a template, and this is not asked.
 */
import type { NativeTheme } from 'electron'

export type PanelThemeOptions = {
  readonly platform: NodeJS.Platform
  /** `XDG_CURRENT_DESKTOP` */
  readonly desktop: string | undefined
  readonly theme: Pick<
    NativeTheme,
    'themeSource' | 'shouldUseDarkColors' | 'shouldUseDarkColorsForSystemIntegratedUI'
  >
}

/** Made before the window's theme is chosen, so that the system's is known. */
export function createPanelTheme({ platform, desktop, theme }: PanelThemeOptions): () => boolean {
  if (platform === 'win32') return () => theme.shouldUseDarkColorsForSystemIntegratedUI
  if (/gnome/i.test(desktop ?? '')) return () => true
  let systemIsDark = theme.shouldUseDarkColors
  return () => {
    if (theme.themeSource === 'system') systemIsDark = theme.shouldUseDarkColors
    return systemIsDark
  }
}
