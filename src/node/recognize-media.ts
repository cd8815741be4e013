/**
 * Decides what a file is, by its content and its name. The name alone decides only if nothing in the content contradicts it: a
 * damaged photo is still a photo to the user.
 */
import {
  extensionOf,
  isBuiltInFormat,
  mediaKindOf,
  RAW_EXTENSIONS,
  SUPPORTED_EXTENSIONS,
} from '../shared/media-types.ts'
import { acceptFile, type IdentifiedFile } from './file-identity.ts'
import { headOf, type MediaContent, readMediaContent } from './media-content.ts'
import { openRegular } from './open-regular.ts'

export type Recognized =
  | {
      readonly kind: 'image' | 'video'
      /**
       * The extension that fits the content. Always set for formats that only the built-in service processes. Otherwise absent if the name
       * has it, or if the content isn't an accepted format.
       */
      readonly format?: string
    }
  | { readonly kind: 'raw' }
  | { readonly kind: 'unknown' }

/**
 * Extensions of audio files, and of small versions that cameras save next to their photos and videos. Their contents look like photos and
 * videos.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(
  'aac ithmb lrv m4a m4b m4p m4r mka mks oga ogg thm weba wma'.split(' '),
)

const UNKNOWN: Recognized = { kind: 'unknown' }

/** Recognizes a file by its name and content. @param head the first bytes of the file, as read by `headOf` */
export function recognize(nameOrPath: string, head: Uint8Array): Recognized {
  const extension = extensionOf(nameOrPath)
  if (isRaw(head)) return { kind: 'raw' }
  const found = readMediaContent(head)
  const content = found?.isWeak === true && !isNamedLike(found, extension) ? undefined : found
  if (RAW_EXTENSIONS.has(extension) && (content === undefined || content.extensions[0] === 'tiff')) {
    return { kind: 'raw' }
  }
  const accepted = mediaKindOf(nameOrPath)
  if (content === undefined) return accepted === undefined ? UNKNOWN : { kind: accepted }
  if (LEFT_OUT.has(extension)) return UNKNOWN
  const format = formatOf(content, head)
  // Ogg, which usually holds only audio, is accepted only under the extension of a video.
  if (format === undefined) return accepted === undefined ? UNKNOWN : { kind: accepted }
  const fits = accepted === content.kind && content.extensions.includes(extension) && !isBuiltInFormat(format)
  return fits ? { kind: content.kind } : { kind: content.kind, format }
}

/**
 * Reads the first bytes of a file and recognizes it.
 * @returns undefined if it isn't a regular file
 * @throws the file system's error
 */
export async function recognizeFile(path: string): Promise<Recognized | undefined> {
  await using file = await openRegular(path, 'follow')
  if (file === undefined) return undefined
  return recognize(path, await headOf(file))
}

/** A file as it was when the user added it. */
export type Examined = Pick<IdentifiedFile, 'identity' | 'realPath' | 'stats'> & {
  /** In bytes. */
  readonly size: number
  readonly recognized: Recognized
}

/**
 * Like `recognizeFile`, for a file that the user has just added.
 * @param realPath its path without links, if it is known
 * @throws the same errors as `acceptFile`
 */
export async function examineFile(path: string, realPath?: string): Promise<Examined> {
  await using accepted = await acceptFile(path, realPath)
  const { file, stats, identity } = accepted
  const recognized = recognize(path, await headOf(file))
  return { size: Number(stats.size), stats, recognized, identity, realPath: accepted.realPath }
}

const isNamedLike = ({ extensions }: MediaContent, extension: string): boolean =>
  extensions.includes(extension) || (extension === 'qt' && extensions.includes('mov'))

/** Returns the usual extension of the content; undefined if the app doesn't accept the format. */
function formatOf({ extensions }: MediaContent, head: Uint8Array): string | undefined {
  const [usual] = extensions
  if (usual === 'mkv' && Buffer.from(head).includes('webm')) return 'webm'
  return isBuiltInFormat(usual) ? usual : SUPPORTED_EXTENSIONS.find((extension) => extension === usual)
}

/** The first bytes of RAW formats that aren't plain TIFF: Canon, Fujifilm, Minolta, Olympus, Panasonic and Sigma. */
const RAW_SIGNATURES: readonly (readonly [offset: number, bytes: string])[] = [
  [4, 'ftypcrx '],
  [8, 'CR\x02'],
  [6, 'HEAPCCDR'],
  [0, 'FUJIFILMCCD-RAW'],
  [0, '\0MRM'],
  [0, 'IIRO'],
  [0, 'IIRS'],
  [0, 'MMOR'],
  [0, 'IIU\0'],
  [0, 'FOVb'],
]

function isRaw(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1')
  return RAW_SIGNATURES.some(([offset, bytes]) => text.startsWith(bytes, offset))
}
