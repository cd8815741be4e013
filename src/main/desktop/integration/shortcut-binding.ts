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
