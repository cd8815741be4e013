/** `mediatray://` links. Any page can make one, so a link never does more than show something or lead to a question. */
import { posix, win32 } from 'node:path'
import { mediaKindOf } from '../../../shared/media-types.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'

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
