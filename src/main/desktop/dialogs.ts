/**
 * System dialogs, attached to the window if it is visible. They open in the caller's default folder, or in Downloads if there is
 * none.
 */
import type { BrowserWindow, Dialog, MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron'

export type Dialogs = ReturnType<typeof createDialogs>

export function createDialogs(dialog: Dialog, window: { current(): BrowserWindow | undefined }) {
  /** Returns the window only if it is visible. On macOS a dialog attached to a hidden window can't be seen or dismissed. */
  function parent(): BrowserWindow | undefined {
    const shown = window.current()
    return shown?.isVisible() === true ? shown : undefined
  }

  return {
    /** @returns an empty array if the dialog was dismissed */
    async askToOpen(options: OpenDialogOptions): Promise<readonly string[]> {
      const shown = parent()
      const answer = await (shown === undefined
        ? dialog.showOpenDialog(options)
        : dialog.showOpenDialog(shown, options))
      return answer.filePaths
    },
    /** @returns null if the dialog was dismissed */
    async askToSave(options: SaveDialogOptions): Promise<string | null> {
      const shown = parent()
      const { filePath } = await (shown === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(shown, options))
      return filePath === '' ? null : filePath
    },
    /** @returns the index of the clicked button */
    async ask(options: MessageBoxOptions): Promise<number> {
      const shown = parent()
      const { response } = await (shown === undefined
        ? dialog.showMessageBox(options)
        : dialog.showMessageBox(shown, options))
      return response
    },
  }
}
