/**
 * System dialogs, attached to the window if it is visible. They open in the caller's default folder, or in Downloads if there is
 * none.
 */
import type { BrowserWindow, Dialog, MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron'

export interface Dialogs {
  /** @returns an empty array if the dialog was dismissed */
  askToOpen(options: OpenDialogOptions): Promise<readonly string[]>
  /** @returns null if the dialog was dismissed */
  askToSave(options: SaveDialogOptions): Promise<string | null>
  /** @returns the index of the clicked button */
  ask(options: MessageBoxOptions): Promise<number>
}

export function createDialogs(dialog: Dialog, window: { current(): BrowserWindow | undefined }): Dialogs {
  /** Returns the window only if it is visible. On macOS a dialog attached to a hidden window can't be seen or dismissed. */
  function parent(): BrowserWindow | undefined {
    const shown = window.current()
    return shown?.isVisible() === true ? shown : undefined
  }

  return {
    async askToOpen(options) {
      const shown = parent()
      const answer = await (shown === undefined
        ? dialog.showOpenDialog(options)
        : dialog.showOpenDialog(shown, options))
      return answer.filePaths
    },
    async askToSave(options) {
      const shown = parent()
      const { filePath } = await (shown === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(shown, options))
      return filePath === '' ? null : filePath
    },
    async ask(options) {
      const shown = parent()
      const { response } = await (shown === undefined
        ? dialog.showMessageBox(options)
        : dialog.showMessageBox(shown, options))
      return response
    },
  }
}
