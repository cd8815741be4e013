/** Dialogs for paths. They belong to the window where there is one, and open where they are told: else it is Downloads. */
import type { OpenDialogOptions, SaveDialogOptions } from 'electron'
import type { HandlerDeps } from './handler-deps.ts'

type Asking = Pick<HandlerDeps, 'dialog' | 'window'>

/** @returns nothing where the dialog was dismissed */
export async function askToOpen(
  { dialog, window }: Asking,
  options: OpenDialogOptions,
): Promise<readonly string[]> {
  const shown = window()
  const answer = await (shown === undefined
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(shown, options))
  return answer.filePaths
}

/** @returns null where the dialog was dismissed */
export async function askToSave(
  { dialog, window }: Asking,
  options: SaveDialogOptions,
): Promise<string | null> {
  const shown = window()
  const { filePath } = await (shown === undefined
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(shown, options))
  return filePath === '' ? null : filePath
}
