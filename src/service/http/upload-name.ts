/** The client's name for an uploaded file (section 4, header `X-Filename`). */
import { failure } from '../../shared/failure/failure.ts'
import { cutToBytes, lastSegment, withoutUnsafe } from '../../node/file-name.ts'
import { ifPossible } from '../../node/if-possible.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import { isDeviceName } from '../../shared/paths.ts'
import { HttpError } from '../queue/index.ts'

/**
 * Maximum length of a name without its extension, in bytes. The name, its extension and a suffix have to fit into the 255 bytes that file
 * systems allow.
 */
const MAX_NAME_BYTES = 180

export type UploadName = {
  /** The original name; never used as a path. */
  readonly original: string
  /** A single path segment that is valid on every file system. */
  readonly safe: string
}

/**
 * Reads the name. Names outside Latin-1 may be percent-encoded or raw UTF-8.
 * @throws HttpError 400 if it is missing or its type isn't supported
 */
export function uploadNameFrom(header: string | string[] | undefined): UploadName {
  if (typeof header !== 'string' || header.trim() === '') {
    throw new HttpError(400, failure('uploadNameMissing'))
  }
  const original = lastSegment(decodePercent(decodeUtf8(header.trim())))
  if (!mediaKindOf(original)) throw new HttpError(400, failure('uploadNameUnsupported'))
  return { original, safe: safeName(original) }
}

/** Decodes UTF-8 from a header, which Node returns as Latin-1. Returns any other text unchanged. */
const decodeUtf8 = (header: string): string =>
  ifPossible(() => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'))) ?? header

const decodePercent = (name: string): string => ifPossible(() => decodeURIComponent(name)) ?? name

function safeName(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  const stem = withoutUnsafe(name.slice(0, dot)).replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, '')
  const kept = cutToBytes(stem, MAX_NAME_BYTES).trimEnd()
  if (kept === '') return `upload.${extension}`
  return isDeviceName(kept) ? `upload-${kept}.${extension}` : `${kept}.${extension}`
}
