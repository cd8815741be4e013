/**
 * Puts results or earlier content on the clipboard, with Mediatray's mark. Each call replaces the whole content and resolves to whether the
 * clipboard has the new content. Electron's `write` never reports a failure, even if another app keeps the clipboard open.
 */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clipboard, ClipboardItem } from 'electron'
import { withMedia } from '../../../node/media-header/open-media.ts'
import { type Kept, type Mark, markIn, markText } from './copied.ts'
import { FILES, GNOME_FILES, IMAGE, MARK, nativeFormat } from './formats.ts'

export type WritableClipboard = {
  readonly clipboard: Pick<Clipboard, 'read' | 'write'>
  readonly ClipboardItem: typeof ClipboardItem
  readonly platform: NodeJS.Platform
}

/** Electron converts these to a bitmap. It silently drops an image in any other format. */
const BITMAPS: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.jfif'])

/** Largest image to convert to a bitmap, in pixels. Decoding one blocks the whole app, for about 0.1 s at this size. */
const MOST_PIXELS = 12_000_000

async function canBeBitmap(path: string): Promise<boolean> {
  if (!BITMAPS.has(extname(path).toLowerCase())) return false
  const { width, height } = await withMedia(path, (media) => media.header())
  return width !== null && height !== null && width * height <= MOST_PIXELS
}

/** The platforms' names for compressed image formats, for apps that prefer them to a bitmap. */
const COMPRESSED: Readonly<Partial<Record<NodeJS.Platform, Readonly<Record<string, string>>>>> = {
  linux: { '.jpg': 'image/jpeg', '.webp': 'image/webp', '.avif': 'image/avif', '.jxl': 'image/jxl' },
  darwin: { '.jpg': 'public.jpeg', '.webp': 'org.webmproject.webp', '.avif': 'public.avif' },
  win32: { '.jpg': 'JFIF' },
}

async function imageFormats(path: string, platform: NodeJS.Platform): Promise<Record<string, Blob>> {
  const ending = extname(path).toLowerCase()
  const name = COMPRESSED[platform]?.[ending === '.jpeg' ? '.jpg' : ending]
  const isBitmap = await canBeBitmap(path)
  if (!isBitmap && name === undefined) return {}
  const bytes = new Blob([new Uint8Array(await readFile(path))])
  return {
    ...(isBitmap ? { [IMAGE]: bytes } : {}),
    ...(name === undefined ? {} : { [nativeFormat(name)]: bytes }),
  }
}

/**
 * @param paths absolute
 * @param image a photo to also offer as an image, for apps that can't paste files; absolute
 */
export async function putFiles(
  options: WritableClipboard,
  paths: readonly string[],
  image: string | undefined,
  mark: Mark,
): Promise<boolean> {
  const { platform } = options
  const urls = paths.map((path) => pathToFileURL(path).href)
  const gnomeFiles = new Blob([['copy', ...urls].join('\n')])
  return put(options, mark, {
    [FILES]: urls.join('\r\n'),
    ...(platform === 'linux' ? { [GNOME_FILES]: gnomeFiles } : {}),
    ...(image === undefined ? {} : await imageFormats(image, platform)),
  })
}

export const putContent = (options: WritableClipboard, content: Kept, mark: Mark): Promise<boolean> =>
  put(options, mark, Object.fromEntries(content))

async function put(
  { clipboard, ClipboardItem: Item }: WritableClipboard,
  mark: Mark,
  content: ConstructorParameters<typeof ClipboardItem>[0],
): Promise<boolean> {
  await clipboard.write([new Item({ ...content, [MARK]: new Blob([markText(mark)]) })])
  const found = await markIn(await clipboard.read())
  return found?.run === mark.run && found.isResult === mark.isResult
}
