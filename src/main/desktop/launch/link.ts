/** `mediatray://` links. Any page can make one, so a link never does more than show something or lead to a question. */
import { posix, win32 } from 'node:path'
import { stat } from 'node:fs/promises'
import { mediaKindOf } from '../../../shared/media-types.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'

export type LinkIntent =
  | { readonly kind: 'show' }
  | { readonly kind: 'newJob' }
  | { readonly kind: 'openJob'; readonly id: RecordId }
  /** To be added only after the person has seen these paths and said yes. */
  | { readonly kind: 'askToAdd'; readonly paths: readonly string[] }

const LONGEST_LINK = 32_768
const MOST_PATHS = 100
const RECORD_ID = /^[\w-]{1,100}$/

/**
 * `mediatray://job/<id>`, `mediatray://add?path=…&path=…`, `mediatray://new`, and `mediatray://` alone.
 *
 * @returns undefined for whatever is not exactly one of them
 */
export function parseLink(text: string, platform: NodeJS.Platform): LinkIntent | undefined {
  if (text.length > LONGEST_LINK || !URL.canParse(text)) return undefined
  const { protocol, host, pathname, searchParams, username, password, port } = new URL(text)
  if (protocol !== 'mediatray:' || username !== '' || password !== '' || port !== '') return undefined
  const rest = pathname.replace(/^\/|\/$/g, '')
  switch (host) {
    case '':
      return rest === '' ? { kind: 'show' } : undefined
    case 'new':
      return rest === '' ? { kind: 'newJob' } : undefined
    case 'job':
      return RECORD_ID.test(rest) ? { kind: 'openJob', id: asRecordId(rest) } : undefined
    case 'add':
      return rest === '' ? addIntent(searchParams.getAll('path'), platform) : undefined
    default:
      return undefined
  }
}

/** One wrong path makes the whole link wrong: it was not made by somebody who means well. */
function addIntent(paths: readonly string[], platform: NodeJS.Platform): LinkIntent | undefined {
  if (paths.length === 0 || paths.length > MOST_PATHS) return undefined
  return paths.every((path) => isLocalPath(path, platform)) ? { kind: 'askToAdd', paths } : undefined
}

/** What could make a path read as another one in the question: control signs, line ends, and marks that turn the direction. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * A photo or video by its name, so that no folder and no program is even asked about. Not on a share: opening `\\server\x`
 * would show this computer's credentials to a stranger.
 */
function isLocalPath(path: string, platform: NodeJS.Platform): boolean {
  if (MISLEADING.test(path) || mediaKindOf(path) === undefined) return false
  if (platform === 'win32') return /^[a-z]:[\\/]/i.test(path) && win32.normalize(path) === path
  return posix.isAbsolute(path) && !path.startsWith('//') && posix.normalize(path) === path
}

/** More would make a dialog that is higher than a small screen. */
const NAMES_SHOWN = 12
const ADD = 1
const SHOW_MORE = 2

/**
 * The files of a link are taken only after a person has seen their names and said yes. Every file can be seen before the
 * answer: where they are too many for one dialog, a button leads to the next ones and from
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
