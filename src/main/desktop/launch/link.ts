/** `mediatray://` links. Any web page can create one, so a link only ever shows something or asks the user. */
import { posix, win32 } from 'node:path'
import { isFile } from '../../../node/exists.ts'
import { namedKindOf } from '../../../shared/media-types.ts'
import { MISLEADING } from '../../../shared/paths.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'

export type LinkIntent =
  | { readonly kind: 'show' }
  | { readonly kind: 'newJob' }
  | { readonly kind: 'openJob'; readonly id: RecordId }
  /** Files to add only after the user has seen and confirmed these paths. */
  | { readonly kind: 'askToAdd'; readonly paths: readonly string[] }

const LONGEST_LINK = 32_768
const MOST_PATHS = 100
const RECORD_ID = /^[\w-]{1,100}$/

/**
 * Parses `mediatray://job/<id>`, `mediatray://add?path=…&path=…`, `mediatray://new` or a bare `mediatray://`.
 * @returns undefined for anything else
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

/** Returns the intent to add files. One invalid path invalidates the whole link, because a benign link contains none. */
function addIntent(paths: readonly string[], platform: NodeJS.Platform): LinkIntent | undefined {
  if (paths.length === 0 || paths.length > MOST_PATHS) return undefined
  return paths.every((path) => isLocalPath(path, platform)) ? { kind: 'askToAdd', paths } : undefined
}

/**
 * Whether a link may name this path. Accepts only names of photos and videos, so that no folder or program is even accessed.
 * Rejects network shares, because accessing `\\server\x` sends this computer's credentials to that server.
 */
function isLocalPath(path: string, platform: NodeJS.Platform): boolean {
  if (MISLEADING.test(path) || namedKindOf(path) === undefined) return false
  if (platform === 'win32') return /^[a-z]:[\\/]/i.test(path) && win32.normalize(path) === path
  return posix.isAbsolute(path) && !path.startsWith('//') && posix.normalize(path) === path
}

/** Maximum number of names in one dialog, so that it fits on a small screen. */
const NAMES_SHOWN = 12
const ADD = 1
const SHOW_MORE = 2

/**
 * Asks before adding files from a link, and lists their paths. If the paths don't fit in one dialog, a button cycles through further
 * pages.
 * @param paths absolute paths accepted by `parseLink`
 * @returns false if the user declines or if any path isn't a file. Folders don't count, because the dialog couldn't show their contents
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
