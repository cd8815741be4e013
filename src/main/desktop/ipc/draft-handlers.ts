import { statSync } from 'node:fs'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { SUPPORTED_EXTENSIONS } from '../../../shared/media-types.ts'
import type { OutputTarget } from '../../../shared/model/draft.ts'
import { savePastedImage, type PastedImage } from '../../intake/index.ts'
import { readClipboard } from '../clipboard-content.ts'
import { driveProblemSentence } from '../../../shared/i18n/sentences.ts'
import { SayableError } from './user-facing-error.ts'
import { askToOpen } from './dialogs.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function draftHandlers(deps: HandlerDeps): Handlers['draft'] {
  const { core, t } = deps
  const { desk } = core.drafts

  async function addPaths(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return
    const { taken, refused } = await core.intake.add(paths)
    deps.send('toast', { kind: 'added', taken, refused })
  }

  async function addImage(image: PastedImage): Promise<void> {
    const saved = await savePastedImage(image, { folder: deps.pasteFolder, now: Date.now() })
    const isRejected = 'reason' in saved
    desk.add(isRejected ? [] : [saved], isRejected ? [saved] : [])
    deps.send('toast', { kind: 'added', taken: isRejected ? 0 : 1, refused: isRejected ? 1 : 0 })
  }

  /** The service would find out only when the work is done; here the folder can still be changed. */
  async function checkDriveOutput(): Promise<void> {
    const { output } = desk.view()
    if (output.kind !== 'drive' || core.connection.view().drive?.connected !== true) return
    const check = await deps.drive.checkFolder(output.folderId)
    if (!check.ok) throw new SayableError('driveFolder', driveProblemSentence(check.problem, t()))
  }

  return {
    addPaths,
    addImage,
    async pasteFromClipboard() {
      const content = await readClipboard(deps.clipboard)
      if (content.kind === 'files') return addPaths(content.paths)
      if (content.kind === 'image') return addImage({ name: '', bytes: content.bytes })
      throw new SayableError('noImage', t().error.noImage)
    },
    async chooseFiles() {
      const paths = await askToOpen(deps, {
        title: t().dialog.chooseFiles,
        buttonLabel: t().dialog.add,
        defaultPath: deps.app.getPath('pictures'),
        filters: [{ name: t().dialog.mediaFiles, extensions: withCapitals() }],
        properties: ['openFile', 'multiSelections', 'dontAddToRecent'],
      })
      await addPaths(paths)
    },
    async chooseFolder() {
      const paths = await askToOpen(deps, {
        title: t().dialog.chooseFolder,
        buttonLabel: t().dialog.add,
        defaultPath: deps.app.getPath('pictures'),
        properties: ['openDirectory', 'multiSelections', 'dontAddToRecent'],
      })
      await addPaths(paths)
    },
    async chooseOutput() {
      const { output } = desk.view()
      const paths = await askToOpen(deps, {
        title: t().dialog.chooseOutput,
        buttonLabel: t().dialog.choose,
        ...existingFolder(output, deps.app.getPath('pictures')),
        properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
      })
      const [path] = paths
      if (path === undefined) return null
      const chosen: OutputTarget = { kind: 'folder', path }
      desk.change({ output: chosen })
      return chosen
    },
    update: (options) => desk.change(options),
    removeItems: (paths) => desk.removeFiles(paths),
    removeRejected: () => desk.removeRejected(),
    clear() {
      core.intake.stop()
      core.drafts.stopEditing()
      desk.clear()
    },
    undo: () => desk.undo(),
    answerIntake: (answer) => core.intake.answer(answer),
    async start({ split }) {
      await checkDriveOutput()
      return core.drafts.start({ split, grace: 0 })
    },
  }
}

/** GTK's filter looks at the case of an ending. */
const withCapitals = (): string[] =>
  SUPPORTED_EXTENSIONS.flatMap((extension) => [extension, extension.toUpperCase()])

function existingFolder(output: OutputTarget, otherwise: string): { readonly defaultPath: string } {
  const isThere =
    output.kind === 'folder' && statSync(output.path, { throwIfNoEntry: false })?.isDirectory() === true
  return { defaultPath: isThere ? output.path : otherwise }
}
