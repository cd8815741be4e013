/** What the system has to be told when settings change, and what of it the desktop decides. */
import type { Settings } from '../../../shared/model/settings.ts'

export type SettingEffect =
  | { readonly do: 'setShortcut'; readonly accelerator: string | null }
  | { readonly do: 'setStartAtLogin'; readonly wanted: boolean }
  | { readonly do: 'offerQuickTasks' }

/**
 * @param before undefined at the start of the app: no shortcut is held yet, and starting at login is left as the system has
 * it, because a person may have changed it there
 */
export function settingEffects(settings: Settings, before: Settings | undefined): readonly SettingEffect[] {
  const effects: SettingEffect[] = []
  if (settings.globalShortcut !== (before?.globalShortcut ?? null)) {
    effects.push({ do: 'setShortcut', accelerator: settings.globalShortcut })
  }
  if (before !== undefined && settings.startAtLogin !== before.startAtLogin) {
    effects.push({ do: 'setStartAtLogin', wanted: settings.startAtLogin })
  }
  // The tasks have names in the language of the app.
  if (settings.language !== before?.language) effects.push({ do: 'offerQuickTasks' })
  return effects
}

/**
 * Who binds the global shortcut to its keys. In a Wayland session that is the desktop, through its portal: Electron is told
 * nothing of the answer and always says that it was registered, while GNOME asks first and KDE keeps the keys in its settings.
 */
export const desktopBindsShortcuts = (
  platform: NodeJS.Platform,
  {
    sessionType,
    ozonePlatform,
  }: { readonly sessionType: string | undefined; readonly ozonePlatform: string },
): boolean => platform === 'linux' && sessionType === 'wayland' && ozonePlatform !== 'x11'
