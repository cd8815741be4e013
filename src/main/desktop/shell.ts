/** The parts of the desktop shell, created by desktop.ts in dependency order. Each function picks the parts it uses. */
import type { Translation } from '../../shared/i18n/i18n.ts'
import type { Events } from '../core/index.ts'
import type { WatchFolders, WatchTrouble } from '../watch/index.ts'
import type { ClipboardControl } from './clipboard/clipboard-control.ts'
import type { Dialogs } from './dialogs.ts'
import type { Ending } from './ending.ts'
import type { EntryTrouble } from './file-managers/write-entries.ts'
import type { ProgramFile } from './integration/program-file.ts'
import type { PresetPick } from './launch/incoming.ts'
import type { LaunchRequest } from './launch/launch-arguments.ts'
import type { ViewContext } from './notifications/notification-view.ts'
import type { Notifier } from './notifications/notifier.ts'
import type { TrayPresence } from './tray/tray-presence.ts'
import type { UserAction } from './user-action.ts'
import type { MainWindow } from './windows/main-window.ts'

export type UiEvents = {
  readonly actionChosen: UserAction
  readonly trayClicked: void
  /** Files from outside the window: tray, dock, or a second launch. */
  readonly filesDropped: readonly string[]
  readonly presetPicked: PresetPick
  readonly windowHidden: void
  readonly windowVisibilityChanged: void
  readonly windowShown: void
  /** Fires just before the window is destroyed. */
  readonly windowEnding: void
  readonly shortcutPressed: GlobalShortcut
  /** The requested shortcut belongs to another app. */
  readonly shortcutTaken: string
  /** Start at login is on, but the system waits until the user allows it in the system's settings. */
  readonly loginNeedsApproval: void
  /** The launch argument of a quick task in the dock menu. */
  readonly taskChosen: string
  readonly watchTrouble: WatchTrouble
  /** An entry in a file manager's menu couldn't be written. */
  readonly fileManagerTrouble: EntryTrouble
}

export type GlobalShortcut = 'newJob' | 'processClipboard'

export type Platform = 'darwin' | 'win32' | 'linux'

export type Shell = {
  readonly clipboard: ClipboardControl
  readonly ui: Events<UiEvents>
  readonly ending: Ending
  readonly tray: TrayPresence
  readonly window: MainWindow
  readonly notifier: Notifier
  readonly dialogs: Dialogs
  readonly watch: WatchFolders
  readonly platform: Platform
  readonly program: ProgramFile
  readonly act: (action: UserAction) => void
  readonly incoming: (request: LaunchRequest) => void
  readonly t: () => Translation
  readonly context: () => ViewContext
  readonly log: (message: string) => void
}
