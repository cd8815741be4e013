/** A link may come from any page: its files are taken only after a person has seen their names and said yes. */
import { stat } from 'node:fs/promises'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'

/** More would make a dialog that is higher than a small screen. */
const NAMES_SHOWN = 12
const ADD = 1
const SHOW_MORE = 2

/**
 * Every file can be seen before the answer: where they are too many for one dialog, a button leads to the next ones and from
 * the last to the first.
 *
 * @param paths absolute, as `parseLink` lets them through
 * @returns false also where one of them is no file, such as a whole folder: nobody can say yes to what they don't see
 */
export async function askToAdd(
  paths: readonly string[],
  { dialogs, t }: { readonly dialogs: Pick<Dialogs, 'ask'>; readonly t: Translation },
): Promise<boolean> {
  const areFiles = await Promise.all(paths.map(isFile))
  if (!areFiles.every(Boolean)) return false
  const hasMore = paths.length > NAMES_SHOWN
  for (let first = 0; ; first = first + NAMES_SHOWN < paths.length ? first + NAMES_SHOWN : 0) {
    const shown = paths.slice(first, first + NAMES_SHOWN)
    const range = { first: first + 1, last: first + shown.length, count: paths.length }
    const button = await dialogs.ask({
      type: 'question',
      message: t.dialog.linkAdds({ count: paths.length }),
      detail: [...(hasMore ? [t.dialog.linkRange(range), ''] : []), ...shown].join('\n'),
      buttons: [t.dialog.cancel, t.dialog.add, ...(hasMore ? [t.dialog.showMore] : [])],
      defaultId: 0,
      cancelId: 0,
    })
    if (button !== SHOW_MORE) return button === ADD
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
