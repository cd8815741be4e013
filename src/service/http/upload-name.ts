/** What a client calls the file that it uploads (section 4, header `X-Filename`). */
import { cutToBytes, isDeviceName, lastSegment, withoutUnsafe } from '../../node/file-name.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import { HttpError } from '../queue/index.ts'

/** Leaves space for a suffix within the 255 bytes that file systems allow. */
const MAX_NAME_BYTES = 180

export type UploadName = {
  /** As the sender meant it; never used as a path. */
  readonly original: string
  /** One path segment that every file system takes. */
  readonly safe: string
}

/**
 * Names outside Latin-1 come percent-encoded or as raw UTF-8; both are understood.
 * @throws HttpError 400 where it is missing or of an unsupported type
 */
export function uploadNameFrom(header: string | string[] | undefined): UploadName {
  if (typeof header !== 'string' || header.trim() === '') {
    throw new HttpError(400, 'The header X-Filename must give the name of the file')
  }
  const original = lastSegment(decodePercent(decodeUtf8(header.trim())))
  if (!mediaKindOf(original))
    throw new HttpError(400, 'X-Filename must end in the extension of a supported image or video')
  return { original, safe: safeName(original) }
}

/** Node hands header bytes over as Latin-1. */
function decodeUtf8(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'))
  } catch {
    return header
  }
}

function decodePercent(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function safeName(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  const stem = withoutUnsafe(name.slice(0, dot)).replace(/^[.\s]+|[.\s]+$/g, '')
  const kept = cutToBytes(stem, MAX_NAME_BYTES).trimEnd()
  if (kept === '') return `upload.${extension}`
  return isDeviceName(kept) ? `upload-${kept}.${extension}` : `${kept}.${extension}`
}
