/** What tray, notifications and menus do when they are clicked: the same few things, said once. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { FileAccess, KnownPaths } from '../core/index.ts'
import type { Connection } from '../connection/index.ts'
import type { Drafts } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import type { Tracker } from '../jobs/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { AddMedia } from './add-media.ts'
import type { UserAction } from './user-action.ts'
import type { MainWindow } from './windows/main-window.ts'

export type ActionDeps = {
  readonly history: Pick<History, 'details' | 'draftFrom' | 'markSeen'>
  readonly drafts: Pick<Drafts, 'openDraft'>
  readonly tracker: Pick<Tracker, 'cancel'>
  readonly connection: Pick<Connection, 'useBuiltIn' | 'retry'>
  readonly settings: Pick<Settings, 'update'>
  readonly window: Pick<MainWindow, 'show' | 'showAnd'>
  readonly addMedia: Pick<AddMedia, 'pasteFromClipboard' | 'chooseFiles' | 'chooseFolder'>
  readonly knownPaths: Pick<KnownPaths, 'learnDetails'>
  readonly fileAccess: Pick<FileAccess, 'toPlace'>
  /** Shows it in the system's file manager. */
  readonly reveal: (path: string) => void
  readonly openHelp: () => void
  readonly installCommand: () => Promise<void>
  readonly quit: () => void
  readonly log: (message: string) => void
}

export function createActions(deps: ActionDeps): (action: UserAction) => void {
  const { history, window, addMedia } = deps

  /** The first result; its folder where no result may be touched; what is known of the job where that is gone too. */
  async function revealResult(id: RecordId): Promise<void> {
    const record = history.details(id)
    if (record === undefined) return
    history.markSeen(id)
    deps.knownPaths.learnDetails(record)
    const folder = record.output?.kind === 'folder' ? [record.output.path] : []
    for (const path of [...record.results.slice(0, 1).map(({ outputPath }) => outputPath), ...folder]) {
      if ((await deps.fileAccess.toPlace(path)).kind === 'allowed') return deps.reveal(path)
    }
    window.showAnd('show', { place: 'details', id })
  }

  function again(id: RecordId, which: 'all' | 'failed'): void {
    const draft = history.draftFrom(id, which)
    if (draft !== undefined) deps.drafts.openDraft(draft)
    history.markSeen(id)
    window.showAnd('show', { place: 'newJob' })
  }

  function paste(): void {
    window.showAnd('show', { place: 'newJob' })
    addMedia.pasteFromClipboard().catch((error: unknown) => deps.log(`paste failed: ${String(error)}`))
  }

  return (action) => {
    switch (action.do) {
      case 'newJob':
      case 'settings':
      case 'newest':
      case 'search':
        return window.showAnd('show', { place: action.do })
      case 'enterKey':
        return window.showAnd('show', { place: 'keyField' })
      case 'pasteImage':
        return paste()
      case 'addFiles':
        return void addMedia.chooseFiles()
      case 'addFolder':
        return void addMedia.chooseFolder()
      case 'open':
        return window.show()
      case 'help':
        return deps.openHelp()
      case 'installCommand':
        return void deps
          .installCommand()
          .catch((error: unknown) => deps.log(`the command was not installed: ${String(error)}`))
      case 'quit':
        return deps.quit()
      case 'useBuiltIn':
        return deps.connection.useBuiltIn()
      case 'tryAgain':
        return deps.connection.retry()
      case 'resume':
        return void deps.settings.update({ outboxPaused: false })
      case 'cancel':
        return void deps.tracker.cancel(action.id)
      case 'showRecord':
        return window.showAnd('show', { place: 'details', id: action.id })
      case 'showResult':
      case 'reveal':
        return void revealResult(action.id)
      case 'retry':
        return again(action.id, 'failed')
      case 'runAgain':
        return again(action.id, 'all')
    }
  }
}
