/**
 * The app on a desktop: one window, a tray where there is one, notifications, and the ways in for files. Draws what the core
 * says and hands on what a person does.
 */
import { systemTiming } from '../../node/timing.ts'
import { app, dialog, powerMonitor, shell } from 'electron'
import type { Handlers } from '../../shared/ipc/contract.ts'
import { startWatching, type Core } from '../core/index.ts'
import { translationOf } from './translation.ts'
import type { Pictures } from '../thumbnails/thumbnails.ts'
import { askToAdd } from './launch/ask-to-add.ts'
import type { Beginning } from './bootstrap.ts'
import { quitsWithLastWindow } from './windows/closing.ts'
import { startHabits, type DesktopHabits } from './integration/integration.ts'
import { drawState } from './draw-state.ts'
import { WEB_PAGES, type HandlerDeps } from './ipc/handlers.ts'
import { takeIncoming } from './launch/incoming.ts'
import { asHidden, wantsNoTray } from './launch/launch-arguments.ts'
import { wasOpenedAtLogin } from './integration/login-item.ts'
import { watchNotification } from './notifications/notification-view.ts'
import type { Places } from './paths.ts'
import { servePage } from './serve-page.ts'
import { createSurfaces, type Surfaces } from './surfaces.ts'
import type { PlaceStore } from './windows/window-bounds.ts'

export type DesktopOptions = {
  readonly beginning: Beginning
  readonly places: Places
  readonly core: Core
  readonly placeStore: PlaceStore
  readonly pictures: Pictures
  readonly rooms: Pick<HandlerDeps, 'presets' | 'drive' | 'updates' | 'diagnostics'>
  /** The renderer ends this long after its window was hidden, in ms. */
  readonly rendererLingerMs: number
  /** Time to object when the app is about to quit or to send the computer to sleep, in ms. */
  readonly endNoticeMs: number
  readonly log: (message: string) => void
  readonly logEvent: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** Runs from `ready` to the end of the app. */
export function startDesktop(options: DesktopOptions): void {
  const { beginning, places, core, pictures, log, logEvent } = options
  const platform = desktopPlatform()
  const t = translationOf(() => core.settings.view().language)
  const { homePage } = WEB_PAGES
  let quitting = false

  const watch = startWatching({
    core,
    dataFolder: places.data,
    timing: systemTiming,
    onTrouble: (trouble) => surfaces.notifier.say(watchNotification(trouble, surfaces.context())),
    log: logEvent,
  })
  const surfaces: Surfaces = createSurfaces({
    core,
    places,
    platform,
    t,
    placeStore: options.placeStore,
    rendererLingerMs: options.rendererLingerMs,
    paste: async () => handlers.draft.pasteFromClipboard(),
    isQuitting: () => quitting,
    log,
  })
  const handlers: Handlers = servePage({
    ...options.rooms,
    core,
    places,
    pictures,
    platform,
    t,
    watch,
    surfaces: () => surfaces,
    stayOpen: () => habits.stayOpen(),
    log,
  })
  const { window, tray, act, takeFiles } = surfaces
  watch.onChange(() => window.send('watchChanged', null))

  drawState({
    core,
    surfaces,
    platform,
    t,
    noTray: wantsNoTray(beginning.launch),
    menu: {
      newJob: () => act({ do: 'newJob' }),
      addFiles: () => void handlers.draft.chooseFiles(),
      addFolder: () => void handlers.draft.chooseFolder(),
      search: () => window.showAnd('show', { place: 'search' }),
      settings: () => act({ do: 'settings' }),
      help: homePage === null ? null : () => void shell.openExternal(homePage),
    },
  })

  const arrive = takeIncoming({
    core,
    platform,
    act,
    showWindow: () => window.show(),
    takeFiles,
    askToAdd: (paths) => askToAdd(paths, { dialog, window: window.current(), t: t() }),
  })
  const habits: DesktopHabits = startHabits({
    core,
    platform,
    timing: systemTiming,
    t,
    onShortcut: () => act({ do: 'newJob' }),
    onShortcutTaken: (accelerator) =>
      window.send('toast', {
        kind: 'error',
        error: {
          code: 'shortcutTaken',
          message: t().error.shortcutTaken({
            shortcut: accelerator.replaceAll('Control', 'Ctrl').replaceAll('+', ' + '),
          }),
          hint: t().error.shortcutTakenHint,
        },
      }),
    endNoticeMs: options.endNoticeMs,
    onTask: (argument) => arrive({ kind: 'launch', launch: { args: [argument], cwd: app.getPath('home') } }),
    log,
    logEvent,
  })
  beginning.deliverTo(arrive)
  const { launch } = beginning
  arrive({ kind: 'launch', launch: wasOpenedAtLogin(app, platform) ? asHidden(launch) : launch })

  powerMonitor.on('suspend', () => core.tracker.suspend())
  powerMonitor.on('resume', () => core.tracker.resume())
  app.on('window-all-closed', () => {
    const { closeToTray } = core.settings.view()
    if (quitsWithLastWindow({ isQuitting: quitting, isTrayShown: tray.isShown(), closeToTray })) app.quit()
  })
  app.on('before-quit', (event) => {
    if (quitting) return
    event.preventDefault()
    quitting = true
    void endInOrder().finally(() => app.quit())
  })

  async function endInOrder(): Promise<void> {
    window.letGo()
    habits.close()
    pictures.close()
    await watch.close()
    await core.close()
    tray.hide()
  }
}

function desktopPlatform(): 'darwin' | 'win32' | 'linux' {
  if (process.platform === 'darwin') return 'darwin'
  return process.platform === 'win32' ? 'win32' : 'linux'
}
