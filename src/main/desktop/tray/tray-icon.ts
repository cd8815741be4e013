/**
 * The icon in the tray: follows the view, no more than five changes a second, and not at all where nothing has changed.
 * While a job runs its photo sinks in three steps, one a second.
 */
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron'
import { join } from 'node:path'
import type { UserAction } from '../user-action.ts'
import type { TrayIcon, TrayItem, TrayView } from './tray-view.ts'

export type TrayIconDeps = {
  readonly createTray: (image: NativeImage) => Tray
  readonly buildMenu: (template: MenuItemConstructorOptions[]) => Menu
  readonly loadImage: (path: string) => NativeImage
  readonly iconFolder: string
  readonly platform: NodeJS.Platform
  /** What it shows from its first moment. */
  readonly first: TrayIcon
  /** Whether the taskbar or panel is dark. */
  readonly isDark: () => boolean
  readonly reduceMotion: () => boolean
  readonly onAction: (action: UserAction) => void
  readonly onOpen: () => void
  /** macOS only. */
  readonly onFiles: (paths: readonly string[]) => void
  readonly setTimer: (run: () => void, ms: number) => NodeJS.Timeout
}

export interface TrayIconControl {
  update(view: TrayView): void
  /** The panel's theme has changed. */
  redraw(): void
  remove(): void
}

/** Changes that come quicker get lost on some platforms. */
const LEAST_INTERVAL_MS = 200
const BUSY_STEP_MS = 1_000
const BUSY_STEPS = 3

export function createTrayIcon(deps: TrayIconDeps): TrayIconControl {
  const { platform } = deps
  let wanted: TrayView | undefined
  let shown: TrayView | undefined
  let step = 0
  let shownPicture = ''
  let menu: Menu | undefined
  let timer: NodeJS.Timeout | undefined
  let animation: NodeJS.Timeout | undefined

  const tray = deps.createTray(picture(deps.first))
  tray.on('click', deps.onOpen)
  if (platform === 'darwin') {
    tray.on('right-click', () => tray.popUpContextMenu(menu))
    tray.on('drop-files', (_event, files) => deps.onFiles(files))
  }

  function fileFor(icon: TrayIcon): string {
    const name = icon === 'busy' ? `busy-${step + 1}` : icon
    if (platform === 'darwin') return `${name}Template.png`
    const ink = deps.isDark() ? 'white' : 'black'
    return platform === 'win32' ? `${name}-${ink}.ico` : `${name}-${ink}-24.png`
  }

  function picture(icon: TrayIcon): NativeImage {
    shownPicture = fileFor(icon)
    return deps.loadImage(join(deps.iconFolder, shownPicture))
  }

  function showPicture(icon: TrayIcon): void {
    if (fileFor(icon) !== shownPicture) tray.setImage(picture(icon))
  }

  function show(view: TrayView): void {
    animate(view.icon)
    showPicture(view.icon)
    if (view.tooltip !== shown?.tooltip) tray.setToolTip(view.tooltip)
    if (JSON.stringify(view.items) !== JSON.stringify(shown?.items)) {
      menu = deps.buildMenu(view.items.map(templateOf))
      // Linux shows a changed menu only after it was set again; on macOS a set menu would open on a left click.
      if (platform !== 'darwin') tray.setContextMenu(menu)
    }
    shown = view
  }

  function animate(icon: TrayIcon): void {
    if (icon !== 'busy' || deps.reduceMotion()) {
      clearTimeout(animation)
      animation = undefined
      step = 0
      return
    }
    animation ??= deps.setTimer(nextStep, BUSY_STEP_MS)
  }

  function nextStep(): void {
    animation = undefined
    if (shown?.icon !== 'busy') return
    step = (step + 1) % BUSY_STEPS
    showPicture('busy')
    animate('busy')
  }

  const templateOf = (item: TrayItem): MenuItemConstructorOptions => {
    switch (item.kind) {
      case 'divider':
        return { type: 'separator' }
      case 'text':
        return { label: escapeLabel(item.label), enabled: false }
      case 'action':
        return { label: escapeLabel(item.label), click: () => deps.onAction(item.action) }
    }
  }

  return {
    update(view) {
      wanted = view
      // Nothing changes for an icon that has just been made with this picture, and it has its menu at once.
      if (shown === undefined && view.icon === deps.first) return show(view)
      timer ??= deps.setTimer(() => {
        timer = undefined
        if (wanted !== undefined) show(wanted)
      }, LEAST_INTERVAL_MS)
    },
    redraw: () => showPicture(shown?.icon ?? 'idle'),
    remove() {
      clearTimeout(timer)
      clearTimeout(animation)
      tray.destroy()
    },
  }
}

/** A single & marks the key of a menu item. */
export const escapeLabel = (label: string): string => label.replaceAll('&', '&&')
