/** Everything that Electron would have shown, as plain data. It is sent to the driver after every change. */

export type Rectangle = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type RecordedMenuItem = {
  readonly id: string
  readonly label: string
  readonly type: 'normal' | 'separator' | 'submenu' | 'checkbox' | 'radio' | 'header' | 'palette'
  readonly role: string | null
  readonly enabled: boolean
  readonly visible: boolean
  readonly checked: boolean
  readonly accelerator: string | null
  readonly submenu: readonly RecordedMenuItem[] | null
}

export type RecordedWindow = {
  readonly id: number
  /** The address as the main process uses it, with the custom scheme. */
  readonly url: string
  readonly visible: boolean
  readonly focused: boolean
  readonly minimized: boolean
  readonly bounds: Rectangle
  readonly maximized: boolean
  readonly fullScreen: boolean
  /** On macOS: the window was hidden in full screen, and its empty space still exists. */
  readonly blackSpace: boolean
  /** The taskbar button's progress on Windows. -1: none; above 1: indeterminate. */
  readonly progress: number
  /** The taskbar button's overlay on Windows. */
  readonly badge: number
  readonly loaded: boolean
  /** The renderer has crashed. */
  readonly crashed: boolean
  /** Chromium's ID of the page. */
  readonly targetId: string | null
  readonly webPreferences: Readonly<Record<string, unknown>>
}

export type RecordedTray = {
  readonly id: number
  /** The file of the icon, or its source. */
  readonly icon: string
  readonly iconChanges: number
  readonly toolTip: string
  readonly menu: readonly RecordedMenuItem[] | null
  /** The tray's balloon on Windows, which shows one at a time. */
  readonly balloon: { readonly title: string; readonly content: string } | null
}

export type RecordedNotification = {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly silent: boolean
  readonly actions: readonly string[]
  /** timedOut: moved to the notification center, where Windows still lets the user click it. */
  readonly state: 'shown' | 'timedOut' | 'closed' | 'failed'
}

export type RecordedDialog = {
  readonly number: number
  readonly kind: 'open' | 'save' | 'message' | 'error'
  readonly options: Readonly<Record<string, unknown>>
  /** The parent window; null: none. */
  readonly parent: number | null
  readonly answered: boolean
}

export type RecordedShellCall = {
  readonly call: 'openExternal' | 'openPath' | 'showItemInFolder' | 'beep'
  readonly target: string
}

export type Recorded = ReturnType<typeof nothingRecorded>

type Menu = readonly RecordedMenuItem[] | null
type UserTask = { readonly title: string; readonly program: string; readonly arguments: string }

export const nothingRecorded = () => ({
  ready: false,
  windows: [] as readonly RecordedWindow[],
  trays: [] as readonly RecordedTray[],
  applicationMenu: null as Menu,
  popupMenu: null as Menu,
  dockMenu: null as Menu,
  notifications: [] as readonly RecordedNotification[],
  dialogs: [] as readonly RecordedDialog[],
  shellCalls: [] as readonly RecordedShellCall[],
  /** The whole app's badge on macOS and Linux. */
  badge: 0,
  /** The whole app's progress on macOS and Linux. -1: none; above 1: indeterminate. */
  progress: -1,
  appUserModelId: null as string | null,
  toastActivator: null as string | null,
  /** The program that the app's Start menu entry launches on Windows; null: this run hasn't written an entry. */
  startMenu: null as string | null,
  loginItem: null as Readonly<Record<string, unknown>> | null,
  /** The tasks of the jump list. */
  userTasks: null as readonly UserTask[] | null,
  protocolClients: [] as readonly string[],
  /** Languages of the dictionaries that Electron would download from Google on Windows and Linux. */
  dictionaries: ['en-GB'] as readonly string[],
  powerBlockers: 0,
  shortcuts: [] as readonly string[],
  /** Port for Playwright to reach the app's Chromium; null while it isn't running. */
  debuggerPort: null as number | null,
  chromiumPid: null as number | null,
})

/** Actions that the driver can trigger in the app. */
export type Commands = {
  trayEvent(given: { event: 'click' | 'right-click' | 'balloon-click'; tray: number }): void
  trayDrop(given: { paths: readonly string[]; tray: number }): void
  clickMenu(given: { menu: 'tray' | 'application' | 'dock'; path: readonly string[] }): void
  notificationClick(number: number): void
  notificationAction(given: { number: number; action: number }): void
  answerDialog(given: { kind: RecordedDialog['kind']; paths?: readonly string[]; response?: number }): void
  power(event: 'suspend' | 'resume' | 'on-battery' | 'on-ac'): void
  /** @param seconds since the last input */
  idle(seconds: number): void
  appEvent(
    given:
      | { event: 'open-file' | 'open-url'; value: string }
      | { event: 'activate'; hasVisibleWindows: boolean },
  ): void
  /** Stops the app's wall clock or lets it continue. Timers aren't affected. */
  clock(act: 'hold' | 'release'): void
  shortcut(accelerator: string): void
  theme(given: { dark: boolean }): void
  displays(rectangles: readonly Rectangle[]): void
  clipboard(content: ClipboardContent): void
  clipboardContent(given: null): ClipboardContent
  window(given: {
    window: number
    act: 'close' | 'focus' | 'blur' | 'minimize' | 'restore' | 'toggleFullScreen' | 'endSession' | 'crash'
  }): void
  resize(given: { window: number; bounds: Partial<Rectangle> }): void
  permission(given: { window: number; permission: string }): boolean
  /** An IPC call with a forged frame, as a hostile frame would make it. */
  forgeInvoke(given: {
    window: number
    channel: string
    args: readonly unknown[]
    frame: { url: string; subframe: boolean } | null
  }): { value: unknown } | { error: string }
  /** Raises an error in the main process that isn't caught. */
  failInMain(given: { kind: 'exception' | 'rejection'; message: string }): void
  quit(given: null): void
  /** Imitates Squirrel on macOS when an update is ready and the user installs it. */
  quitForUpdate(given: null): void
}

/** Formats are named as the platform names them. */
type ClipboardContent = Readonly<Record<string, Uint8Array | string>>

export type CommandName = keyof Commands
export type Argument<Name extends CommandName> = Parameters<Commands[Name]>[0]
export type Result<Name extends CommandName> = ReturnType<Commands[Name]>
export type CommandTable = {
  [Name in CommandName]: (argument: Argument<Name>) => Result<Name> | Promise<Result<Name>>
}

export type ToApp = { readonly id: number; readonly name: CommandName; readonly argument: unknown }
export type FromApp =
  | { readonly type: 'recorded'; readonly recorded: Recorded }
  | { readonly type: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
