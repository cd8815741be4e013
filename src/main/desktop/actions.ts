/** What tray, notifications and menus do when they are clicked: the same few things, said once. */
import type { Core } from '../core/index.ts'
import type { MainWindow } from './windows/main-window.ts'
import type { NotificationAction } from './notifications/notification-view.ts'
import type { TrayAction } from './tray/tray-view.ts'

export type ActionDeps = {
  readonly core: Core
  readonly window: Pick<MainWindow, 'show' | 'showAnd'>
  readonly reveal: (path: string) => void
  readonly paste: () => Promise<void>
  readonly quit: () => void
  readonly log: (message: string) => void
}

export function createActions(deps: ActionDeps) {
  const { core, window } = deps

  function revealResult(id: Parameters<Core['history']['details']>[0]): void {
    const record = core.history.details(id)
    const [first] = record?.results ?? []
    if (record === undefined) return
    core.history.markSeen(id)
    if (first !== undefined) deps.reveal(first.outputPath)
    else if (record.output?.kind === 'folder') deps.reveal(record.output.path)
  }

  function again(id: Parameters<Core['history']['details']>[0], which: 'all' | 'failed'): void {
    const draft = core.history.draftFrom(id, which)
    if (draft !== undefined) core.drafts.openDraft(draft)
    core.history.markSeen(id)
    window.showAnd('show', { place: 'newJob' })
  }

  return (action: TrayAction | NotificationAction): void => {
    switch (action.do) {
      case 'newJob':
        return window.showAnd('show', { place: 'newJob' })
      case 'pasteImage':
        window.showAnd('show', { place: 'newJob' })
        deps.paste().catch((error: unknown) => {
          deps.log(`paste failed: ${String(error)}`)
        })
        return
      case 'open':
        return window.show()
      case 'settings':
        return window.showAnd('show', { place: 'settings' })
      case 'newest':
        return window.showAnd('show', { place: 'newest' })
      case 'enterKey':
        return window.showAnd('show', { place: 'keyField' })
      case 'quit':
        return deps.quit()
      case 'useBuiltIn':
        return core.connection.useBuiltIn()
      case 'tryAgain':
        return core.connection.retry()
      case 'resume':
        return void core.settings.update({ outboxPaused: false })
      case 'cancel':
        void core.tracker.cancel(action.id)
        return
      case 'showRecord':
        return window.showAnd('show', { place: 'details', id: action.id })
      case 'showResult':
      case 'reveal':
        return revealResult(action.id)
      case 'retry':
        return again(action.id, 'failed')
      case 'runAgain':
        return again(action.id, 'all')
    }
  }
}
