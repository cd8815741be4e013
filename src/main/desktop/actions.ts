/** Runs the actions that the tray, the notifications and the menus share. */
import type { RecordId } from '../../shared/model/ids.ts'
import { type Core, repeatJob } from '../core/index.ts'
import type { ClipboardControl } from './clipboard/clipboard-control.ts'
import type { AddMedia } from './add-media.ts'
import type { PresetPick } from './launch/incoming.ts'
import type { UserAction } from './user-action.ts'
import type { MainWindow } from './windows/main-window.ts'

type ActionDeps = Pick<
  Core,
  | 'history'
  | 'outbox'
  | 'drafts'
  | 'downloads'
  | 'cancelParts'
  | 'connection'
  | 'lines'
  | 'quiet'
  | 'knownPaths'
  | 'fileAccess'
  | 'replacing'
  | 'settings'
> & {
  readonly window: Pick<MainWindow, 'show' | 'showAnd'>
  readonly addMedia: Pick<AddMedia, 'pasteFromClipboard' | 'chooseFiles' | 'chooseFolder' | 'chooseToStart'>
  readonly clipboard: Pick<ClipboardControl, 'process' | 'undo' | 'saveAs' | 'show'>
  readonly startWith: (pick: PresetPick) => void
  /** Shows the file in the system's file manager. */
  readonly reveal: (path: string) => void
  readonly openHelp: () => void
  readonly installCommand: () => Promise<void>
  readonly quit: () => void
  readonly log: (message: string) => void
}

export function createActions(deps: ActionDeps): (action: UserAction) => void {
  const { history, window, addMedia } = deps

  /** Reveals the first result, or else the output folder. Opens the job's details if neither is accessible anymore. */
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
    repeatJob(deps, id, { which })
      .then((draft) => {
        if (draft !== undefined) deps.drafts.openDraft(draft)
        history.markSeen(id)
        window.showAnd('show', { place: 'newJob' })
      })
      .catch((error: unknown) => deps.log(`could not repeat the job: ${String(error)}`))
  }

  /** Restores all originals of a job. The details show those that couldn't be restored. */
  function restoreOriginals(id: RecordId): void {
    const record = history.details(id)
    if (record === undefined) return
    deps.replacing
      .undo(record)
      .then((restored) => {
        if (restored.some(({ kind }) => kind !== 'restored')) window.showAnd('show', { place: 'details', id })
      })
      .catch((error: unknown) => deps.log(`could not restore originals: ${String(error)}`))
  }

  function undoStart(ids: readonly RecordId[]): void {
    for (const id of ids) deps.outbox.remove(id)
  }

  function editStart([first, ...others]: readonly RecordId[]): void {
    undoStart(others)
    if (first !== undefined) deps.drafts.edit(first)
    window.showAnd('show', { place: 'newJob' })
  }

  async function startWith(preset: string): Promise<void> {
    const paths = await addMedia.chooseToStart(preset)
    if (paths.length > 0) deps.startWith({ presets: [preset], paths })
  }

  function paste(): void {
    window.showAnd('show', { place: 'newJob' })
    addMedia.pasteFromClipboard().catch((error: unknown) => deps.log(`could not paste: ${String(error)}`))
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
          .catch((error: unknown) => deps.log(`could not install the command: ${String(error)}`))
      case 'quit':
        return deps.quit()
      case 'useBuiltIn':
        return deps.lines.useBuiltIn()
      case 'tryAgain':
        return deps.connection.retry()
      case 'resume':
        return deps.quiet.resume()
      case 'pause':
        return deps.quiet.pause(action.length)
      case 'cancel':
        return void deps.cancelParts(action.id, 'job')
      case 'showRecord':
        return window.showAnd('show', { place: 'details', id: action.id })
      case 'showResult':
      case 'reveal':
        return void revealResult(action.id)
      case 'undoStart':
        return undoStart(action.ids)
      case 'editStart':
        return editStart(action.ids)
      case 'startWith':
        return void startWith(action.preset)
      case 'processClipboard':
      case 'undoClipboard':
      case 'saveClipboard':
      case 'showClipboard':
        return actOnClipboard(action, deps)
      case 'restoreOriginals':
        return restoreOriginals(action.id)
      case 'retry':
        return again(action.id, 'failed')
      case 'runAgain':
        return again(action.id, 'all')
    }
  }
}

type ClipboardAction = Extract<
  UserAction,
  { readonly do: 'processClipboard' | 'undoClipboard' | 'saveClipboard' | 'showClipboard' }
>

function actOnClipboard(
  action: ClipboardAction,
  { clipboard, log }: Pick<ActionDeps, 'clipboard' | 'log'>,
): void {
  switch (action.do) {
    case 'processClipboard':
      return clipboard.process()
    case 'undoClipboard':
      return void clipboard.undo(action.run)
    case 'saveClipboard':
      return void clipboard
        .saveAs(action.run)
        .catch((error: unknown) => log(`could not save the result: ${String(error)}`))
    case 'showClipboard':
      return clipboard.show(action.news)
  }
}
