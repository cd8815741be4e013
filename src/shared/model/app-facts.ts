import type { Language } from '../i18n/catalog.ts'

/** Facts that the page needs for its first render. */
export type AppFacts = {
  readonly platform: 'darwin' | 'win32' | 'linux'
  readonly locale: string
  /** The languages that have a catalog. */
  readonly languages: readonly Language[]
  readonly version: string
  readonly homeFolder: string
  readonly trayShown: boolean
  /** Whether the desktop binds the global shortcuts and doesn't report whether they work. */
  readonly desktopBindsShortcuts: boolean
  /** Whether the desktop may refuse global shortcuts, because it can't find the app's desktop file. */
  readonly desktopMayRefuseShortcuts: boolean
  /** Whether the program that reports the app in front is installed. */
  readonly canTellFrontApp: boolean
  /** Whether the file manager's menu can list starred presets. Only an installed app adds to that menu. */
  readonly fileManagerMenu: 'supported' | 'unsupported' | 'notInstalled'
  /** Whether the publisher of this build has a web page. */
  readonly hasHomePage: boolean
}
