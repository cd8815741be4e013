/** A link may come from any page: its files are taken only after a person has seen their names and said yes. */
import type { BrowserWindow, Dialog, MessageBoxOptions } from 'electron'
import type { Wording } from '../../../shared/i18n/index.ts'

const NAMES_SHOWN = 12
const ADD = 1

export async function askToAdd(
  paths: readonly string[],
  { dialog, window, wording }: { dialog: Dialog; window: BrowserWindow | undefined; wording: Wording },
): Promise<boolean> {
  const shown = paths.slice(0, NAMES_SHOWN)
  const options: MessageBoxOptions = {
    type: 'question',
    message: wording.say('dialog.linkAdds', { count: paths.length }),
    detail: [...shown, ...(paths.length > shown.length ? ['…'] : [])].join('\n'),
    buttons: [wording.say('dialog.cancel'), wording.say('dialog.add')],
    defaultId: 0,
    cancelId: 0,
  }
  const { response } = await (window === undefined
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options))
  return response === ADD
}
