/** Decides by name which files in a watched folder are never processed. */
import { basename, sep } from 'node:path'
import { namedKindOf } from '../../shared/media-types.ts'

/** Extensions that browsers, sync programs and editors give to incomplete files. */
const UNFINISHED = /\.(?:crdownload|part|partial|download|opdownload|filepart|tmp|temp|!ut|aria2)$/i

/** `clip.mp4.part` has no supported extension, but `clip.part.mp4` and `~$clip.mp4` do. */
const UNFINISHED_WITHIN = /\.(?:part|partial|tmp|temp|crdownload)\.[^.]+$/i

/** Matches hidden files, including the built-in service's temporary ones (`.mediatray-…`), and incomplete files. */
export const isIgnored = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || UNFINISHED.test(name) || UNFINISHED_WITHIN.test(name)

/** Whether the path names a photo or video that isn't ignored. A file with another name may be one by content. */
export const isCandidate = (path: string): boolean =>
  !isIgnored(basename(path)) && namedKindOf(path) !== undefined

/** Whether a path is inside a folder or is the folder itself. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
