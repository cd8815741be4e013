/** A link may come from any page: its files are taken only after a person has seen their names and said yes. */
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'

const NAMES_SHOWN = 12
const ADD = 1

export async function askToAdd(
  paths: readonly string[],
  { dialogs, t }: { readonly dialogs: Pick<Dialogs, 'ask'>; readonly t: Translation },
): Promise<boolean> {
  const shown = paths.slice(0, NAMES_SHOWN)
  const button = await dialogs.ask({
    type: 'question',
    message: t.dialog.linkAdds({ count: paths.length }),
    detail: [...shown, ...(paths.length > shown.length ? ['…'] : [])].join('\n'),
    buttons: [t.dialog.cancel, t.dialog.add],
    defaultId: 0,
    cancelId: 0,
  })
  return button === ADD
}
