/** Runs the actions that the tray, the notifications and the menus share. */
import type { RecordId } from '../../shared/model/ids.ts'
import { type Core, repeatJob } from '../core/index.ts'
import type { ClipboardControl } from './clipboard/clipboard-control.ts'
import type { AddMedia } from './add-media.ts'
import type { PresetPick } from './launch/incoming.ts'
import { type ActionRunners, runAction, type UserAction } from './user-action.ts'
import type { MainWindow } from './windows/main-window.ts'

export function createActions(
  deps: Core & {
    readonly window: Pick<MainWindow, 'show' | 'showAnd'>
    readonly addMedia: Pick<AddMedia, 'pasteFromClipboard' | 'chooseFiles' | 'chooseFolder' | 'chooseToStart'>
    readonly clipboard: Pick<ClipboardControl, 'process' | 'undo' | 'saveAs' | 'show'>
    readonly startWith: (pick: PresetPick) => void
    /** Shows the file in the system's file manager. */
    readonly reveal: (path: string) => void
    readonly openHelp: () => Promise<void>
    readonly installCommand: () => Promise<void>
    readonly quit: () => void
    readonly log: (message: string) => void
  },
): (action: UserAction) => void {
  const { history, window, addMedia, clipboard } = deps
  const report = (what: string) => (error: unknown) => deps.log(`could not ${what}: ${String(error)}`)

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
      .catch(report('repeat the job'))
  }

  /** Restores all originals of a job. Opens the job's details unless every original is back at its own path. */
  function restoreOriginals(id: RecordId): void {
    const record = history.details(id)
    if (record === undefined) return
    deps.replacing
      .undo(record)
      .then((restored) => {
        if (restored.some(({ kind }) => kind !== 'restored')) window.showAnd('show', { place: 'details', id })
      })
      .catch(report('restore originals'))
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
    addMedia.pasteFromClipboard().catch(report('paste'))
  }

  const showPlace = ({ do: place }: { readonly do: 'newJob' | 'settings' | 'newest' | 'search' }) =>
    window.showAnd('show', { place })

  const runners: ActionRunners = {
    newJob: showPlace,
    settings: showPlace,
    newest: showPlace,
    search: showPlace,
    enterKey: () => window.showAnd('show', { place: 'keyField' }),
    pasteImage: paste,
    addFiles: () => void addMedia.chooseFiles(),
    addFolder: () => void addMedia.chooseFolder(),
    open: () => window.show(),
    help: () => void deps.openHelp().catch(report('open the help page')),
    installCommand: () => void deps.installCommand().catch(report('install the command')),
    quit: () => deps.quit(),
    useBuiltIn: () => void deps.lines.useBuiltIn().catch(report('use the built-in service')),
    tryAgain: () => deps.connection.retry(),
    resume: () => deps.quiet.resume(),
    pause: ({ length }) => deps.quiet.pause(length),
    cancel: ({ id }) => void deps.cancelParts(id, 'job'),
    showRecord: ({ id }) => window.showAnd('show', { place: 'details', id }),
    showResult: ({ id }) => void revealResult(id),
    reveal: ({ id }) => void revealResult(id),
    undoStart: ({ ids }) => undoStart(ids),
    editStart: ({ ids }) => editStart(ids),
    startWith: ({ preset }) => void startWith(preset),
    processClipboard: () => clipboard.process(),
    undoClipboard: ({ run }) => void clipboard.undo(run),
    saveClipboard: ({ run }) => void clipboard.saveAs(run).catch(report('save the result')),
    showClipboard: ({ news }) => clipboard.show(news),
    restoreOriginals: ({ id }) => restoreOriginals(id),
    retry: ({ id }) => again(id, 'failed'),
    runAgain: ({ id }) => again(id, 'all'),
  }
  return (action) => runAction(runners, action)
}
