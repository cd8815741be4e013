/** The system's dialogs. They belong to the window where there is one, and open where they are told: else it is Downloads. */
import type { BrowserWindow, Dialog, MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron'

export interface Dialogs {
  /** @returns nothing where the dialog was dismissed */
  askToOpen(options: OpenDialogOptions): Promise<readonly string[]>
  /** @returns null where the dialog was dismissed */
  askToSave(options: SaveDialogOptions): Promise<string | null>
  /** @returns the index of the button that was clicked */
  ask(options: MessageBoxOptions): Promise<number>
}

export type DialogsOptions = {
  readonly dialog: Dialog
  readonly window: { current(): BrowserWindow | undefined }
}

export function createDialogs({ dialog, window }: DialogsOptions): Dialogs {
  return {
    async askToOpen(options) {
      const shown = window.current()
      const answer = await (shown === undefined
        ? dialog.showOpenDialog(options)
        : dialog.showOpenDialog(shown, options))
      return answer.filePaths
    },
    async askToSave(options) {
      const shown = window.current()
      const { filePath } = await (shown === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(shown, options))
      return filePath === '' ? null : filePath
    },
    async ask(options) {
      const shown = window.current()
      const { response } = await (shown === undefined
        ? dialog.showMessageBox(options)
        : dialog.showMessageBox(shown, options))
      return response
    },
  }
}
