/** Maps changed settings to the system changes that they require, and determines whether the desktop assigns the shortcut. */
import type { Settings } from '../../../shared/model/settings.ts'
import type { GlobalShortcut } from '../shell.ts'

export type SettingEffect =
  | { readonly do: 'setShortcut'; readonly for: GlobalShortcut; readonly accelerator: string | null }
  | { readonly do: 'setStartAtLogin'; readonly wanted: boolean }
  | { readonly do: 'offerQuickTasks' }

const SHORTCUTS = [
  ['globalShortcut', 'newJob'],
  ['clipboardShortcut', 'processClipboard'],
] as const satisfies readonly (readonly [keyof Settings, GlobalShortcut])[]

/**
 * @param before undefined when the app starts. No shortcut is registered at that point. The login item then stays as it is, because the
 * user may have changed it in the system's settings. It is only set if `startAtLogin` comes from another computer or was changed without
 * the app.
 * @param computer the result of `computerId`
 */
export function settingEffects(
  settings: Settings,
  before: Settings | undefined,
  computer: string,
): readonly SettingEffect[] {
  const effects: SettingEffect[] = []
  for (const [name, shortcut] of SHORTCUTS) {
    const accelerator = settings[name]
    if (accelerator !== (before?.[name] ?? null))
      effects.push({ do: 'setShortcut', for: shortcut, accelerator })
  }
  const { startAtLogin: wanted, startAtLoginOn } = settings
  const did = before === undefined ? startAtLoginOn === computer : before.startAtLogin
  if (wanted !== did) effects.push({ do: 'setStartAtLogin', wanted })
  // Task names depend on the language.
  if (settings.language !== before?.language) effects.push({ do: 'offerQuickTasks' })
  return effects
}

/**
 * Whether the desktop assigns the global shortcut. On Wayland, it does so through its portal. Electron doesn't receive the portal's
 * response and always reports success. GNOME, however, asks the user first, and KDE keeps shortcuts in its settings.
 * @param ozonePlatform Chromium's switch `ozone-platform`. Unless the user gives it, Chromium sets it before the app runs
 */
export const desktopBindsShortcuts = (platform: NodeJS.Platform, ozonePlatform: string): boolean =>
  platform === 'linux' && ozonePlatform === 'wayland'
