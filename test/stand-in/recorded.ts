/** What the stand-in remembers of everything that Electron would have shown: plain data, sent to the driver whenever it changes. */

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
  readonly title: string
  /** As the main process knows it, so with the custom scheme. */
  readonly url: string
  readonly visible: boolean
  readonly focused: boolean
  readonly minimized: boolean
  readonly bounds: Rectangle
  readonly maximized: boolean
  /** On Windows, where each window has its own: -1: none; above 1: indeterminate. */
  readonly progress: number
  readonly progressMode: string | null
  /** On Windows, where each window has its own. */
  readonly badge: number
  readonly flashing: boolean
  readonly loaded: boolean
  /** Its renderer died. */
  readonly crashed: boolean
  /** Of the page in Chromium. */
  readonly targetId: string | null
  readonly webPreferences: Readonly<Record<string, unknown>>
  readonly drags: readonly (readonly string[])[]
}

export type RecordedTray = {
  readonly id: number
  /** The file of the icon, or what it was made from. */
  readonly icon: string
  readonly iconChanges: number
  readonly toolTip: string
  readonly title: string
  readonly menu: readonly RecordedMenuItem[] | null
}

export type RecordedNotification = {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly silent: boolean
  readonly actions: readonly string[]
  /** Timed out: put aside, where Windows still lets a person click it. */
  readonly state: 'shown' | 'timedOut' | 'closed' | 'failed'
}

export type RecordedDialog = {
  readonly number: number
  readonly kind: 'open' | 'save' | 'message' | 'error'
  readonly options: Readonly<Record<string, unknown>>
  readonly answered: boolean
}

export type RecordedShellCall = {
  readonly call: 'openExternal' | 'openPath' | 'showItemInFolder' | 'beep' | 'trashItem'
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
  /** Of the whole app, on macOS and Linux. */
  badge: number
  /** Of the whole app, on macOS and Linux: -1: none; above 1: indeterminate. */
  progress: number
  progressMode: string | null
  dockBadge: string
  appUserModelId: string | null
  toastActivator: string | null
  loginItem: Readonly<Record<string, unknown>> | null
  jumpList: readonly unknown[] | null
  /** The tasks of the jump list. */
  userTasks:
    | readonly { readonly title: string; readonly program: string; readonly arguments: string }[]
    | null
  protocolClients: readonly string[]
  powerBlockers: number
  shortcuts: readonly string[]
  switches: Readonly<Record<string, string>>
  /** Where Playwright can reach the app's Chromium; null while there is none. */
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
  progressMode: null,
  dockBadge: '',
  appUserModelId: null,
  toastActivator: null,
  loginItem: null,
  jumpList: null,
  userTasks: null,
  protocolClients: [],
  powerBlockers: 0,
  shortcuts: [],
  switches: {},
  debuggerPort: null,
  chromiumPid: null,
})

/** What the driver can make happen in the app: one argument, one result. */
export type Commands = {
  trayEvent: { argument: { event: 'click' | 'right-click' | 'double-click'; tray: number }; result: void }
  trayDrop: { argument: { paths: readonly string[]; tray: number }; result: void }
  clickMenu: {
    argument: { menu: 'tray' | 'application' | 'popup' | 'dock'; path: readonly string[] }
    result: void
  }
  notificationClick: { argument: number; result: void }
  notificationClose: { argument: number; result: void }
  notificationTimeOut: { argument: number; result: void }
  notificationAction: { argument: { number: number; action: number }; result: void }
  notificationFail: { argument: { number: number; error: string }; result: void }
  answerDialog: {
    argument: {
      kind: RecordedDialog['kind']
      paths?: readonly string[]
      response?: number
      checked?: boolean
    }
    result: void
  }
  power: {
    argument: 'suspend' | 'resume' | 'lock-screen' | 'unlock-screen' | 'on-battery' | 'on-ac' | 'shutdown'
    result: void
  }
  appEvent: {
    argument:
      | { event: 'open-file' | 'open-url'; value: string }
      | { event: 'activate'; hasVisibleWindows: boolean }
    result: void
  }
  /** The app's wall clock stands still, or goes on with the computer's. Timers go on. */
  clock: { argument: 'hold' | 'release'; result: void }
  shortcut: { argument: string; result: void }
  theme: { argument: { dark: boolean }; result: void }
  displays: { argument: readonly Rectangle[]; result: void }
  clipboard: { argument: Readonly<Record<string, Uint8Array | string>>; result: void }
  readClipboard: { argument: null; result: Readonly<Record<string, Uint8Array | string>> }
  window: {
    argument: { window: number; act: 'close' | 'focus' | 'blur' | 'minimize' | 'restore' | 'crash' }
    result: void
  }
  resize: { argument: { window: number; bounds: Partial<Rectangle> }; result: void }
  permission: { argument: { window: number; permission: string }; result: boolean }
  /** An IPC call that claims to come from another frame, as a hostile frame would make it. */
  forgeInvoke: {
    argument: {
      window: number
      channel: string
      args: readonly unknown[]
      frame: { url: string; subframe: boolean } | null
    }
    result: { value: unknown } | { error: string }
  }
  /** Something in the main process goes wrong and nobody catches it. */
  failInMain: { argument: { kind: 'exception' | 'rejection'; message: string }; result: void }
  quit: { argument: null; result: void }
  /** What Squirrel on macOS does once an update is there and a person wants it. */
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
