import { parse } from 'content-disposition'
import { safeFileName } from '../../node/file-name.ts'

/** The name that an answer suggests for its bytes, made safe for every system; `fallback` where it suggests none. */
export function downloadName(contentDisposition: string | undefined, fallback: string): string {
  const suggested = contentDisposition === undefined ? undefined : fileNameIn(contentDisposition)
  return safeFileName(suggested ?? '') ?? safeFileName(fallback) ?? 'download'
}

function fileNameIn(header: string): string | undefined {
  try {
    return parse(header).parameters['filename']
  } catch {
    return undefined
  }
}
