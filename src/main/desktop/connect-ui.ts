/** Connects UI and core events to the reactions that they trigger. draw-state.ts reacts to changes of the state. */
import { app, autoUpdater, powerMonitor } from 'electron'
import { shownText } from '../../shared/paths.ts'
import { thumbnailPixels } from '../../shared/thumbnail-url.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Core } from '../core/index.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import type { EntryTrouble } from './file-managers/write-entries.ts'
import { createQuickDrop, type PickProblem, type StartingSoon } from './launch/quick-drop.ts'
import {
  pickProblemNotification,
  startingNotification,
  releasedNotification,
  watchNotification,
} from './notifications/notification-view.ts'
import type { Shell } from './shell.ts'

/** Number of rows of a draft that are visible without scrolling. */
const FIRST_FILES = 16

type UiParts = Pick<
  Shell,
  'ui' | 'clipboard' | 'window' | 'notifier' | 'watch' | 'ending' | 'act' | 'incoming' | 'context' | 'log'
> & {
  readonly core: Pick<Core, 'events' | 'settings' | 'tracker' | 'intake' | 'drafts' | 'outbox' | 'quiet'>
  readonly thumbnails: Pick<Thumbnails, 'prefetch'>
}

export function connectUi(parts: UiParts): void {
  const { ui, core, window, notifier, watch, act, context, log } = parts
  const { settings, tracker } = core
  const quickDrop = createQuickDrop({ ...core, window, tellStarting, tellProblem })

  ui.on('actionChosen', act)
  ui.on('trayClicked', () => window.show())
  ui.on('shortcutPressed', (pressed) => act({ do: pressed }))
  ui.on('filesDropped', (paths) => {
    quickDrop.add(paths).catch((error: unknown) => log(`could not add files: ${String(error)}`))
  })
  ui.on('presetPicked', (pick) => {
    quickDrop.startWith(pick).catch((error: unknown) => log(`could not start files: ${String(error)}`))
  })
  ui.on('fileManagerTrouble', showFileManagerTrouble)
  ui.on('taskChosen', (argument) =>
    parts.incoming({ kind: 'launch', launch: { args: [argument], cwd: app.getPath('home') } }),
  )
  ui.on('watchTrouble', (trouble) => notifier.notify(watchNotification(trouble, context())))
  ui.on('windowVisibilityChanged', () => tracker.setVisible(window.isVisible()))
  ui.on('windowHidden', () => notifyStillInTray())
  ui.on('shortcutTaken', (accelerator) => showShortcutTaken(accelerator))
  ui.on('loginNeedsApproval', () => {
    const { error } = context().t
    showError('loginNeedsApproval', error.loginNeedsApproval, error.loginNeedsApprovalHint)
  })

  core.events.on('jobFinished', (record) => {
    if (!parts.clipboard.jobFinished(record)) notifier.finished(record)
  })
  core.events.on('filesAdded', (added) => window.send('toast', { kind: 'added', ...added }))
  core.events.on('outboxChanged', () => parts.clipboard.outboxChanged())
  core.events.on('originalsReleased', (places) => notifier.notify(releasedNotification(places, context())))
  core.events.on('draftChanged', (draft) => {
    // The page requests these thumbnails as soon as it has rendered the rows.
    if (window.isVisible()) parts.thumbnails.prefetch(firstFiles(draft), thumbnailPixels(28))
  })
  watch.onChange(() => window.send('watchChanged', null))
  powerMonitor.on('suspend', () => tracker.suspend())
  powerMonitor.on('resume', () => {
    tracker.resume()
    core.quiet.check()
  })
  // On macOS an update closes the windows before `before-quit` fires. Hiding a window instead of closing it would keep the app from
  // quitting.
  autoUpdater.on('before-quit-for-update', () => window.allowClose())
  app.on('window-all-closed', () => {
    if (parts.ending.quitsWithLastWindow()) app.quit()
  })

  function showError(code: string, message: string, hint: string): void {
    window.send('toast', { kind: 'error', error: { code, message, hint } })
  }

  /** Tells the user, once per installation, that the app keeps running in the tray. */
  function notifyStillInTray(): void {
    if (settings.view().closeToTraySaid) return
    settings.update({ closeToTraySaid: true })
    const { t } = context()
    notifier.notify({
      choice: 'service',
      title: t.notification.stillInTray,
      body: t.notification.stillInTrayBody,
      click: { do: 'settings' },
      buttons: [],
    })
  }

  function tellStarting(starting: StartingSoon): void {
    if (window.isVisible()) window.send('toast', starting)
    else notifier.notify(startingNotification(starting, context()))
  }

  function tellProblem(problem: PickProblem): void {
    const view = pickProblemNotification(problem, context())
    if (window.isVisible()) showError(problem.code, view.title, view.body)
    else notifier.notify(view)
  }

  function showFileManagerTrouble({ message }: EntryTrouble): void {
    const { error } = context().t
    const text = error.menuNotUpdated({ message: shownText(message) })
    showError('menuNotUpdated', text, error.menuNotUpdatedHint)
  }

  function showShortcutTaken(accelerator: string): void {
    const { error } = context().t
    const shortcut = accelerator.replaceAll('Control', 'Ctrl').replaceAll('+', ' + ')
    showError('shortcutTaken', error.shortcutTaken({ shortcut }), error.shortcutTakenHint)
  }
}

const firstFiles = ({ source }: Draft): readonly MediaItem[] =>
  source.kind === 'files' ? source.items.slice(0, FIRST_FILES) : []
