import { statSync } from 'node:fs'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { driveProblemSentence } from '../../../shared/i18n/sentences.ts'
import type { OutputTarget } from '../../../shared/model/draft.ts'
import type { Connection } from '../../connection/index.ts'
import type { Drafts } from '../../drafts/index.ts'
import type { Forecasts } from '../../forecast/forecast.ts'
import type { Intake } from '../../intake/index.ts'
import type { AddMedia } from '../add-media.ts'
import type { Dialogs } from '../dialogs.ts'
import type { ChosenFolders } from './chosen-folders.ts'
import { UserFacingError } from '../user-facing-error.ts'

export type DraftHandlerDeps = {
  readonly drafts: Drafts
  readonly intake: Pick<Intake, 'stop' | 'answer'>
  readonly connection: Pick<Connection, 'view'>
  readonly addMedia: AddMedia
  readonly dialogs: Pick<Dialogs, 'askToOpen'>
  readonly folders: Pick<ChosenFolders, 'requireOutput'>
  readonly drive: Pick<Handlers['drive'], 'checkFolder'>
  readonly forecasts: Pick<Forecasts, 'onShow'>
  /** Where the dialog opens when the output is no folder of this computer; absolute. */
  readonly picturesFolder: string
  readonly t: () => Translation
}

export function draftHandlers(deps: DraftHandlerDeps): Handlers['draft'] {
  const { drafts, intake, addMedia, t } = deps
  const { store } = drafts

  /** The service would find out only when the work is done; here the folder can still be changed. */
  async function checkDriveOutput(): Promise<void> {
    const { output } = store.view()
    if (output.kind !== 'drive' || deps.connection.view().drive?.connected !== true) return
    const check = await deps.drive.checkFolder(output.folderId)
    if (!check.ok) throw new UserFacingError('driveFolder', driveProblemSentence(check.problem, t()))
  }

  return {
    ...addMedia,
    async chooseOutput() {
      const [path] = await deps.dialogs.askToOpen({
        title: t().dialog.chooseOutput,
        buttonLabel: t().dialog.choose,
        ...existingFolder(store.view().output, deps.picturesFolder),
        properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
      })
      if (path === undefined) return null
      const chosen: OutputTarget = { kind: 'folder', path }
      store.change({ output: chosen })
      return chosen
    },
    update(options) {
      deps.folders.requireOutput(options.output)
      store.change(options)
    },
    removeItems: (paths) => store.removeFiles(paths),
    removeRejected: () => store.removeRejected(),
    clear() {
      intake.stop()
      drafts.stopEditing()
      store.clear()
    },
    undo: () => store.undo(),
    answerIntake: (answer) => intake.answer(answer),
    async start({ split }) {
      await checkDriveOutput()
      return drafts.start({ split, grace: 0, forecastOf: deps.forecasts.onShow() })
    },
  }
}

function existingFolder(output: OutputTarget, otherwise: string): { readonly defaultPath: string } {
  const isThere =
    output.kind === 'folder' && statSync(output.path, { throwIfNoEntry: false })?.isDirectory() === true
  return { defaultPath: isThere ? output.path : otherwise }
}
