/**
 * The tray icon. Updates at most five times a second, and only if something has changed. While a job runs, the photo in the icon moves
 * through three heights, one per second.
 */
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron'
import { join } from 'node:path'
import { callEach } from '../../../node/call-each.ts'
import { shortened } from '../../../shared/characters.ts'
import type { UserAction } from '../user-action.ts'
import type { TrayIcon, TrayItem, TrayView } from './tray-view.ts'

export type TrayIconDeps = {
  readonly createTray: (image: NativeImage) => Tray
  readonly buildMenu: (template: MenuItemConstructorOptions[]) => Menu
  readonly loadImage: (path: string) => NativeImage
  readonly iconFolder: string
  readonly platform: NodeJS.Platform
  readonly first: TrayIcon
  /** Whether the taskbar or panel is dark. */
  readonly isDark: () => boolean
  readonly reduceMotion: () => boolean
  readonly onAction: (action: UserAction) => void
  readonly onOpen: () => void
  /** macOS only. */
  readonly onFiles: (paths: readonly string[]) => void
  readonly log: (message: string) => void
}

/** A balloon next to the tray icon. Windows only. */
export type Balloon = {
  readonly title: string
  readonly content: string
  readonly onClick: () => void
}

export type TrayIconControl = ReturnType<typeof createTrayIcon>

/** Minimum time in ms between updates. Some platforms drop updates that follow more quickly. */
const LEAST_INTERVAL_MS = 200
/** Maximum lengths of tooltips and balloons in UTF-16 code units. Electron cuts off longer text on Windows, possibly within a character. */
const MOST_TOOLTIP = 127
const MOST_IN_BALLOON = { title: 63, content: 255 } as const
const BUSY_STEP_MS = 1_000
const BUSY_STEPS = 3

export function createTrayIcon(deps: TrayIconDeps) {
  const { platform } = deps
  let wanted: TrayView | undefined
  let shown: TrayView | undefined
  let step = 0
  let shownImage = ''
  let menu: Menu | undefined
  let timer: NodeJS.Timeout | undefined
  let animation: NodeJS.Timeout | undefined
  let balloon: Balloon | null = null

  const tray = deps.createTray(imageFor(deps.first))
  tray.on('click', deps.onOpen)
  if (platform === 'win32') {
    tray.on('balloon-click', () => balloon?.onClick())
    // Electron adds the icon again after Explorer has restarted, but not its tooltip.
    tray.on('mouse-enter', () => shown !== undefined && showTooltip(shown.tooltip))
  }
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

  function imageFor(icon: TrayIcon): NativeImage {
    shownImage = fileFor(icon)
    return deps.loadImage(join(deps.iconFolder, shownImage))
  }

  function showImage(icon: TrayIcon): void {
    if (fileFor(icon) !== shownImage) tray.setImage(imageFor(icon))
  }

  /** Shows as much as possible: the menu is useful even if the image or the tooltip can't be shown. */
  function show(view: TrayView): void {
    const before = shown
    shown = view
    callEach(
      [
        () => animate(view.icon),
        () => showImage(view.icon),
        () => {
          if (view.tooltip !== before?.tooltip) showTooltip(view.tooltip)
        },
        () => {
          if (JSON.stringify(view.items) !== JSON.stringify(before?.items)) showMenu(view.items)
        },
      ],
      (error) => deps.log(`could not update the tray icon: ${String(error)}`),
    )
  }

  const showTooltip = (text: string): void =>
    tray.setToolTip(platform === 'win32' ? shortened(text, MOST_TOOLTIP) : text)

  function showMenu(items: TrayView['items']): void {
    menu = deps.buildMenu(items.map(templateOf))
    // Linux shows a changed menu only after it is set again. On macOS, a menu set here would also open on left click.
    if (platform !== 'darwin') tray.setContextMenu(menu)
  }

  function animate(icon: TrayIcon): void {
    if (icon !== 'busy' || deps.reduceMotion()) {
      clearTimeout(animation)
      animation = undefined
      step = 0
      return
    }
    animation ??= setTimeout(nextStep, BUSY_STEP_MS)
  }

  function nextStep(): void {
    animation = undefined
    if (shown?.icon !== 'busy') return
    step = (step + 1) % BUSY_STEPS
    showImage('busy')
    animate('busy')
  }

  const templateOf = (item: TrayItem): MenuItemConstructorOptions => {
    switch (item.kind) {
      case 'divider':
        return { type: 'separator' }
      case 'text':
        return { label: escapeLabel(item.label), enabled: false }
      case 'action':
        return {
          label: escapeLabel(item.label),
          click: () => deps.onAction(item.action),
          // Global shortcuts are registered separately.
          ...(item.accelerator === undefined
            ? {}
            : { accelerator: item.accelerator, registerAccelerator: false }),
        }
      case 'submenu':
        return { label: escapeLabel(item.label), submenu: item.items.map(templateOf) }
    }
  }

  return {
    update(view: TrayView): void {
      wanted = view
      // The icon was created with this image, so only its menu and tooltip are set, without delay.
      if (shown === undefined && view.icon === deps.first) return show(view)
      timer ??= setTimeout(() => {
        timer = undefined
        if (wanted !== undefined) show(wanted)
      }, LEAST_INTERVAL_MS)
    },
    /** Shows a balloon in place of the current one; null removes it. */
    balloon(next: Balloon | null): void {
      balloon = next
      if (next === null) tray.removeBalloon()
      else {
        tray.displayBalloon({
          title: shortened(next.title, MOST_IN_BALLOON.title),
          content: shortened(next.content, MOST_IN_BALLOON.content),
          respectQuietTime: true,
        })
      }
    },
    /** Updates the icon after the panel theme has changed. */
    redraw: (): void => showImage(shown?.icon ?? 'idle'),
    remove(): void {
      clearTimeout(timer)
      clearTimeout(animation)
      tray.destroy()
    },
  }
}

/** Escapes `&`, which marks a menu item's access key. */
export const escapeLabel = (label: string): string => label.replaceAll('&', '&&')
