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

export type Recorded = {
  ready: boolean
  windows: readonly RecordedWindow[]
  trays: readonly RecordedTray[]
  applicationMenu: readonly RecordedMenuItem[] | null
  popupMenu: readonly RecordedMenuItem[] | null
  dockMenu: readonly RecordedMenuItem[] | null
  notifications: readonly RecordedNotification[]
  dialogs: readonly RecordedDialog[]
  shellCalls: readonly RecordedShellCall[]
  /** The whole app's badge on macOS and Linux. */
  badge: number
  /** The whole app's progress on macOS and Linux. -1: none; above 1: indeterminate. */
  progress: number
  appUserModelId: string | null
  toastActivator: string | null
  /** The program that the app's Start menu entry launches on Windows; null: this run hasn't written an entry. */
  startMenu: string | null
  loginItem: Readonly<Record<string, unknown>> | null
  /** The tasks of the jump list. */
  userTasks:
    | readonly { readonly title: string; readonly program: string; readonly arguments: string }[]
    | null
  protocolClients: readonly string[]
  /** Languages of the dictionaries that Electron would download from Google on Windows and Linux. */
  dictionaries: readonly string[]
  powerBlockers: number
  shortcuts: readonly string[]
  /** Port for Playwright to reach the app's Chromium; null while it isn't running. */
  debuggerPort: number | null
  chromiumPid: number | null
}

export const nothingRecorded = (): Recorded => ({
  ready: false,
  windows: [],
  trays: [],
  applicationMenu: null,
  popupMenu: null,
  dockMenu: null,
  notifications: [],
  dialogs: [],
  shellCalls: [],
  badge: 0,
  progress: -1,
  appUserModelId: null,
  toastActivator: null,
  startMenu: null,
  loginItem: null,
  userTasks: null,
  protocolClients: [],
  dictionaries: ['en-GB'],
  powerBlockers: 0,
  shortcuts: [],
  debuggerPort: null,
  chromiumPid: null,
})

/** Actions that the driver can trigger in the app, with one argument and one result each. */
export type Commands = {
  trayEvent: {
    argument: { event: 'click' | 'right-click' | 'balloon-click'; tray: number }
    result: void
  }
  trayDrop: { argument: { paths: readonly string[]; tray: number }; result: void }
  clickMenu: {
    argument: { menu: 'tray' | 'application' | 'dock'; path: readonly string[] }
    result: void
  }
  notificationClick: { argument: number; result: void }
  notificationAction: { argument: { number: number; action: number }; result: void }
  answerDialog: {
    argument: {
      kind: RecordedDialog['kind']
      paths?: readonly string[]
      response?: number
    }
    result: void
  }
  power: { argument: 'suspend' | 'resume' | 'on-battery' | 'on-ac'; result: void }
  /** Seconds since the last input. */
  idle: { argument: number; result: void }
  appEvent: {
    argument:
      | { event: 'open-file' | 'open-url'; value: string }
      | { event: 'activate'; hasVisibleWindows: boolean }
    result: void
  }
  /** Stops the app's wall clock or lets it continue. Timers aren't affected. */
  clock: { argument: 'hold' | 'release'; result: void }
  shortcut: { argument: string; result: void }
  theme: { argument: { dark: boolean }; result: void }
  displays: { argument: readonly Rectangle[]; result: void }
  /** Formats are named as the platform names them. */
  clipboard: { argument: Readonly<Record<string, Uint8Array | string>>; result: void }
  clipboardContent: { argument: null; result: Readonly<Record<string, Uint8Array | string>> }
  window: {
    argument: {
      window: number
      act: 'close' | 'focus' | 'blur' | 'minimize' | 'restore' | 'toggleFullScreen' | 'endSession' | 'crash'
    }
    result: void
  }
  resize: { argument: { window: number; bounds: Partial<Rectangle> }; result: void }
  permission: { argument: { window: number; permission: string }; result: boolean }
  /** An IPC call with a forged frame, as a hostile frame would make it. */
  forgeInvoke: {
    argument: {
      window: number
      channel: string
      args: readonly unknown[]
      frame: { url: string; subframe: boolean } | null
    }
    result: { value: unknown } | { error: string }
  }
  /** Raises an error in the main process that isn't caught. */
  failInMain: { argument: { kind: 'exception' | 'rejection'; message: string }; result: void }
  quit: { argument: null; result: void }
  /** Imitates Squirrel on macOS when an update is ready and the user installs it. */
  quitForUpdate: { argument: null; result: void }
}

export type CommandName = keyof Commands
export type CommandTable = {
  [Name in CommandName]: (
    argument: Commands[Name]['argument'],
  ) => Commands[Name]['result'] | Promise<Commands[Name]['result']>
}

export type ToApp = { readonly id: number; readonly name: CommandName; readonly argument: unknown }
export type FromApp =
  | { readonly type: 'recorded'; readonly recorded: Recorded }
  | { readonly type: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
