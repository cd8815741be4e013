import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isBuiltInFormat } from '../../shared/media-types.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { codeOf, hasCode } from '../../node/errors.ts'
import { recognize } from '../../node/recognize-media.ts'

export type PastedImage = {
  readonly bytes: Uint8Array
  /** As named by the page or the clipboard; may be ''. */
  readonly name: string
}

/**
 * Saves a pasted image to a file. The type is determined by content, not by what the clipboard reports. Never throws: returns a rejection
 * if the data isn't a supported image or can't be written.
 * @param folder absolute; an app folder, created if missing
 * @param now ms since 1970
 */
export async function savePastedImage(
  { bytes, name }: PastedImage,
  { folder, now }: { readonly folder: string; readonly now: number },
): Promise<MediaItem | RejectedItem> {
  const shownName = name === '' ? 'image' : name
  if (bytes.length === 0) return { path: '', name: shownName, reason: 'empty' }
  const { kind, format: extension } = { format: undefined, ...recognize('', bytes) }
  if (kind !== 'image' || extension === undefined) return { path: '', name: shownName, reason: 'unsupported' }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = await writeUnderFreeName(folder, `Pasted ${timeInName(now)}`, extension, bytes)
    const format = isBuiltInFormat(extension) ? { format: extension } : {}
    return { path, name: path.slice(folder.length + 1), kind, size: bytes.length, ...format }
  } catch (error) {
    const detail = codeOf(error)
    return { path: folder, name: shownName, reason: 'unreadable', detail }
  }
}

async function writeUnderFreeName(
  folder: string,
  stem: string,
  extension: string,
  bytes: Uint8Array,
): Promise<string> {
  for (let next = 1; ; next++) {
    const path = join(folder, `${stem}${next === 1 ? '' : ` ${next}`}.${extension}`)
    try {
      await using file = await open(path, 'wx', 0o600)
      await file.writeFile(bytes).catch(async (error: unknown) => {
        await rm(path, { force: true })
        throw error
      })
      return path
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

const two = (part: number) => String(part).padStart(2, '0')

/** Formats the local time for a file name, without colons, which Windows doesn't allow. */
function timeInName(now: number): string {
  const date = new Date(now)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}.${two(date.getMinutes())}.${two(date.getSeconds())}`
}
