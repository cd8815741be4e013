/** Names that are never taken from a watched folder. */
import { basename, sep } from 'node:path'
import { mediaKindOf } from '../../shared/media-types.ts'

/** What browsers, sync programs and editors call a file while it is not whole. */
const UNFINISHED = /\.(?:crdownload|part|partial|download|opdownload|filepart|tmp|temp|!ut|aria2)$/i

/** `clip.mp4.part` has no supported ending anyway; `clip.part.mp4` and `~$clip.mp4` have one. */
const UNFINISHED_WITHIN = /\.(?:part|partial|tmp|temp|crdownload)\.[^.]+$/i

/** Hidden files, among them the ones that the built-in service begins (`.mediatray-…`), and such as only pass by. */
export const isIgnored = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || UNFINISHED.test(name) || UNFINISHED_WITHIN.test(name)

/** A photo or video under its final name. */
export const mayBeTaken = (path: string): boolean =>
  !isIgnored(basename(path)) && mediaKindOf(path) !== undefined

/** The folder itself counts as inside. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
