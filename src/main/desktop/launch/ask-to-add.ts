/** A link may come from any page: its files are taken only after a person has seen their names and said yes. */
import type { BrowserWindow, Dialog, MessageBoxOptions } from 'electron'
import type { Translation } from '../../../shared/i18n/i18n.ts'

const NAMES_SHOWN = 12
const ADD = 1

export async function askToAdd(
  paths: readonly string[],
  { dialog, window, t }: { dialog: Dialog; window: BrowserWindow | undefined; t: Translation },
): Promise<boolean> {
  const shown = paths.slice(0, NAMES_SHOWN)
  const options: MessageBoxOptions = {
    type: 'question',
    message: t.dialog.linkAdds({ count: paths.length }),
    detail: [...shown, ...(paths.length > shown.length ? ['…'] : [])].join('\n'),
    buttons: [t.dialog.cancel, t.dialog.add],
    defaultId: 0,
    cancelId: 0,
  }
  const { response } = await (window === undefined
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options))
  return response === ADD
}
