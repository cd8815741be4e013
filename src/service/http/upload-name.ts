import { mediaKindOf } from '../../shared/media-types.ts'
import { Refusal } from '../queue/index.ts'

/** Room for a suffix within the 255 bytes that file systems allow. */
const MAX_NAME_BYTES = 180

export type UploadName = {
  /** As the sender meant it; never used as a path. */
  readonly original: string
  /** One path segment that every file system takes. */
  readonly safe: string
}

/**
 * Section 4, header `X-Filename`. Names outside Latin-1 come percent-encoded or as raw UTF-8; both are understood.
 * @throws Refusal 400 where it is missing or of an unsupported type
 */
export function uploadNameFrom(header: string | string[] | undefined): UploadName {
  if (typeof header !== 'string' || header.trim() === '') {
    throw new Refusal(400, 'The header X-Filename must give the name of the file')
  }
  const original = lastSegment(decodePercent(decodeUtf8(header.trim())))
  if (!mediaKindOf(original))
    throw new Refusal(400, 'X-Filename must end in the extension of a supported image or video')
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

const lastSegment = (name: string): string => name.split(/[/\\]/).at(-1) ?? ''

/** Windows keeps these for devices, with any extension. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/i

function safeName(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  const stem = name
    .slice(0, dot)
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*\uFFFD]/gu, '_')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '')
  const kept = shortened(stem, MAX_NAME_BYTES)
  if (kept === '' || DEVICE_NAME.test(kept.split('.')[0] ?? ''))
    return `upload-${kept}.${extension}`.replace('-.', '.')
  return `${kept}.${extension}`
}

/** Cut between characters, so that no half of one is left. */
function shortened(text: string, maxBytes: number): string {
  let kept = ''
  let bytes = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxBytes) break
    kept += segment
  }
  return kept.trimEnd()
}
