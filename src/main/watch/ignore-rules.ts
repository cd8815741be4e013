/** Decides by name which files in a watched folder are never processed. */
import { basename, sep } from 'node:path'
import { namedKindOf } from '../../shared/media-types.ts'

/** Extensions that browsers, download and sync programs and editors give to incomplete files. */
const UNFINISHED =
  /\.(?:crdownload|part|partial|download|opdownload|fdmdownload|filepart|tmp|temp|!ut|!qb|!bt|bc!|jc!|uc!|td|xltd|aria2)$/i

/** Matches incomplete files that keep their own extension at the end, such as `clip.part.mp4`. */
const UNFINISHED_WITHIN = /\.(?:part|partial|tmp|temp|crdownload)\.[^.]+$/i

/** Matches hidden files, including the built-in service's temporary ones (`.mediatray-…`), lock files (`~$…`), and incomplete files. */
export const isIgnored = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || UNFINISHED.test(name) || UNFINISHED_WITHIN.test(name)

/** Mediatray's own files, and AppleDouble files, in which macOS stores extended attributes on disks that don't support them. */
const NO_PHOTO = /^\.(?:_|mediatray-)/

/** Whether the user may mistake an ignored file for a photo or video that will be processed. */
export const isIgnoredMedia = (name: string): boolean =>
  isIgnored(name) && !NO_PHOTO.test(name) && namedKindOf(name.replace(UNFINISHED, '')) !== undefined

/**
 * Matches the parts that yt-dlp downloads separately and joins at the end, such as the video `Clip.f137.mp4` and the audio `Clip.f140.m4a`.
 */
const FORMAT_OF_MANY = /^(.*\.)f\d+(?:-[\w-]+)?\.[^.]+$/i

export const mayBePart = (name: string): boolean => FORMAT_OF_MANY.test(name)

/** Whether the file is one of several parts that a program is still joining. */
export function isPartOfMany(name: string, others: readonly string[]): boolean {
  const [, stem] = FORMAT_OF_MANY.exec(name) ?? []
  if (stem === undefined) return false
  const isOther = (other: string): boolean =>
    other.startsWith(stem) && /^(?:f\d+[^.]*|temp)\./i.test(other.slice(stem.length))
  return others.some((other) => other !== name && isOther(other))
}

/** Whether a file with this name may reserve the name of a download, like Firefox's `clip.mp4` next to `clip.Xy1z.mp4.part`. */
export function isPlaceholder(name: string, others: readonly string[]): boolean {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = [name.slice(0, dot), name.slice(dot)]
  return others.some(
    (other) => other === `${name}.part` || (other.startsWith(`${stem}.`) && other.endsWith(`${ending}.part`)),
  )
}

/** Whether the path names a photo or video that isn't ignored. A file with another name may still contain a photo or video. */
export const isCandidate = (path: string): boolean =>
  !isIgnored(basename(path)) && namedKindOf(path) !== undefined

/** Whether a path is inside a folder or is the folder itself. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
