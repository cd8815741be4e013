/**
 * Loaded by the real runtime before the app (`electron -r`). Makes what the app shows outside its windows visible to a spec, which can then use
 * it. The tray, menus, badges and shortcuts are real. Dialogs, notifications, open menus and other programs can't be automated, so the app only
 * believes that they are there.
 *
 * The exports of Electron's module can't be replaced, but the methods of its objects and of its classes' prototypes can.
 */

/** Calls `note` with the result and the arguments after each call of a method. */
const after = (owner, name, note) => {
  const original = owner[name]
  owner[name] = function (...args) {
    const result = Reflect.apply(original, this, args)
    note(this, args, result)
    return result
  }
}
const event = () => ({ preventDefault() {}, defaultPrevented: false })

/** @param electron Electron's module */
function createDesktopPort(electron, platform) {
  const { app, BrowserWindow, dialog, Menu, nativeImage, Notification, powerSaveBlocker, shell, Tray } =
    electron
  const trays = new Map()
  const notifications = []
  const dialogs = []
  const openDialogs = new Map()
  const answersInAdvance = []
  const shellCalls = []
  const shortcuts = new Map()
  const blockers = new Set()
  const progressOf = new WeakMap()
  let progress = -1
  let popupMenu = null

  const files = new WeakMap()
  // The constructor of a tray can't be noted, so its first icon is the image that was loaded last before its first call.
  let lastLoaded = ''
  after(nativeImage, 'createFromPath', (_, [path], image) => {
    lastLoaded = path.replaceAll('\\', '/')
    files.set(image, lastLoaded)
  })
  const noteTray = (change) => (tray, args) => {
    const known = trays.get(tray) ?? {
      icon: lastLoaded,
      iconChanges: 0,
      toolTip: '',
      menu: null,
      balloon: null,
    }
    trays.set(tray, { ...known, ...change(args, known) })
  }
  after(
    Tray.prototype,
    'setImage',
    noteTray(([image], { iconChanges }) => ({ icon: files.get(image) ?? '', iconChanges: iconChanges + 1 })),
  )
  after(
    Tray.prototype,
    'setToolTip',
    noteTray(([toolTip]) => ({ toolTip })),
  )
  after(
    Tray.prototype,
    'setContextMenu',
    noteTray(([menu]) => ({ menu })),
  )
  Tray.prototype.displayBalloon = function ({ title, content }) {
    noteTray(() => ({ balloon: { title, content } }))(this, [])
  }
  Tray.prototype.removeBalloon = function () {
    noteTray(() => ({ balloon: null }))(this, [])
  }
  Tray.prototype.popUpContextMenu = function (menu) {
    popupMenu = menu ?? trays.get(this)?.menu ?? null
  }
  Menu.prototype.popup = function () {
    popupMenu = this
  }
  after(BrowserWindow.prototype, 'setProgressBar', (window, [value]) => {
    progressOf.set(window, value)
    progress = value
  })
  after(powerSaveBlocker, 'start', (_, _args, id) => blockers.add(id))
  after(powerSaveBlocker, 'stop', (_, [id]) => blockers.delete(id))
  // Electron creates it on first use, which is too early before `ready`. This listener comes before the app's.
  app.once('ready', () => {
    const { globalShortcut } = electron
    after(globalShortcut, 'register', (_, [accelerator, pressed], isRegistered) => {
      if (isRegistered !== false) shortcuts.set(accelerator, pressed)
    })
    after(globalShortcut, 'unregister', (_, [accelerator]) => shortcuts.delete(accelerator))
    after(globalShortcut, 'unregisterAll', () => shortcuts.clear())
  })

  const owners = []
  // On Windows, the first notification writes the app to the Start menu, so isolate-user.cjs turns them off there.
  const hasNotifications = platform !== 'win32'
  if (hasNotifications) Notification.isSupported = () => true
  Notification.prototype.show = function () {
    const { title, body, silent, actions } = this
    const number = notifications.length
    notifications.push({
      number,
      title,
      body,
      silent: silent === true,
      actions: (actions ?? []).map(({ text }) => text ?? ''),
      state: 'shown',
    })
    // Weakly, because Electron doesn't keep it for the app either.
    owners.push(new WeakRef(this))
    setImmediate(() => this.emit('show', event()))
  }
  Notification.prototype.close = function () {
    endNotification(owners.findLastIndex((owner) => owner.deref() === this))
  }
  const endNotification = (number) => {
    const known = notifications[number]
    if (known !== undefined) notifications[number] = { ...known, state: 'closed' }
  }
  const useNotification = (number, name, ...details) => {
    const owner = owners[number]?.deref()
    if (owner === undefined) throw new Error(`There is no notification ${number}, or the app didn't keep it`)
    endNotification(number)
    setImmediate(() => owner.emit(name, ...details))
  }

  const showDialog =
    (kind, resultOf) =>
    (...args) =>
      new Promise((resolve) => {
        const number = dialogs.length
        const [parent] = args.length > 1 ? args : []
        dialogs.push({
          number,
          kind,
          options: plain(args.at(-1)),
          parent: parent?.id ?? null,
          answered: false,
        })
        openDialogs.set(number, (answer) => {
          dialogs[number] = { ...dialogs[number], answered: true }
          openDialogs.delete(number)
          resolve(resultOf(answer))
        })
        const index = answersInAdvance.findIndex((answer) => answer.kind === kind)
        if (index !== -1) openDialogs.get(number)(answersInAdvance.splice(index, 1)[0])
      })
  dialog.showOpenDialog = showDialog('open', ({ paths }) => ({
    canceled: paths === undefined,
    filePaths: paths ?? [],
  }))
  dialog.showSaveDialog = showDialog('save', ({ paths }) => ({
    canceled: paths === undefined,
    filePath: paths?.[0] ?? '',
  }))
  dialog.showMessageBox = showDialog('message', ({ response }) => ({
    response: response ?? 0,
    checkboxChecked: false,
  }))
  dialog.showErrorBox = (title, content) =>
    dialogs.push({
      number: dialogs.length,
      kind: 'error',
      options: { title, content },
      parent: null,
      answered: true,
    })

  const noteCall = (call, result) => {
    shell[call] = (target = '') => {
      shellCalls.push({ call, target })
      return result()
    }
  }
  noteCall('openExternal', () => Promise.resolve())
  // On Linux, Electron's promise never settles.
  noteCall('openPath', () => (platform === 'linux' ? new Promise(() => {}) : Promise.resolve('')))
  noteCall('showItemInFolder', () => undefined)
  noteCall('beep', () => undefined)

  const shownTrays = () => [...trays].filter(([tray]) => !tray.isDestroyed())
  const firstTray = () => {
    const [shown] = shownTrays()
    if (shown === undefined) throw new Error('There is no tray')
    return shown
  }
  const menus = {
    tray: () => firstTray()[1].menu,
    application: () => Menu.getApplicationMenu(),
    dock: () => app.dock?.getMenu() ?? null,
  }
  const acts = {
    trayEvent({ event: name }) {
      const [tray] = firstTray()
      setImmediate(() => tray.emit(name, event(), {}, {}))
    },
    trayDrop({ paths }) {
      const [tray] = firstTray()
      setImmediate(() => tray.emit('drop-files', event(), paths))
    },
    clickMenu({ menu, path }) {
      const item = findItem(menus[menu](), path)
      // Later, because the click may end the app before the spec gets its answer.
      setImmediate(() => item.click(event(), BrowserWindow.getFocusedWindow() ?? undefined, undefined))
    },
    notificationClick: (number) => useNotification(number, 'click', event()),
    notificationAction: ({ number, action }) =>
      useNotification(number, 'action', { ...event(), actionIndex: action, selectionIndex: -1 }, action, -1),
    answerDialog(answer) {
      const waiting = dialogs.find(({ kind, answered }) => kind === answer.kind && !answered)
      if (waiting === undefined) answersInAdvance.push(answer)
      else openDialogs.get(waiting.number)(answer)
    },
    shortcut(accelerator) {
      const pressed = shortcuts.get(accelerator)
      if (pressed === undefined) throw new Error(`${accelerator} isn't registered`)
      setImmediate(() => pressed())
    },
  }
  return {
    act: (name, argument) => acts[name](argument),
    snapshot: () => ({
      ready: app.isReady(),
      windows: BrowserWindow.getAllWindows().map((window) => ({
        id: window.id,
        url: window.webContents.getURL(),
        visible: window.isVisible(),
        focused: window.isFocused(),
        minimized: window.isMinimized(),
        bounds: window.getBounds(),
        maximized: window.isMaximized(),
        fullScreen: window.isFullScreen(),
        progress: progressOf.get(window) ?? -1,
        loaded: !window.webContents.isLoading(),
        crashed: window.webContents.isCrashed(),
      })),
      trays: shownTrays().map(([, { icon, iconChanges, toolTip, menu, balloon }]) => ({
        icon,
        iconChanges,
        toolTip,
        menu: describeMenu(menu),
        balloon,
      })),
      applicationMenu: describeMenu(Menu.getApplicationMenu()),
      popupMenu: describeMenu(popupMenu),
      dockMenu: describeMenu(menus.dock()),
      ...(hasNotifications ? { notifications } : {}),
      dialogs,
      shellCalls,
      badge: app.getBadgeCount(),
      progress,
      powerBlockers: blockers.size,
      shortcuts: [...shortcuts.keys()],
    }),
  }
}

/** Returns what can be sent to the spec. */
const plain = (options) =>
  Object.fromEntries(
    Object.entries(options ?? {}).filter(([, value]) => typeof value !== 'object' || Array.isArray(value)),
  )

/** Returns the menu as plain data. An `&` that marks a mnemonic is removed; a doubled one becomes a single `&`. */
const describeMenu = (menu) =>
  menu?.items.map((item) => ({
    id: item.id ?? '',
    label: item.label.replaceAll(/&(.)/g, '$1'),
    type: item.type,
    role: item.role ?? null,
    enabled: item.enabled,
    visible: item.visible,
    checked: item.checked,
    accelerator: typeof item.accelerator === 'string' ? item.accelerator : null,
    submenu: describeMenu(item.submenu),
  })) ?? null

/** Returns the item at the end of a path of labels. Like a user, it requires the item to be visible and enabled. */
function findItem(menu, [label, ...rest]) {
  const described = describeMenu(menu) ?? []
  const index = described.findIndex((item) => item.visible && (item.label === label || item.id === label))
  const item = menu?.items[index]
  const labels = described.filter(({ visible }) => visible).map((shown) => shown.label || '—')
  if (item === undefined) throw new Error(`No "${label}" in this menu: ${labels.join(' | ')}`)
  if (!item.enabled) throw new Error(`"${label}" isn't enabled`)
  return rest.length > 0 ? findItem(item.submenu, rest) : item
}

module.exports = { createDesktopPort }
if (process.versions.electron !== undefined)
  globalThis.mediatrayDesktopPort = createDesktopPort(require('electron'), process.platform)
